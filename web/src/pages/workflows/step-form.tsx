/** One step's settings as a form. Each change goes into the text at once, and leaves the rest of it as it is. */

import type { Json } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import type { StepShape } from "../../graph/graph-model.ts";
import { TypeGlyph } from "../../graph/type-glyph.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { Words } from "../../parts/words.tsx";
import {
  AnswerFields,
  Branches,
  ForeachFields,
  JoinFields,
  SubflowFields,
} from "./kind-fields.tsx";
import { PromptField } from "./prompt-field.tsx";
import { CommitInput, Field, type PartProps, Setting } from "./step-fields.tsx";
import { type StepSettings, textOf } from "./step-settings.ts";
import type { StepChange, WorkflowGraph } from "./use-edited-text.ts";

export interface StepFormProps {
  readonly workflowId: string;
  readonly graph: WorkflowGraph;
  readonly stepId: string | undefined;
  readonly source: string;
  readonly isReadOnly: boolean;
  readonly onEdit: (change: StepChange) => void;
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
  const step: StepSettings = listed;
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
        {isWork && (
          <PromptField
            {...part}
            workflowId={props.workflowId}
            graph={graph}
            source={props.source}
          />
        )}
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
              {markedText(displayName)}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}
