/** What only some kinds of steps have: output, items, joining, another workflow, branches. */

import { useState } from "react";
import { useList } from "../../data/use-operation.ts";
import { Segmented } from "../../parts/tabs.tsx";
import { Field, type PartProps, Setting } from "./step-fields.tsx";
import { answerFields, textOf } from "./step-settings.ts";
import type { WorkflowGraph } from "./use-edited-text.ts";

export function AnswerFields(part: PartProps) {
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

export function ForeachFields(part: PartProps) {
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

export function JoinFields(part: PartProps) {
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

export function SubflowFields(part: PartProps) {
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

export function Branches({
  graph,
  stepId,
}: {
  readonly graph: WorkflowGraph;
  readonly stepId: string;
}) {
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
