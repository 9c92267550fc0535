/** One step's settings as a form. Each change goes into the text at once, and leaves the rest of it as it is. */

import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { callOperation } from "../../api/call.ts";
import type { Json } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import type { Suggestion } from "../../editor/code-editor.tsx";
import { shapeOf, type StepShape } from "../../graph/graph-model.ts";
import { TypeGlyph } from "../../graph/type-glyph.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import {
  answerFields,
  readSetting,
  type StepSettings,
  settingsOf,
  textOf,
} from "./step-settings.ts";
import type { StepChange, WorkflowGraph } from "./use-edited-text.ts";

const CodeEditor = lazy(() => import("../../editor/code-editor.tsx"));

export interface StepFormProps {
  readonly workflowId: string;
  readonly graph: WorkflowGraph;
  readonly stepId: string | undefined;
  readonly source: string;
  readonly isReadOnly: boolean;
  readonly onEdit: (change: StepChange) => void;
}

interface PartProps {
  readonly step: StepSettings;
  readonly isReadOnly: boolean;
  readonly set: (settings: { readonly [name: string]: Json }) => void;
}

const TYPES: readonly {
  readonly type: string;
  readonly label: string;
  readonly shape: StepShape;
}[] = [
  { type: "task", label: "Task", shape: "automated" },
  { type: "decision", label: "Decision", shape: "decision" },
  { type: "foreach", label: "Each", shape: "foreach" },
  { type: "join", label: "Join", shape: "join" },
  { type: "subflow", label: "Subflow", shape: "subflow" },
];

export function StepForm(props: StepFormProps) {
  const { graph, stepId, isReadOnly, onEdit } = props;
  const listed = graph.steps.find(({ id }) => id === stepId);
  if (listed === undefined)
    return (
      <section className="pane step-form" aria-label="Step">
        <header>
          <h2>Step</h2>
        </header>
        <EmptyState title="No step is chosen">
          Choose one in the graph, or put the cursor on its line: what it does is set here.
        </EmptyState>
      </section>
    );
  const step = settingsOf(listed);
  const set = (settings: { readonly [name: string]: Json }) => onEdit({ set: settings });
  const part = { step, isReadOnly, set };
  const isWork = ["task", "foreach", "join"].includes(step.stepType);
  return (
    <section className="pane step-form" aria-label="Step">
      <header>
        {step.id !== step.name && <span className="mono faint">{step.id}</span>}
        <h2 className="cut">
          <Words text={step.name} />
        </h2>
        <span className="end micro muted cut">{wayWords(graph, step.id)}</span>
      </header>
      <div className="scroll fields" key={step.id}>
        <Field label="Name">
          <CommitInput
            key={step.name}
            label="Name"
            initial={step.name}
            isReadOnly={isReadOnly}
            onCommit={(text) => text.trim() !== "" && onEdit({ label: text.trim() })}
          />
        </Field>
        <TypeChoice {...part} />
        {isWork && <DoneBy {...part} />}
        {isWork && <Prompt {...props} {...part} />}
        {step.stepType === "foreach" && <ForeachFields {...part} />}
        {step.stepType === "join" && <JoinFields {...part} />}
        {step.stepType === "subflow" && <SubflowFields {...part} />}
        {step.stepType === "decision" && <Branches graph={graph} stepId={step.id} />}
        {isWork && <AnswerFields {...part} />}
        {isWork && (
          <div className="two">
            <Setting
              {...part}
              name="minConfidence"
              label="Least confidence"
              kind="number"
              hint="0 to 1"
            />
            <Setting {...part} name="retries" label="Retries" kind="number" />
          </div>
        )}
        <div className="two">
          {step.stepType !== "decision" && (
            <Setting {...part} name="timeout" label="Time out after" hint="90s, 10m, 2h" />
          )}
          <Setting {...part} name="maxIterations" label="Visits at most" kind="number" hint="25" />
        </div>
        <Setting {...part} name="description" label="Notes" />
      </div>
    </section>
  );
}

