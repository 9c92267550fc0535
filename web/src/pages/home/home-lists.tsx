import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { money, plural, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Ago, Lasting } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useSteps } from "../../runs/step-outline.tsx";
import { shortTitle, waitKind } from "../../runs/wait-words.ts";
import { useProjectId } from "../../shell/current-project.ts";

type Status = Output<"workspace.show">;
type Run = Status["runs"]["live"][number];

const FEW = 6;
const DAY_MS = 24 * 60 * 60_000;

/** What needs you, what runs, what went wrong: the newest of each, for the chosen project. */
export function HomeLists({ status }: { readonly status: Status }) {
  const project = useProjectId();
  const isHere = ({ projectId }: Run) => project === undefined || projectId === project;
  const going = status.runs.live.filter((run) => isHere(run) && run.state !== "waiting");
  const held = status.runs.failed.filter((run) => isHere(run) && run.state === "held");
  const failed = status.runs.failed.filter(
    (run) =>
      isHere(run) &&
      run.state === "failed" &&
      status.asOf - (run.finishedAt ?? run.createdAt) < DAY_MS,
  );
  return (
    <>
      <NeedsYou />
      {going.length + held.length > 0 && (
        <section className="sect">
          <div className="sub">
            <h2>Running now</h2>
            <span className="muted small num">{countWords(going, held)}</span>
            <a className="link small end" href="/runs">
              All runs
            </a>
          </div>
          <div className="rows">
            {[...going, ...held].map((run) => (
              <GoingLine key={run.id} run={run} />
            ))}
          </div>
        </section>
      )}
      {failed.length > 0 && (
        <section className="sect">
          <div className="sub">
            <h2>Failed, last 24 hours</h2>
            <span className="muted small num">{failed.length}</span>
          </div>
          <div className="rows">
            {failed.map(({ id, title, reason, finishedAt, createdAt }) => (
              <a key={id} href={`/runs/${id}`}>
                <Glyph state="fail" />
                <span className="b cut shrink">
                  <Words text={title} />
                </span>
                <span className="muted cut grow hide-n">
                  <Words text={reason?.message ?? ""} />
                </span>
                <span className="end small muted num">
                  <Ago at={finishedAt ?? createdAt} />
                </span>
                <span className="btn sm hide-n look">Look</span>
              </a>
            ))}
          </div>
        </section>
      )}
      <Lately />
    </>
  );
}

function countWords(going: readonly Run[], held: readonly Run[]): string {
  return held.length === 0 ? String(going.length) : `${going.length}, ${held.length} held`;
}

function NeedsYou() {
  const project = useProjectId();
  const { data } = useOperation("inbox.list", { project, limit: FEW });
  const entries = data?.items ?? [];
  return (
    <section className="sect" aria-busy={data === undefined}>
      <div className="sub">
        <h2>Needs you</h2>
        <span className="muted small num">{data?.total ?? ""}</span>
        <a className="link small end" href="/inbox">
          Open inbox
        </a>
      </div>
      <div className="rows">
        {entries.map(({ id, kind, title, runTitle, createdAt }) => (
          <a key={id} href={`/inbox/${id}`}>
            <Glyph state={waitKind(kind).isHold ? "hold" : "wait"} />
            <span className="b cut shrink">
              <Words text={shortTitle(title, runTitle)} />
            </span>
            <span className="muted cut grow hide-n">
              {waitKind(kind).label}, <Words text={runTitle} />
            </span>
            <span className="end small muted num">
              <Ago at={createdAt} />
            </span>
            <span className="btn sm hide-n look">
              {waitKind(kind).isHold ? "Decide" : "Answer"}
            </span>
          </a>
        ))}
        {data !== undefined && entries.length === 0 && (
          <div className="muted">Nothing waits for you.</div>
        )}
      </div>
    </section>
  );
}

function GoingLine({ run }: { readonly run: Run }) {
  const { id, title, state, method, reason, startedAt, costMicroUsd } = run;
  const { steps = [] } = useSteps(id);
  const done = steps.filter(({ status }) =>
    ["completed", "failed", "cancelled"].includes(status),
  ).length;
  const now = steps.find(({ status }) => status === "in_progress" || status === "running");
  const tone = stateOf(state);
  return (
    <a href={`/runs/${id}`}>
      <Glyph state={tone} />
      <span className="b cut shrink">
        <Words text={title} />
      </span>
      <span className="muted cut grow hide-n">
        <Words
          text={
            reason?.message ??
            (now === undefined ? `${words(method)}, ${statusWords(state)}` : now.name)
          }
        />
      </span>
      <span className="small muted num hide-n">
        {startedAt !== undefined && state === "running" && <Lasting from={startedAt} />}
      </span>
      {steps.length > 0 && (
        <span
          className={`prog end ${tone}`}
          style={{ "--w": `${(100 * done) / steps.length}%` } as object}
        >
          <i />
        </span>
      )}
      <span className="small num of">{steps.length > 0 && `${done} of ${steps.length}`}</span>
      <span className="small num muted hide-n of">{money(costMicroUsd)}</span>
    </a>
  );
}

/** What ended lately, so that a finished run is not simply gone. */
function Lately() {
  const project = useProjectId();
  const { data } = useOperation("run.list", {
    project,
    state: ["completed", "cancelled"],
    limit: 4,
  });
  const runs = data?.items ?? [];
  if (runs.length === 0) return null;
  return (
    <section className="sect">
      <div className="sub">
        <h2>Done lately</h2>
        <a className="link small end" href="/runs?view=done">
          All that are done
        </a>
      </div>
      <div className="rows">
        {runs.map(
          ({ id, title, state, projectName, turns, costMicroUsd, finishedAt, createdAt }) => (
            <a key={id} href={`/runs/${id}`}>
              <Glyph state={stateOf(state)} />
              <span className="b cut shrink">
                <Words text={title} />
              </span>
              <span className="muted cut grow hide-n">
                <Words text={[projectName, plural(turns, "call")].filter(Boolean).join(", ")} />
              </span>
              <span className="small num muted hide-n of">{money(costMicroUsd)}</span>
              <span className="end small muted num">
                <Ago at={finishedAt ?? createdAt} />
              </span>
            </a>
          ),
        )}
      </div>
    </section>
  );
}
