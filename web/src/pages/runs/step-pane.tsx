import { type ReactNode, useState } from "react";
import type { Item, Json, Output } from "../../api/operation.ts";
import { performChange } from "../../data/use-change.ts";
import { useList, useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { brief, money, span } from "../../parts/format.ts";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import { exchangeState } from "../../runs/exchange-list.tsx";
import { ReplyText } from "../../runs/reply-text.tsx";
import type { OutlineStep } from "../../runs/step-outline.tsx";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";

type Run = Output<"run.show">["run"];
type Exchange = Item<"exchange.list">;
type View = "reply" | "prompt" | "output" | "input";
type Waits = Output<"run.show">["waits"];

/** Everything about one step: its calls one by one, what each cost, what came back, what was kept. */
export function StepPane({
  run,
  step,
  waits = [],
  onClose,
}: {
  readonly run: Run;
  readonly step: OutlineStep;
  /** What the run waits for; the one of this step is pointed at. */
  readonly waits?: Waits;
  readonly onClose: () => void;
}) {
  const everyMs = run.state === "running" ? 2000 : undefined;
  const { items: exchanges } = useList(
    "exchange.list",
    { runId: run.id, step: step.id, limit: 200 },
    { everyMs },
  );
  const [chosenId, choose] = useState<string>();
  const [view, setView] = useState<View>("reply");
  const chosen = exchanges.find(({ id }) => id === chosenId) ?? exchanges.at(-1);
  const task = useOperation(
    "task.show",
    step.taskId === undefined ? undefined : { taskId: step.taskId },
  ).data;
  const tabs = [
    { name: "reply" as const, label: "Reply" },
    { name: "prompt" as const, label: "Prompt" },
    { name: "output" as const, label: "Output" },
    { name: "input" as const, label: "Input" },
  ];
  return (
    <>
      <header>
        <span className="goback">
          <Button kind="quiet" icon="back" name="Back to the steps" onPress={onClose} />
        </span>
        {step.id !== step.name && <span className="mono faint">{step.id}</span>}
        <h2 className="cut">
          <Words text={step.name} />
        </h2>
        <Chip state={stateOf(step.status)}>{statusWords(step.status)}</Chip>
        {step.taskId !== undefined && (
          <span className="end">
            <Reference noun="task" id={step.taskId} />
          </span>
        )}
      </header>
      {exchanges.length > 1 && <Cells exchanges={exchanges} chosen={chosen} onChoose={choose} />}
      {chosen !== undefined && (
        <Facts
          exchange={chosen}
          confidence={task?.task.confidence}
          agent={task?.task.assigneeName}
        />
      )}
      <Tabs
        label="About this step"
        tabs={tabs}
        chosen={view}
        onChoose={setView}
        end={
          chosen !== undefined && (
            <a className="link" href={`/prompts/${chosen.id}`}>
              Inspect the prompt
            </a>
          )
        }
      />
      <Scroll className="scroll step-body" label="About this step">
        <StepView
          view={view}
          exchange={chosen}
          task={task?.task}
          reason={step.reason}
          status={step.status}
          wait={waits.find(({ title }) => title.includes(step.name)) ?? waits[0]}
        />
      </Scroll>
      <StepActions run={run} step={step} />
    </>
  );
}

function Cells({
  exchanges,
  chosen,
  onChoose,
}: {
  readonly exchanges: readonly Exchange[];
  readonly chosen: Exchange | undefined;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <div className="cells-box">
      <div className="row small">
        <span className="b">
          {chosen?.item === undefined ? "Call" : `Item ${Number(chosen.item) + 1 || chosen.item}`}
        </span>
        <span className="faint end num">{exchanges.length} calls</span>
      </div>
      <div className="cells" role="group" aria-label="Calls of this step">
        {exchanges.map((exchange, n) => (
          <button
            key={exchange.id}
            type="button"
            className={[exchangeState(exchange), exchange === chosen ? "on" : ""].join(" ")}
            aria-pressed={exchange === chosen}
            aria-label={`Call ${n + 1}, ${exchange.item === undefined ? "" : `item ${exchange.item}, `}${exchange.outcome}`}
            onClick={() => onChoose(exchange.id)}
          >
            <Glyph state={exchangeState(exchange)} />
          </button>
        ))}
      </div>
    </div>
  );
}

function Facts({
  exchange,
  confidence,
  agent,
}: {
  readonly exchange: Exchange;
  readonly confidence: number | undefined;
  readonly agent: string | undefined;
}) {
  const {
    costMicroUsd,
    inputTokens,
    cachedTokens,
    outputTokens,
    createdAt,
    finishedAt,
    model,
    attempt,
  } = exchange;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Cost", costMicroUsd === undefined ? "unknown" : money(costMicroUsd)],
    [
      "Tokens in",
      inputTokens === undefined ? (
        "–"
      ) : (
        <>
          {brief(inputTokens)}{" "}
          {cachedTokens !== undefined && cachedTokens > 0 && (
            <small>{brief(cachedTokens)} cached</small>
          )}
        </>
      ),
    ],
    ["Tokens out", outputTokens === undefined ? "–" : brief(outputTokens)],
    ["Took", finishedAt === undefined ? "arriving" : span(finishedAt - createdAt)],
    ["Model", model.split("/").at(-1) ?? model],
    ["Agent", agent ?? "–"],
    ["Attempt", String(attempt)],
    ["Confidence", confidence === undefined ? "–" : confidence.toFixed(2)],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function StepView({
  view,
  exchange,
  task,
  reason,
  status,
  wait,
}: {
  readonly view: View;
  readonly exchange: Exchange | undefined;
  readonly task: Output<"task.show">["task"] | undefined;
  readonly reason: string | undefined;
  readonly status: string;
  readonly wait: Waits[number] | undefined;
}) {
  const isAsked = wait !== undefined && (status === "waiting" || status === "on_hold");
  if (view === "reply")
    return (
      <>
        {isAsked && <Asked wait={wait} reason={status === "on_hold" ? reason : undefined} />}
        {exchange !== undefined && <ReplyText exchange={exchange} />}
        {exchange === undefined && !isAsked && (
          <p className="muted">
            {reason === undefined ? "No model was asked here." : <Words text={reason} />}
          </p>
        )}
      </>
    );
  if (view === "prompt") return <SentPrompt exchange={exchange} />;
  const value: Json | undefined = view === "output" ? task?.output : task?.input;
  if (value === undefined) return <p className="muted">Nothing is kept here.</p>;
  return <JsonView value={value} />;
}

function Asked({
  wait: { id, title },
  reason,
}: {
  readonly wait: Waits[number];
  readonly reason: string | undefined;
}) {
  return (
    <div className={`note ${reason === undefined ? "wait" : "hold"} asked`}>
      <Glyph state={reason === undefined ? "wait" : "hold"} />
      <div className="grow">
        <b className="b">
          <Words text={reason ?? title} />
        </b>
        <div className="small">A person is asked; the answer lets the run go on.</div>
      </div>
      <a className="btn sm" href={`/inbox/${id}`}>
        Answer
      </a>
    </div>
  );
}

/** Its words; where each came from is for the inspector. */
function SentPrompt({ exchange }: { readonly exchange: Exchange | undefined }) {
  const { data } = useOperation(
    "exchange.show",
    exchange === undefined ? undefined : { exchangeId: exchange.id },
  );
  if (exchange === undefined) return <p className="muted">No model was asked here.</p>;
  return (data?.messages ?? []).map(({ role, text }, n) => (
    // oxlint-disable-next-line no-array-index-key -- messages stay in their order
    <section key={n} className="sent">
      <h3 className="lbl">{role}</h3>
      <div className="code reply">
        <Words text={text} />
      </div>
    </section>
  ));
}

/** Again, in spite of how it went: what came before is reused. */
function StepActions({ run, step }: { readonly run: Run; readonly step: OutlineStep }) {
  const mayRun = useMay("run");
  if (!mayRun || run.method !== "pipeline" || step.taskId === undefined) return null;
  const isStuck = step.status === "on_hold" || step.status === "failed";
  const retry = () => {
    performChange("step.retry", { target: step.taskId ?? "" })
      .then(() => toast(`Trying “${step.name}” again`))
      .catch(reportProblem);
  };
  const rerun = () => {
    performChange("step.rerun", { runId: run.id, step: step.id })
      .then(() => toast(`Running again from “${step.name}”`))
      .catch(reportProblem);
  };
  return (
    <div className="row step-acts">
      {isStuck && (
        <Button size="small" icon="retry" onPress={retry}>
          Retry step
        </Button>
      )}
      <Button size="small" kind={isStuck ? "quiet" : "default"} icon="retry" onPress={rerun}>
        Rerun from here
      </Button>
      <span className="faint micro end">with what it was given before</span>
    </div>
  );
}