function wayWords({ edges }: WorkflowGraph, id: string): string {
  const before = edges.filter(({ target }) => target === id).map(({ source }) => source);
  const after = edges.filter(({ source }) => source === id).map(({ target }) => target);
  return [
    before.length === 0 ? "begins" : `after ${[...new Set(before)].join(", ")}`,
    after.length === 0 ? "ends" : `goes to ${[...new Set(after)].join(", ")}`,
  ].join(", ");
}

function Field({
  label,
  note,
  children,
}: {
  readonly label: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="field">
      <span className="row">
        <span className="lbl">{label}</span>
        {note !== undefined && <span className="end micro">{note}</span>}
      </span>
      {children}
    </div>
  );
}

/** Says what was written when one leaves it, or presses Enter. */
function CommitInput({
  label,
  initial,
  isReadOnly,
  hint,
  kind = "text",
  rows,
  onCommit,
}: {
  readonly label: string;
  readonly initial: string;
  readonly isReadOnly: boolean;
  readonly hint?: string | undefined;
  readonly kind?: "text" | "number" | "json";
  readonly rows?: number;
  readonly onCommit: (text: string) => void;
}) {
  const commit = (text: string) => {
    if (text !== initial) onCommit(text);
  };
  const common = {
    "aria-label": label,
    className: `inp${kind === "json" ? " mono" : kind === "number" ? " num" : ""}`,
    defaultValue: initial,
    readOnly: isReadOnly,
    placeholder: hint,
    spellCheck: kind === "text",
  };
  if (rows !== undefined)
    return <textarea {...common} rows={rows} onBlur={({ target }) => commit(target.value)} />;
  return (
    <input
      {...common}
      inputMode={kind === "number" ? "decimal" : undefined}
      autoComplete="off"
      onBlur={({ target }) => commit(target.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") commit(currentTarget.value);
      }}
    />
  );
}

function Setting({
  step,
  isReadOnly,
  set,
  name,
  label,
  kind = "text",
  hint,
  rows,
}: PartProps & {
  readonly name: string;
  readonly label: string;
  readonly kind?: "text" | "number" | "json";
  readonly hint?: string;
  readonly rows?: number;
}) {
  const initial = textOf(step, name);
  const [isBroken, setBroken] = useState(false);
  return (
    <Field label={label} note={isBroken && <span className="fail b">not JSON</span>}>
      <CommitInput
        key={initial}
        label={label}
        initial={initial}
        isReadOnly={isReadOnly}
        hint={hint}
        kind={kind}
        {...(rows === undefined ? {} : { rows })}
        onCommit={(text) => {
          const value = readSetting(text, kind);
          setBroken(value === "broken");
          if (value !== "broken") set({ [name]: value });
        }}
      />
    </Field>
  );
}

function TypeChoice({ step, isReadOnly, set }: PartProps) {
  return (
    <Field label="Type">
      <div className="types" role="group" aria-label="Type">
        {TYPES.map(({ type, label, shape }) => (
          <button
            key={type}
            type="button"
            aria-pressed={step.stepType === type}
            disabled={isReadOnly}
            onClick={() =>
              step.stepType !== type && set({ stepType: type, ...needsOf(type, step) })
            }
          >
            <TypeGlyph shape={shape} />
            {label}
          </button>
        ))}
      </div>
    </Field>
  );
}

/** What a step of that kind cannot do without, so that changing it does not leave it broken. */
function needsOf(type: string, step: StepSettings): { readonly [name: string]: Json } {
  if (type === "foreach" && step["itemsPath"] === undefined)
    return { itemsPath: "output.items", itemVariable: "item" };
  return {};
}

