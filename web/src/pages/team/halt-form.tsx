/** What the team waits for, answered where it stands; what only the inbox can answer leads there. */

import { useId, useRef } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { toast } from "../../shell/toasts.tsx";
import type { Status } from "./team-run.tsx";

type Wait = Status["waits"][number];

const CHOICES: Readonly<Record<string, { readonly label: string; readonly effect: string }>> = {
  answer: { label: "Answer", effect: "the team goes on with it" },
  stop: { label: "Stop", effect: "the team concludes now" },
  conclude: { label: "Conclude", effect: "the mission is met" },
  go_on: { label: "Go on", effect: "with what is still missing" },
};

export function HaltForm({ runId, wait }: { readonly runId: string; readonly wait: Wait }) {
  const { run, isBusy, problem } = useChange("team.answer");
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  if (wait.kind !== "team.halt") {
    return (
      <div className="note wait team-halt">
        <Glyph state="wait" />
        <div className="grow">
          <b className="b">
            <Words text={wait.title} />
          </b>
          <div>
            <Words text={wait.reason} />
          </div>
          <a className="link" href={`/inbox/${wait.id}`}>
            Answer in the inbox
          </a>
        </div>
      </div>
    );
  }
  const give = async (choice: string) => {
    if (form.current === null) return;
    const given = new FormData(form.current);
    const fields = Object.fromEntries(
      wait.form
        .map(({ name }) => [name, formText(given, name)] as const)
        .filter(([, text]) => text !== ""),
    );
    const done = await run({ runId, choice, fields });
    if (done !== undefined) toast(`${CHOICES[choice]?.label ?? choice}: ${wait.title}`);
  };
  return (
    <form
      ref={form}
      className="team-halt note wait"
      aria-label={wait.title}
      onSubmit={(event) => event.preventDefault()}
    >
      <Glyph state="wait" />
      <div className="grow form">
        <b className="b">
          <Words text={wait.title} />
        </b>
        {!wait.form.some(({ label }) => label !== undefined && wait.reason.includes(label)) && (
          <div className="brief plain">
            <Words text={wait.reason} />
          </div>
        )}
        {wait.form.map(({ name, label, help }) => (
          <label key={name} className="field" htmlFor={`${id}-${name}`}>
            <span className="lbl">
              <Words text={label ?? name} />
            </span>
            <textarea id={`${id}-${name}`} className="inp" name={name} rows={2} />
            {help !== undefined && (
              <span className="micro muted">
                <Words text={help} />
              </span>
            )}
          </label>
        ))}
        <ProblemNote problem={problem} />
        <div className="row">
          {wait.answers.map((choice, place) => (
            <Button
              key={choice}
              kind={place === 0 ? "primary" : "default"}
              effect={CHOICES[choice]?.effect}
              isBusy={isBusy}
              onPress={() => void give(choice)}
            >
              {CHOICES[choice]?.label ?? choice}
            </Button>
          ))}
        </div>
      </div>
    </form>
  );
}
