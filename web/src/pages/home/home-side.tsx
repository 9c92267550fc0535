import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { brief, money, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Reference, Source } from "../../parts/reference.tsx";
import { stateOf } from "../../parts/state.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useProjectId } from "../../shell/current-project.ts";

type Status = Output<"workspace.show">;

export function HomeSide({ status }: { readonly status: Status }) {
  return (
    <aside className="r">
      <Spend status={status} />
      <hr />
      <OpenSession />
      <YouAreOn status={status} />
      <LatelySettled />
    </aside>
  );
}

const DAYS = 14;

function Spend({ status: { spend } }: { readonly status: Status }) {
  const { data, isFirst } = useOperation("budget.days", { days: DAYS });
  const days = data?.items ?? [];
  const total = days.reduce((sum, { microUsd }) => sum + microUsd, 0);
  const today = days.at(-1);
  const { limitMicroUsd } = spend;
  return (
    <section aria-busy={isFirst}>
      <div className="row">
        <h2 className="lbl">Spend</h2>
        <span className="end small muted num">
          {limitMicroUsd === null ? "no daily limit" : `limit ${money(limitMicroUsd)} a day`}
        </span>
      </div>
      <div className="row num spent">
        <span className="big">{money(spend.microUsd)}</span>
        <span className="muted small">
          today, {money(total)} in {DAYS} days
        </span>
      </div>
      <SpendChart days={days} limit={limitMicroUsd} />
      <dl className="kv">
        <dt>Calls today</dt>
        <dd>{today === undefined ? "–" : today.turns}</dd>
        <dt>Tokens today</dt>
        <dd>{today === undefined ? "–" : brief(today.tokens)}</dd>
      </dl>
    </section>
  );
}

type Day = Output<"budget.days">["items"][number];

const WIDTH = 300;
const HEIGHT = 60;

/** Days by what they cost; where nothing costs anything, by how many tokens went through. */
function SpendChart({
  days,
  limit,
}: {
  readonly days: readonly Day[];
  readonly limit: number | null;
}) {
  const isMoney = days.some(({ microUsd }) => microUsd > 0);
  const amount = (day: Day) => (isMoney ? day.microUsd : day.tokens);
  const most = Math.max(1, ...days.map(amount), isMoney ? (limit ?? 0) : 0);
  const step = WIDTH / DAYS;
  const label = isMoney ? "Spend per day" : "Tokens per day";
  return (
    <>
      <svg
        className="spend-chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 4}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}, last ${DAYS} days`}
      >
        {isMoney && limit !== null && limit > 0 && (
          <line
            x1="0"
            x2={WIDTH}
            y1={HEIGHT * (1 - limit / most) + 4}
            y2={HEIGHT * (1 - limit / most) + 4}
          />
        )}
        {days.map((day, n) => {
          const height = Math.max(1, (HEIGHT - 4) * (amount(day) / most));
          return (
            <rect
              key={day.day}
              className={n === days.length - 1 ? "today" : undefined}
              x={n * step + 1}
              y={HEIGHT - height}
              width={step - 6}
              height={height}
              rx="1.5"
            >
              <title>{`${day.day}: ${money(day.microUsd)}, ${brief(day.tokens)} tokens`}</title>
            </rect>
          );
        })}
      </svg>
      {!isMoney && days.length > 0 && (
        <p className="small muted">Tokens a day; they cost nothing.</p>
      )}
    </>
  );
}

/** The trail that is being left right now, and where it is finished. */
function OpenSession() {
  const project = useProjectId();
  const open = useOperation("session.list", { project, state: ["open"], limit: 1 }).data?.items[0];
  if (open === undefined) return null;
  const { id, title, intents, vcs } = open;
  return (
    <>
      <section className="side-list">
        <h2 className="lbl">Open session</h2>
        <div className="row small at-top">
          <Glyph state="run" />
          <div>
            <a className="link" href={`/sessions/${id}`}>
              <Words text={title} />
            </a>
            <div className="muted">
              {plural(intents, "intent")} in {vcs}, one commit when it is finished
            </div>
          </div>
        </div>
      </section>
      <hr />
    </>
  );
}

function YouAreOn({ status: { tasks } }: { readonly status: Status }) {
  if (tasks.length === 0) return null;
  return (
    <>
      <section className="side-list">
        <h2 className="lbl">You are on</h2>
        {tasks.map(({ id, title, status }) => (
          <div key={id} className="row small">
            <Glyph state={stateOf(status)} />
            <Reference noun="task" id={id}>
              <Words text={title} />
            </Reference>
          </div>
        ))}
      </section>
      <hr />
    </>
  );
}

const FEW = 3;

function LatelySettled() {
  const project = useProjectId();
  const decisions = useOperation("decision.list", { project, limit: FEW }).data?.items ?? [];
  const closed =
    useOperation("task.list", { project, status: ["completed"], closed: true, limit: 30 }).data
      ?.items ?? [];
  const own = closed.filter(({ runId }) => runId === undefined).slice(0, FEW);
  if (decisions.length + own.length === 0) return null;
  return (
    <section className="side-list">
      <h2 className="lbl">Lately settled</h2>
      {decisions.map(({ id, title, createdAt, supersedesId }) => (
        <div key={id} className="row small at-top">
          <Source kind="decision" />
          <div>
            <Reference noun="decision" id={id}>
              <Words text={title} />
            </Reference>
            <div className="muted">
              <Ago at={createdAt} />
              {supersedesId !== undefined && ", replaces an earlier one"}
            </div>
          </div>
        </div>
      ))}
      {own.map(({ id, title, updatedAt }) => (
        <div key={id} className="row small at-top">
          <Source kind="task" />
          <div>
            <Reference noun="task" id={id}>
              <Words text={title} />
            </Reference>
            <div className="muted">
              closed <Ago at={updatedAt} />
            </div>
          </div>
        </div>
      ))}
    </section>
  );
}
