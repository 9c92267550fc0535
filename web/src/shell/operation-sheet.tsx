/** Any operation by hand: its fields as a form, its answer as a terminal would show it. */

import { type FormEvent, useEffect, useState } from "react";
import type { CommandDescription } from "../../../src/kernel/operation/command-description.ts";
import type { InputField } from "../../../src/kernel/operation/input-field.ts";
import type { OperationAnswer } from "../../../src/kernel/operation/operation-answer.ts";
import { requestJson } from "../api/call.ts";
import { type CallProblem, toProblem } from "../api/call-problem.ts";
import { queries } from "../data/queries.ts";
import { Button } from "../parts/button.tsx";
import { formText } from "../parts/form-text.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { Words } from "../parts/words.tsx";
import { useProjectId } from "./current-project.ts";
import type { OperationLine } from "./operation-lines.ts";

export default function OperationSheet({
  line,
  onClose,
}: {
  readonly line: OperationLine;
  readonly onClose: () => void;
}) {
  const { name, summary, effect } = line;
  const [described, setDescribed] = useState<CommandDescription>();
  const [problem, setProblem] = useState<CallProblem>();
  const [answer, setAnswer] = useState<OperationAnswer>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    describe(line)
      .then(setDescribed)
      .catch((error: unknown) => setProblem(toProblem(error)));
  }, [line]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    perform(line, readInput(described?.fields ?? [], new FormData(event.currentTarget)))
      .then(setAnswer)
      .catch((error: unknown) => setProblem(toProblem(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Sheet title={name} onClose={onClose}>
      <p className="muted">{summary}</p>
      <form onSubmit={submit} className="opform">
        {described === undefined && problem === undefined && <SkeletonRows count={3} />}
        {described?.fields.map((field) => (
          <OperationField key={field.name} field={field} />
        ))}
        <ProblemNote problem={problem} />
        {described !== undefined && (
          <div>
            <Button kind={effect === "destroys" ? "danger" : "primary"} submits isBusy={isBusy}>
              {effect === "reads" ? "Show" : effect === "destroys" ? "Do it for good" : "Do it"}
            </Button>
          </div>
        )}
      </form>
      {answer !== undefined && (
        <pre className="code block in" aria-live="polite">
          <Words text={answer.view ?? JSON.stringify(answer.output, null, 2)} />
        </pre>
      )}
    </Sheet>
  );
}

function OperationField({ field }: { readonly field: InputField }) {
  const { name, kind, isList, isRecord, isRequired, choices, description } = field;
  const project = useProjectId();
  const initial = name === "project" && !isRequired ? project : undefined;
  const more = [isRequired ? "needed" : "", isList ? "one per line" : "", isRecord ? "JSON" : ""];
  const common = { name, required: isRequired, defaultValue: initial };
  return (
    <label className="field">
      <span className="lbl">
        {name} <span className="faint">{more.filter(Boolean).join(", ")}</span>
      </span>
      {kind === "boolean" ? (
        <select className="inp" {...common}>
          <option value="">–</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : choices !== undefined && !isList ? (
        <select className="inp" {...common}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isList || isRecord || kind === "json" ? (
        <textarea className="inp mono" rows={2} {...common} />
      ) : (
        <input className="inp" inputMode={kind === "number" ? "numeric" : undefined} {...common} />
      )}
      {description !== undefined && <span className="micro muted">{description}</span>}
    </label>
  );
}

async function describe({ name, word }: OperationLine): Promise<CommandDescription> {
  const given = await requestJson(`/api/v1/commands/${word}`);
  const { commands } = given as { commands: readonly CommandDescription[] };
  const found = commands.find((command) => command.name === name);
  if (found === undefined) throw new TypeError(`The server does not describe ${name}.`);
  return found;
}

async function perform({ name, effect }: OperationLine, input: object): Promise<OperationAnswer> {
  const address = `/api/v1/${name.replace(".", "/")}`;
  const key = effect === "reads" ? undefined : crypto.randomUUID();
  const given = await requestJson(address, input, { key, headers: { "x-view": "terminal" } });
  if (effect !== "reads") queries.spoil(() => true);
  return given as OperationAnswer;
}

function readInput(fields: readonly InputField[], form: FormData): Record<string, unknown> {
  const given = fields.map((field): [string, unknown] | undefined => {
    const text = formText(form, field.name);
    return text === "" ? undefined : [field.name, readField(field, text)];
  });
  return Object.fromEntries(given.filter((entry) => entry !== undefined));
}

/** What does not fit goes along as text: the server says what it expected. */
function readField({ kind, isList, isRecord }: InputField, text: string): unknown {
  if (isList && !text.trim().startsWith("["))
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => readValue(kind, line));
  return readValue(isList || isRecord ? "json" : kind, text);
}

function readValue(kind: InputField["kind"], text: string): unknown {
  if (kind === "boolean") return text === "true";
  if (kind === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (kind !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
