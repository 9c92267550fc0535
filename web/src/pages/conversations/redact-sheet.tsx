/** Keeps a passage, a message or a whole conversation out of everything a project shows. */

import { type FormEvent, useState } from "react";
import type { Input, Output } from "../../api/operation.ts";
import { performChange, useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { Words } from "../../parts/words.tsx";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import type { Chosen } from "./passage-bar.tsx";
import type { Said, Talk } from "./talk.ts";

type What = "passage" | "message" | "conversation";

export function RedactSheet({
  talk,
  message,
  chosen,
  onClose,
}: {
  readonly talk: Talk;
  /** Without one, the whole conversation is meant. */
  readonly message?: Said;
  readonly chosen?: Chosen;
  readonly onClose: () => void;
}) {
  const redact = useChange("redaction.add");
  const [what, setWhat] = useState<What>(
    chosen !== undefined ? "passage" : message !== undefined ? "message" : "conversation",
  );
  const [done, setDone] = useState<Output<"redaction.add">>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const reason = formText(form, "reason");
    const input: Input<"redaction.add"> = {
      project: formText(form, "project"),
      ...targetOf(what, talk, message, chosen),
      ...(reason === "" ? {} : { reason }),
    };
    void redact.run(input).then((added) => {
      if (added === undefined) return;
      document.getSelection()?.removeAllRanges();
      if (added.holdings > 0) return setDone(added);
      onClose();
      const undo = () => lift(added);
      toast("Redacted: nothing shows it any more", { undo });
    });
  };
  if (done !== undefined) return <Holdings done={done} onClose={onClose} />;
  if (talk.projects.length === 0) return <NoProject onClose={onClose} />;
  const choices: readonly (readonly [What, string])[] = [
    ...(chosen === undefined ? [] : [["passage", "These words"] as const]),
    ...(message === undefined ? [] : [["message", "The whole message"] as const]),
    ["conversation", "The whole conversation"],
  ];
  return (
    <Sheet title="Redact" onClose={onClose}>
      {what === "passage" && chosen !== undefined && (
        <blockquote className="quote small muted passage-quote">
          <Words text={chosen.words} />
        </blockquote>
      )}
      <p className="small muted">
        What is redacted never leaves: packets, searches, prompts and exports show a mark instead,
        and what was drawn from it is left out. The conversation itself keeps its words; a redaction
        can be lifted.
      </p>
      <form className="opform" onSubmit={submit}>
        <fieldset className="field tight">
          <legend className="lbl">What</legend>
          {choices.map(([name, label]) => (
            <label key={name} className="radio">
              <input
                type="radio"
                name="what"
                checked={what === name}
                onChange={() => setWhat(name)}
              />
              <i />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span className="lbl">In the project</span>
          <select className="inp" name="project" required>
            {talk.projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {markedText(name)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="lbl">
            Why <span className="faint">(optional, kept with it)</span>
          </span>
          {/* biome-ignore lint: the dialog was opened to do this */}
          <input className="inp" name="reason" autoFocus maxLength={500} />
        </label>
        <ProblemNote problem={redact.problem} />
        <div className="row">
          <Button kind="primary" submits isBusy={redact.isBusy}>
            Redact
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Never mind
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

/** In a message some of which is not shown, places on the page are not places in the message: its words are given. */
function targetOf(
  what: What,
  talk: Talk,
  message: Said | undefined,
  chosen: Chosen | undefined,
): Partial<Input<"redaction.add">> {
  if (what === "conversation" || message === undefined)
    return { conversation: talk.conversation.id };
  if (what === "message" || chosen === undefined) return { message: message.id };
  return message.isRedacted
    ? { message: message.id, text: chosen.words }
    : { message: message.id, start: chosen.start, end: chosen.end };
}

function lift({ redactions }: Output<"redaction.add">): void {
  for (const { id } of redactions)
    performChange("redaction.lift", { redactionId: id })
      .then(() => toast("Lifted: it may be shown again"))
      .catch(reportProblem);
}

function NoProject({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title="Redact" onClose={onClose}>
      <div className="note">
        <Icon name="ban" small />
        <div>
          Redactions belong to projects, and this conversation is in none. Make it part of one
          first: “Projects” above the conversation.
        </div>
      </div>
    </Sheet>
  );
}

/** It was written down elsewhere before: that is told, and can be forgotten for good. */
function Holdings({
  done: { redactions, holdings },
  onClose,
}: {
  readonly done: Output<"redaction.add">;
  readonly onClose: () => void;
}) {
  const purge = useChange("redaction.purge");
  const mayPurge = useMay("edit");
  const project = redactions[0]?.projectId;
  const forget = async () => {
    if (project === undefined) return;
    const gone = await purge.run({ project });
    if (gone === undefined) return;
    onClose();
    toast(`Forgotten in ${plural(gone.packets + gone.harvests + gone.exchanges, "place")}`);
  };
  return (
    <Sheet
      title="Redacted"
      onClose={onClose}
      footer={
        <>
          {mayPurge && (
            <Button kind="danger" isBusy={purge.isBusy} onPress={() => void forget()}>
              Forget their words for good
            </Button>
          )}
          <Button kind="quiet" onPress={onClose}>
            Keep them masked
          </Button>
        </>
      }
    >
      <div className="note wait">
        <Glyph state="warn" />
        <div>
          {plural(holdings, "packet, harvest or exchange", "packets, harvests and exchanges")} from
          before still {holdings === 1 ? "holds" : "hold"} it. They are shown masked from now on.
          Forgetting overwrites their words and keeps their hashes; it cannot be undone.
        </div>
      </div>
      <ProblemNote problem={purge.problem} />
    </Sheet>
  );
}
