/** What happens next, and what it will take: the way on, what is stale, what is held, what is being written. */

import { useOperation } from "../../data/use-operation.ts";
import { brief, count, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { useMay } from "../../shell/session.ts";
import { spentWords, sumOf } from "./cost-words.ts";
import {
  allCells,
  documentAddress,
  nameOfCell,
  type Placed,
  placeWords,
  sessionAddress,
  type Status,
} from "./dialectic-words.ts";
import { AutoSwitch, WayOn } from "./way-on.tsx";
import { HeldNote } from "./held-note.tsx";
import { StaleNote } from "./stale-note.tsx";

const MOST_SHOWN = 8;

export function NextPane({ status }: { readonly status: Status }) {
  const mayRun = useMay("run");
  const cells = allCells(status);
  const held = cells.filter(({ cell }) => cell.state === "held");
  const estimate = useOperation("dialectic.estimate", { session: status.runId });
  return (
    <aside className="pane dx-next" aria-label="What comes next">
      <Scroll label="What comes next">
        <div className="dx-block">
          <WayOn status={status} estimate={estimate.data} />
        </div>
        {held.map((placed) => (
          <HeldNote key={placed.cell.jobId} status={status} placed={placed} mayRun={mayRun} />
        ))}
        {status.stale > 0 && <StaleNote status={status} />}
        <Writing status={status} cells={cells} />
        {status.openFeedback > 0 && (
          <div className="dx-block">
            <p className="small">
              <a className="link" href={sessionAddress(status.runId, "remarks")}>
                {plural(status.openFeedback, "open remark")}
              </a>{" "}
              <span className="muted">
                {status.openFeedback === 1 ? "reaches" : "reach"} the next stage, or a revision now.
              </span>
            </p>
          </div>
        )}
        <Partial status={status} cells={cells} />
        {mayRun && <AutoSwitch status={status} />}
        <Slots status={status} />
        <div className="dx-block">
          <h2>Asked for</h2>
          <div className="dx-request">
            <Markdown text={status.request} />
          </div>
          <p className="micro muted">
            {status.domainTitle}
            {status.reviewers !== undefined &&
              `, ${plural(status.reviewers, "reviewer")} a proposal`}
          </p>
        </div>
      </Scroll>
    </aside>
  );
}

function Writing({
  status,
  cells,
}: {
  readonly status: Status;
  readonly cells: readonly Placed[];
}) {
  const working = cells.filter(({ cell }) => cell.state === "working");
  const queued = cells.filter(({ cell }) => cell.state === "queued").length;
  if (working.length + queued === 0) return null;
  return (
    <div className="dx-block">
      <h2>
        Being written{" "}
        <span className="muted num">
          {working.length}
          {queued > 0 && `, ${queued} queued`}
        </span>
      </h2>
      <Cells runId={status.runId} state="run" cells={working.slice(0, MOST_SHOWN)} />
      {working.length > MOST_SHOWN && (
        <p className="micro muted">and {working.length - MOST_SHOWN} more</p>
      )}
    </div>
  );
}

function Partial({
  status,
  cells,
}: {
  readonly status: Status;
  readonly cells: readonly Placed[];
}) {
  const partial = cells.filter(({ cell }) => cell.state === "partial");
  if (partial.length === 0) return null;
  return (
    <div className="dx-block">
      <h2>
        With gaps <span className="muted num">{partial.length}</span>
      </h2>
      <Cells runId={status.runId} state="part" cells={partial} />
    </div>
  );
}

function Cells({
  runId,
  state,
  cells,
}: {
  readonly runId: string;
  readonly state: "run" | "part";
  readonly cells: readonly Placed[];
}) {
  return (
    <ul className="dx-list">
      {cells.map(({ stage, step, cell }) => {
        const name = nameOfCell(stage, step, cell);
        return (
          <li key={name}>
            <Glyph state={state} />
            <a className="link cut" href={documentAddress(runId, name)}>
              {step.title}
            </a>
            <span className="micro muted">{placeWords(cell)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Slots({ status }: { readonly status: Status }) {
  return (
    <div className="dx-block dx-late">
      <h2>
        Slots
        <a className="link end small" href={sessionAddress(status.runId, "cost")}>
          Cost by stage
        </a>
      </h2>
      <table className="tbl dx-slots">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col" className="r">
              Calls
            </th>
            <th scope="col" className="r">
              Tokens
            </th>
            <th scope="col" className="r">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {status.slots.map(({ n, model }) => {
            const spent = sumOf(status.spent.filter(({ slot }) => slot === n));
            return (
              <tr key={n}>
                <th scope="row" aria-label={`Slot ${n}, ${model}`}>
                  <span className="row">
                    <span className="who a s" aria-hidden="true">
                      {n}
                    </span>
                    <span className="mono small cut">{model}</span>
                  </span>
                </th>
                <td className="r">{count(spent.calls)}</td>
                <td className="r">{brief(spent.inputTokens + spent.outputTokens)}</td>
                <td className="r">{spentWords(spent)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
