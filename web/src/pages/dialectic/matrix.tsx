/** Stages × documents × slots, filling in as they are written. Every cell leads to its document. */

import { useOperation } from "../../data/use-operation.ts";
import { brief, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { aboutWords, spentWords, type Sum, sumOf } from "./cost-words.ts";
import {
  type Cell,
  cellState,
  cellWords,
  documentAddress,
  modelOf,
  nameOfCell,
  placeMark,
  placeWords,
  shortModel,
  type Stage,
  type Status,
  type Step,
} from "./dialectic-words.ts";

export function Matrix({ status }: { readonly status: Status }) {
  const { slots, stages, runId } = status;
  const estimate = useOperation("dialectic.estimate", { session: runId });
  return (
    <section className="pane grow dx-matrix" aria-label="Documents">
      <Scroll label="Stages, documents and slots">
        <table
          className="dx-grid"
          style={{ ["--slots" as string]: slots.length }}
          data-wide={slots.length <= 3 ? "true" : undefined}
        >
          <thead>
            <tr>
              <th scope="col">Document</th>
              {slots.map(({ n, model }) => (
                <th key={n} scope="col" aria-label={`Slot ${n}, ${model}`} title={model}>
                  <span className="row">
                    <span className="who a s" aria-hidden="true">
                      {n}
                    </span>
                    <span className="cut">
                      <Words text={shortModel(model)} />
                    </span>
                  </span>
                </th>
              ))}
              <th scope="col" className="r">
                Done
              </th>
            </tr>
          </thead>
          {stages.map((stage) => (
            <StageRows
              key={stage.key}
              status={status}
              stage={stage}
              estimate={estimate.data?.stages.find((each) => each.stage === stage.key)}
            />
          ))}
        </table>
        <Legend />
      </Scroll>
    </section>
  );
}

function stageCost(spent: Sum): string {
  const words = spentWords(spent);
  return words === "unknown" ? "cost unknown" : words;
}

function StageRows({
  status,
  stage,
  estimate,
}: {
  readonly status: Status;
  readonly stage: Stage;
  readonly estimate:
    | { readonly calls: number; readonly costMicroUsd?: number | undefined }
    | undefined;
}) {
  const spent = sumOf(status.spent.filter((each) => each.stage === stage.key));
  return (
    <tbody data-state={stage.state}>
      <tr className="dx-stage">
        <th scope="rowgroup" colSpan={status.slots.length + 1}>
          <span className="row">
            <Glyph state={stageGlyph(stage, status)} />
            <span className="b">{stage.title}</span>
            <span className="mono micro muted">{stage.key}</span>
            <span className="micro muted num end">
              {spent.calls > 0
                ? `${plural(spent.calls, "call")}, ${brief(spent.inputTokens + spent.outputTokens)} tokens, ${stageCost(spent)}`
                : estimate !== undefined &&
                  `${plural(estimate.calls, "call")}, ${aboutWords(estimate.costMicroUsd)}`}
            </span>
          </span>
        </th>
        <td className="r num small">
          {stage.done}/{stage.total}
        </td>
      </tr>
      {stage.steps.map((step) => (
        <StepRow key={step.key} status={status} stage={stage} step={step} />
      ))}
    </tbody>
  );
}

function stageGlyph(stage: Stage, { state, status }: Status) {
  const cells = stage.steps.flatMap((step) => step.cells);
  if (cells.some((cell) => cell.state === "held")) return "hold";
  if (cells.some((cell) => cell.state === "working" || cell.state === "queued")) return "run";
  if (cells.some((cell) => cell.state === "stale")) return "stale";
  if (stage.done === stage.total)
    return stage.state === "current" && state === "waiting" && status !== "finished"
      ? "wait"
      : "ok";
  return "todo";
}

function StepRow({
  status,
  stage,
  step,
}: {
  readonly status: Status;
  readonly stage: Stage;
  readonly step: Step;
}) {
  const isPlain = step.cells.every(({ lineage }) => lineage === null);
  return (
    <tr>
      <th scope="row">
        <span className={step.outputType === "HeaderContext" ? "muted cut" : "cut"}>
          {step.title}
        </span>
      </th>
      {status.slots.map(({ n }) => (
        <td key={n}>
          <span className={isPlain ? "dx-cells one" : "dx-cells"}>
            {step.cells
              .filter(({ slot }) => slot === n)
              .map((cell) => (
                <MatrixCell
                  key={cell.place}
                  runId={status.runId}
                  name={nameOfCell(stage, step, cell)}
                  label={`${step.title}, ${placeWords(cell)}, ${modelOf(status, cell.slot)}: ${cellWords(cell)}`}
                  cell={cell}
                />
              ))}
          </span>
        </td>
      ))}
      <td className="r num small muted">
        {step.done}/{step.total}
      </td>
    </tr>
  );
}

function MatrixCell({
  runId,
  name,
  label,
  cell,
}: {
  readonly runId: string;
  readonly name: string;
  readonly label: string;
  readonly cell: Cell;
}) {
  const { lineage, version = 1, isEdited = false, isRevised = false } = cell;
  const tone = cellState(cell.state);
  return (
    <a
      className={`dx-cell ${tone}`}
      href={documentAddress(runId, name)}
      title={label}
      data-state={cell.state}
      data-mark={isEdited ? "edited" : isRevised ? "revised" : undefined}
    >
      <span className="sr">{version > 1 ? `${label}, version ${version}` : label}</span>
      <span className="dx-n only-n" aria-hidden="true">
        {cell.slot}
      </span>
      <Glyph state={tone} />
      {lineage === null ? (
        <span className="w" aria-hidden="true">
          {cellWords(cell)}
        </span>
      ) : (
        <span className="m" aria-hidden="true">
          {placeMark(cell)}
        </span>
      )}
      {isEdited && <Icon name="edit" small />}
      {version > 1 && !isEdited && (
        <span className="v" aria-hidden="true">
          v{version}
        </span>
      )}
    </a>
  );
}

const LEGEND = [
  ["todo", "ahead or queued"],
  ["run", "being written"],
  ["ok", "done"],
  ["part", "with gaps"],
  ["stale", "built on what has changed"],
  ["hold", "could not be had"],
] as const;

function Legend() {
  return (
    <ul className="dx-legend micro muted" aria-label="What the marks mean">
      {LEGEND.map(([state, words]) => (
        <li key={state} className="row">
          <Glyph state={state} />
          {words}
        </li>
      ))}
      <li className="row">
        <Icon name="edit" small />
        edited by hand
      </li>
      <li>v2 written again</li>
      <li>B·C on proposal B with review C</li>
    </ul>
  );
}