function DoneBy({ step, isReadOnly, set }: PartProps) {
  const people = useList("user.list", { kind: "both", limit: 200 });
  const isManual = step.execution === "manual";
  const assignee = textOf(step, "defaultAssigneeId");
  const fitting = people.items.filter(({ isAgent }) => isAgent !== isManual);
  const isListed = fitting.some(
    ({ id, displayName, email }) =>
      assignee === id || assignee === displayName || assignee === email,
  );
  return (
    <>
      <Field label="Done by">
        <fieldset className="plain" disabled={isReadOnly}>
          <Segmented
            label="Done by"
            choices={[
              { name: "automated", label: "Agent" },
              { name: "manual", label: "Person" },
            ]}
            chosen={isManual ? "manual" : "automated"}
            onChoose={(name) => {
              if ((name === "manual") !== isManual)
                set({ execution: name, stepType: step.stepType, defaultAssigneeId: null });
            }}
          />
        </fieldset>
      </Field>
      <Field label={isManual ? "Assignee" : "Agent"}>
        <select
          className="inp"
          aria-label={isManual ? "Assignee" : "Agent"}
          disabled={isReadOnly}
          value={
            fitting.find(({ displayName, email, id }) =>
              [displayName, email, id].includes(assignee),
            )?.id ?? assignee
          }
          onChange={({ target }) => set({ defaultAssigneeId: target.value || null })}
        >
          <option value="">{isManual ? "whoever takes it" : "the default model"}</option>
          {!isListed && assignee !== "" && (
            <option value={assignee}>{assignee} (unknown here)</option>
          )}
          {fitting.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {displayName}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}

const TYPING_MS = 350;

function Prompt({ workflowId, graph, source, step, isReadOnly, set }: PartProps & StepFormProps) {
  const said = textOf(step, "prompt");
  const [text, setText] = useState(said);
  const last = useRef(said);
  if (said !== last.current) {
    // It was changed elsewhere, in the text or by undoing.
    last.current = said;
    setText(said);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      last.current = next;
      set({ prompt: next === "" ? null : next });
    }, TYPING_MS);
  };
  const faults = graph.problems.filter(
    ({ stepId, code }) => stepId === step.id && code.startsWith("path_"),
  );
  const suggest = useSuggestions(workflowId, source, step.id);
  const fault = faults[0];
  return (
    <Field
      label="Prompt"
      note={
        fault === undefined ? (
          <span className="muted">type {"{{"} for what is known here</span>
        ) : (
          <span className={`b ${fault.severity === "error" ? "fail" : "wait"}`}>unknown path</span>
        )
      }
    >
      <div className={`prompt-box${fault === undefined ? "" : " faulty"}`}>
        <Suspense fallback={<div className="code-editor" aria-busy="true" />}>
          <CodeEditor
            label="Prompt"
            kind="prompt"
            text={text}
            onChange={write}
            isReadOnly={isReadOnly}
            suggest={suggest}
          />
        </Suspense>
      </div>
      {fault !== undefined && (
        <span className="micro muted">
          <Words text={`${fault.message} ${fault.hint ?? ""}`} />
        </span>
      )}
    </Field>
  );
}

/** Asked for once per step and text; examples come from the newest run. */
function useSuggestions(
  workflowId: string,
  source: string,
  stageId: string,
): () => Promise<readonly Suggestion[]> {
  const known = useRef<{ key: string; found: Promise<readonly Suggestion[]> }>(undefined);
  return useCallback(() => {
    const key = `${stageId} ${source}`;
    if (known.current?.key !== key) {
      const found = callOperation("workflow.paths", { workflowId, source, stageId }).then(
        ({ paths, runId }) =>
          paths.map(({ path, kind = "", from, example }) => ({
            path,
            detail: example ?? kind,
            info: `${kind === "" ? "" : `${kind}, `}from ${from}${example === undefined || runId === undefined ? "" : ", as in the newest run"}`,
          })),
        // Without them one types without help; the check says what is wrong.
        () => [],
      );
      known.current = { key, found };
    }
    return known.current.found;
  }, [workflowId, source, stageId]);
}

function AnswerFields(part: PartProps) {
  const fields = answerFields(part.step["outputSchema"]);
  const [isOpen, setOpen] = useState(false);
  return (
    <Field
      label={part.step.execution === "manual" ? "Answer fields" : "Output"}
      note={
        <button type="button" className="link" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Close" : part.isReadOnly ? "Show schema" : "Edit schema"}
        </button>
      }
    >
      {!isOpen && fields.length > 0 && (
        <div className="block rows answer-fields">
          {fields.map(({ name, kind }) => (
            <div key={name}>
              <span className="mono">{name}</span>
              <span className="end small muted cut">{kind}</span>
            </div>
          ))}
        </div>
      )}
      {!isOpen && fields.length === 0 && (
        <span className="small muted">Whatever comes: no schema says otherwise.</span>
      )}
      {isOpen && (
        <Setting {...part} name="outputSchema" label="JSON Schema" kind="json" rows={12} />
      )}
    </Field>
  );
}

