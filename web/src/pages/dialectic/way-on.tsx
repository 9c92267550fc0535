/** The gate between stages, and the other ways on: another iteration, the end, no more asking. */

import { useId, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { brief, count, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import {
  type Cell,
  documentAddress,
  nameOfCell,
  placeWords,
  sessionAddress,
  type Stage,
  type Status,
} from "./dialectic-words.ts";
import { aboutWords } from "./cost-words.ts";
import type { Estimate } from "./estimate-table.tsx";

export function WayOn({
  status,
  estimate,
}: {
  readonly status: Status;
  readonly estimate: Estimate | undefined;
}) {
  const { state, gate, reason, stages } = status;
  const stage = stages.find(({ key }) => key === status.stage);
  if (gate !== undefined && state !== "paused")
    return <Gate status={status} estimate={estimate} stage={stage} />;
  return (
    <>
      <h2>{titleOf(status, stage)}</h2>
      {stage !== undefined && (state === "running" || state === "queued") && (
        <StageProgress stage={stage} />
      )}
      {reason !== undefined && ["held", "failed", "paused"].includes(state) && (
        <p className="small">
          <Words text={reason} />
        </p>
      )}
      {state === "cancelled" && (
        <p className="small muted">Its documents stay, to be read and exported.</p>
      )}
      {state === "completed" && <Finished status={status} />}
    </>
  );
}

function titleOf({ state }: Status, stage: Stage | undefined): string {
  switch (state) {
    case "paused":
      return "Paused: nothing new starts";
    case "held":
      return "Held: something could not be had";
    case "failed":
      return "Ended badly";
    case "cancelled":
      return "Cancelled";
    case "completed":
      return "Finished";
    default:
      return `Writing ${stage?.title ?? "…"}`;
  }
}

function StageProgress({ stage }: { readonly stage: Stage }) {
  const share = stage.total === 0 ? 0 : (100 * stage.done) / stage.total;
  return (
    <div className="dx-progress run">
      <div
        className="prog run"
        role="progressbar"
        aria-label={stage.title}
        aria-valuenow={Math.round(share)}
        aria-valuemin={0}
        aria-valuemax={100}
        style={{ ["--w" as string]: `${share}%` }}
      >
        <i />
      </div>
      <span className="small num">
        {stage.done} of {stage.total}
      </span>
    </div>
  );
}

function Gate({
  status,
  estimate,
  stage,
}: {
  readonly status: Status;
  readonly estimate: Estimate | undefined;
  readonly stage: Stage | undefined;
}) {
  const mayRun = useMay("run");
  const { run, isBusy, problem } = useChange("dialectic.next");
  const [accepts, setAccepts] = useState(false);
  const { runId: session, stages, gate, stale } = status;
  const after = stages[stages.findIndex(({ key }) => key === status.stage) + 1];
  const cost = estimate?.stages.find((each) => each.stage === after?.key);
  const isBlocked = stale > 0 && !accepts;
  const go = async (more: { iterate?: boolean; finish?: boolean; from?: string } = {}) => {
    const done = await run({ session, ...more, acceptStale: accepts });
    if (done !== undefined) toast(done.did);
  };
  return (
    <>
      <h2 className="dx-gate">
        <Glyph state="wait" />
        {after === undefined ? "All stages are done" : `${stage?.title ?? status.stage} is done`}
      </h2>
      <p className="small">
        <Words text={gate?.reason ?? ""} />
      </p>
      {after !== undefined && cost !== undefined && (
        <dl className="dx-cost">
          <div>
            <dt>{after.title}</dt>
            <dd>{plural(cost.calls, "call")}</dd>
          </div>
          <div>
            <dt>Documents</dt>
            <dd>{count(cost.documents)}</dd>
          </div>
          <div>
            <dt>Tokens</dt>
            <dd>≈ {brief(cost.inputTokens + cost.outputTokens)}</dd>
          </div>
          <div>
            <dt>Cost</dt>
            <dd>{cost.costMicroUsd === undefined ? "unknown" : aboutWords(cost.costMicroUsd)}</dd>
          </div>
        </dl>
      )}
      {stale > 0 && mayRun && (
        <label className="check">
          <input
            type="checkbox"
            checked={accepts}
            onChange={({ target }) => setAccepts(target.checked)}
          />
          <i>
            <Icon name="check" small />
          </i>
          <span>
            Take {plural(stale, "stale document")} as {stale === 1 ? "it is" : "they are"}
          </span>
        </label>
      )}
      <ProblemNote problem={problem} />
      {mayRun && (
        <div className="acts">
          {after === undefined ? (
            <Button
              kind="primary"
              icon="check"
              isBusy={isBusy}
              isDisabled={isBlocked}
              effect="the documents stand"
              onPress={() => void go({ finish: true })}
            >
              Finish
            </Button>
          ) : (
            <Button
              kind="primary"
              icon="arrow"
              isBusy={isBusy}
              isDisabled={isBlocked}
              effect={cost && `${plural(cost.calls, "call")}, ${aboutWords(cost.costMicroUsd)}`}
              onPress={() => void go()}
            >
              Go on to {after.title}
            </Button>
          )}
        </div>
      )}
      {mayRun && (
        <details className="dx-more" open={after === undefined}>
          <summary className="small">
            {after === undefined ? "Another iteration" : "Another iteration, or the end"}
          </summary>
          <div className="form">
            <IterateForm status={status} isBusy={isBusy} isBlocked={isBlocked} onGo={go} />
            {after !== undefined && (
              <div>
                <Button
                  size="small"
                  isBusy={isBusy}
                  isDisabled={isBlocked}
                  effect={`without ${after.title}`}
                  onPress={() => void go({ finish: true })}
                >
                  Finish here
                </Button>
              </div>
            )}
          </div>
        </details>
      )}
    </>
  );
}

function Finished({ status }: { readonly status: Status }) {
  const mayRun = useMay("run");
  const { run, isBusy, problem } = useChange("dialectic.next");
  const go = async (more: { iterate?: boolean; from?: string }) => {
    const done = await run({ session: status.runId, ...more });
    if (done !== undefined) toast(done.did);
  };
  const last = status.stages.findLast(({ done }) => done > 0);
  return (
    <>
      {last !== undefined && <Outcome status={status} stage={last} />}
      <p className="small muted">
        Another iteration takes over what stands and answers open remarks.
      </p>
      <ProblemNote problem={problem} />
      {mayRun && <IterateForm status={status} isBusy={isBusy} isBlocked={false} onGo={go} />}
    </>
  );
}

/** What all of it was for: the documents of the stage that was reached last, and the way to take everything home. */
function Outcome({ status, stage }: { readonly status: Status; readonly stage: Stage }) {
  const { runId } = status;
  const documents = stage.steps.filter(({ outputType }) => outputType === "RenderedDocument");
  return (
    <div className="dx-outcome">
      <p className="small">
        It ends with these documents of {stage.title}.{" "}
        <a className="link" href={sessionAddress(runId, "files")}>
          Take all files home
        </a>
      </p>
      <ul className="dx-list">
        {documents.map((step) => (
          <li key={step.key}>
            <span className="cut">{step.title}</span>
            <span className="end row">
              {step.cells
                .filter(isThere)
                .slice(0, MOST_LINKS)
                .map((cell) => (
                  <a
                    key={cell.place}
                    className="link small"
                    aria-label={`${step.title}, ${placeWords(cell)}`}
                    href={documentAddress(runId, nameOfCell(stage, step, cell))}
                  >
                    Slot {cell.slot}
                  </a>
                ))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const MOST_LINKS = 8;

function isThere({ artifactId }: Cell): boolean {
  return artifactId !== undefined;
}

function IterateForm({
  status,
  isBusy,
  isBlocked,
  onGo,
}: {
  readonly status: Status;
  readonly isBusy: boolean;
  readonly isBlocked: boolean;
  readonly onGo: (more: { iterate: boolean; from: string }) => Promise<void>;
}) {
  const [from, setFrom] = useState(status.stages[0]?.key ?? "");
  const id = useId();
  return (
    <div className="dx-iterate">
      <label className="field" htmlFor={id}>
        <span className="lbl">Begins with</span>
        <select
          id={id}
          className="inp"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        >
          {status.stages.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Button
        icon="retry"
        isBusy={isBusy}
        isDisabled={isBlocked}
        onPress={() => void onGo({ iterate: true, from })}
      >
        Begin iteration {status.iteration + 1}
      </Button>
    </div>
  );
}

/** Whether it asks at the end of each stage. */
export function AutoSwitch({ status }: { readonly status: Status }) {
  const { run, isBusy, problem } = useChange("dialectic.run");
  if (["completed", "failed", "cancelled"].includes(status.state)) return null;
  const change = async (auto: boolean) => {
    const done = await run({ session: status.runId, auto });
    if (done !== undefined) toast(done.did);
  };
  return (
    <div className="dx-block">
      <label className="check">
        <input
          type="checkbox"
          checked={status.isAuto}
          disabled={isBusy}
          onChange={({ target }) => void change(target.checked)}
        />
        <i>
          <Icon name="check" small />
        </i>
        <span>
          Go on by itself <span className="muted small">to the last stage, without asking</span>
        </span>
      </label>
      <ProblemNote problem={problem} />
    </div>
  );
}
