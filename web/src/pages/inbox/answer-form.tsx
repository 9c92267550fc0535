/** The form of a wait with its answers; the first answer anybody gives closes it. */

import { useRef } from "react";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { FormFields, readForm } from "../../parts/form-fields.tsx";
import { formText } from "../../parts/form-text.ts";
import { moment } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import type { IconName } from "../../parts/icon.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { answerKey, answerWords } from "../../runs/wait-words.ts";
import { useCommands } from "../../shell/commands.ts";
import { toast } from "../../shell/toasts.tsx";
import { AssignMenu } from "./assign-menu.tsx";
import { SnoozeMenu } from "./snooze-menu.tsx";

type Detail = Output<"inbox.show">;

export function AnswerForm({
  detail,
  onDone,
}: {
  readonly detail: Detail;
  readonly onDone: () => void;
}) {
  const { wait, form: fields, mayAnswer, answer } = detail;
  const form = useRef<HTMLFormElement>(null);
  const { run, isBusy, problem } = useChange("inbox.answer");
  const give = async (choice: string) => {
    if (form.current === null || isBusy) return;
    const given = new FormData(form.current);
    const note = formText(given, NOTE);
    const done = await run({
      waitId: wait.id,
      choice,
      fields: readForm(fields, given),
      ...(note === "" ? {} : { note }),
      expectedVersion: wait.version,
    });
    if (done === undefined) return;
    toast(`${answerWords(choice).label}: ${wait.title}`);
    onDone();
  };
  const isOpen = wait.state === "open" && mayAnswer;
  useAnswerCommands(isOpen ? wait.answers : [], (choice) => void give(choice), form);
  if (answer !== undefined) return <Answered detail={detail} />;
  if (!isOpen) return <NotYours detail={detail} />;
  const more = fields.some(
    ({ answers }) => answers !== undefined && answers[0] !== wait.answers[0],
  );
  return (
    <form ref={form} className="form" noValidate onSubmit={(event) => event.preventDefault()}>
      <FormFields
        fields={fields.map((field) => withAnswer(field, more))}
        problems={problem?.fields ?? []}
      />
      <label className="field">
        <span className="lbl">
          Note, kept with the answer <span className="faint">(optional)</span>
        </span>
        <textarea className="inp" name={NOTE} rows={2} />
      </label>
      <ProblemNote problem={problem} />
      <div className="acts">
        {wait.answers.map((choice, n) => {
          const { label, effect, isEnd = false } = answerWords(choice);
          return (
            <Button
              key={choice}
              kind={n === 0 ? "primary" : isEnd && choice === "cancel_run" ? "danger" : "default"}
              icon={ICONS[choice] ?? "arrow"}
              effect={effect}
              keys={answerKey(choice, wait.answers)}
              isBusy={isBusy}
              onPress={() => void give(choice)}
            >
              {label}
            </Button>
          );
        })}
        <AssignMenu wait={wait} />
        <SnoozeMenu wait={wait} onDone={onDone} />
      </div>
      <p className="micro muted">
        The first answer closes this. Yours is recorded with your name and the evidence you saw.
      </p>
    </form>
  );
}

/** A name that no field of a form has: names of fields hold no spaces. */
const NOTE = "the note";

const ICONS: Readonly<Record<string, IconName>> = {
  complete: "check",
  approve: "check",
  answer: "arrow",
  retry: "retry",
  raise: "play",
  force: "play",
  skip: "right",
  reject: "cross",
  fail: "cross",
  cancel_run: "cross",
};

/** Where fields belong to different answers, each says to which. */
function withAnswer(field: Detail["form"][number], isTold: boolean): Detail["form"][number] {
  const { answers, help } = field;
  if (!isTold || answers === undefined) return field;
  const told = `Used with ${answers.map((answer) => answerWords(answer).label).join(" or ")}.`;
  return { ...field, help: help === undefined ? told : `${help} ${told}` };
}

function useAnswerCommands(
  answers: readonly string[],
  give: (choice: string) => void,
  form: { readonly current: HTMLFormElement | null },
): void {
  useCommands("This entry", [
    ...answers.map((choice) => {
      const { label, effect } = answerWords(choice);
      const keys = answerKey(choice, answers);
      const command = { label: `${label}, ${effect}`, run: () => give(choice) };
      return keys === undefined ? command : { ...command, keys };
    }),
    ...(answers.length === 0
      ? []
      : [
          {
            label: "Edit the form",
            keys: "e",
            run: () => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(),
          },
        ]),
  ]);
}

function Answered({ detail: { answer, runState } }: { readonly detail: Detail }) {
  if (answer === undefined) return null;
  const { choice, fields, note, byName, by, at } = answer;
  return (
    <div className="form">
      <div className="note ok">
        <Glyph state="ok" />
        <div>
          <b className="b">{answerWords(choice).label}</b>, by {byName ?? by}, {moment(at)}. The run
          is {runState}.
        </div>
      </div>
      {fields !== undefined && <JsonView value={fields} />}
      {note !== undefined && (
        <p className="brief plain">
          <Words text={note} />
        </p>
      )}
    </div>
  );
}

function NotYours({ detail: { wait } }: { readonly detail: Detail }) {
  return (
    <div className="form">
      <div className="note">
        <Glyph state={wait.state === "open" ? "wait" : "stale"} />
        <div>
          {wait.state === "open"
            ? `This is for ${wait.assigneeName ?? "somebody with the right to answer"}.`
            : `This is ${wait.state}.`}
        </div>
      </div>
    </div>
  );
}