function ForeachFields(part: PartProps) {
  return (
    <>
      <div className="two">
        <Setting {...part} name="itemsPath" label="For each of" hint="output.files" />
        <Setting {...part} name="itemVariable" label="Called" hint="item" />
      </div>
      <div className="two">
        <Setting {...part} name="concurrency" label="At once" kind="number" hint="as many as can" />
        <Setting {...part} name="maxItems" label="Items at most" kind="number" hint="100" />
      </div>
    </>
  );
}

const NEEDS = [
  { name: "all", label: "All" },
  { name: "minPercent", label: "Per cent" },
  { name: "minCount", label: "Number" },
] as const;

function JoinFields(part: PartProps) {
  const { step, set, isReadOnly } = part;
  const need = NEEDS.find(({ name }) => step[name] !== undefined)?.name ?? "all";
  return (
    <>
      <Field label="Goes on when enough are in">
        <fieldset className="plain" disabled={isReadOnly}>
          <Segmented
            label="Goes on when enough are in"
            choices={NEEDS}
            chosen={need}
            onChoose={(name) =>
              set({
                minPercent: name === "minPercent" ? 80 : null,
                minCount: name === "minCount" ? 1 : null,
              })
            }
          />
        </fieldset>
      </Field>
      {need !== "all" && (
        <Setting
          {...part}
          name={need}
          label={need === "minPercent" ? "Per cent" : "How many"}
          kind="number"
        />
      )}
      <div className="two">
        <Setting {...part} name="deadline" label="Deadline" hint="none" />
        <Field label="At the deadline">
          <select
            className="inp"
            aria-label="At the deadline"
            disabled={isReadOnly || step["deadline"] === undefined}
            value={textOf(step, "onDeadline") || "fail"}
            onChange={({ target }) => set({ onDeadline: target.value })}
          >
            <option value="fail">fail</option>
            <option value="partial">go on with what is there</option>
          </select>
        </Field>
      </div>
      <Setting {...part} name="awaitTag" label="Which foreach" hint="the nearest" />
    </>
  );
}

function SubflowFields(part: PartProps) {
  const { step, set, isReadOnly } = part;
  const list = useList("workflow.list", { limit: 200 });
  const chosen = textOf(step, "subflowId");
  const names = [...new Set(list.items.map(({ name }) => name))];
  return (
    <>
      <Field label="Runs">
        <select
          className="inp"
          aria-label="Runs"
          disabled={isReadOnly}
          value={chosen}
          onChange={({ target }) => set({ subflowId: target.value || null })}
        >
          <option value="">–</option>
          {!names.includes(chosen) && chosen !== "" && <option value={chosen}>{chosen}</option>}
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Setting
        {...part}
        name="inputMapping"
        label="What it is given"
        kind="json"
        rows={4}
        hint='{ "text": "output.text" }'
      />
    </>
  );
}

function Branches({ graph, stepId }: { readonly graph: WorkflowGraph; readonly stepId: string }) {
  const ways = graph.edges.filter(({ source }) => source === stepId);
  return (
    <Field label="Branches, tried in this order">
      <div className="block rows answer-fields">
        {ways.map(({ target, when }) => (
          <div key={`${target} ${when ?? ""}`}>
            <span className="mono cut">{when ?? "always"}</span>
            <span className="end small muted">to {target}</span>
          </div>
        ))}
      </div>
      <span className="micro muted">They are written on the edges of the drawing.</span>
    </Field>
  );
}

export function glyphShape(step: {
  readonly stepType: string;
  readonly execution?: string;
}): StepShape {
  return shapeOf(step.stepType, step.execution);
}
