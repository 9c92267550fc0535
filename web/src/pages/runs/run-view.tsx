/** One run: where it stands, what it asked, what it left, and the ways to steer it. */

import type { ReactNode } from "react";
import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { count, money, plural } from "../../parts/format.ts";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { Lasting } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { EventList } from "../../runs/event-list.tsx";
import { ExchangeList } from "../../runs/exchange-list.tsx";
import { useLiveState } from "../../shell/live-state.ts";
import { RunArtifacts } from "./run-artifacts.tsx";
import { RunCompare } from "./run-compare.tsx";
import { RunControls } from "./run-controls.tsx";
import { RunGraph, RunTimeline } from "./run-graph.tsx";
import { RunResult } from "./run-result.tsx";
import { RunSteps } from "./run-steps.tsx";
import { workflowOf } from "./run-workflow.ts";

type Detail = Output<"run.show">;

export interface RunTabProps {
  readonly detail: Detail;
}

interface RunTab {
  readonly name: string;
  readonly label: string;
  readonly count?: (detail: Detail) => number;
  /** Runs of workflows have a drawing; others have not. */
  readonly isFor?: (detail: Detail) => boolean;
  readonly view: (props: RunTabProps) => ReactNode;
}

/** The views of a run, in order; the first is shown when the address names none. */
const RUN_TABS: readonly RunTab[] = [
  { name: "graph", label: "Graph", isFor: isOfWorkflow, view: RunGraph },
  { name: "timeline", label: "Timeline", isFor: isOfWorkflow, view: RunTimeline },
  { name: "steps", label: "Steps", view: RunSteps },
  {
    name: "prompts",
    label: "Prompts",
    count: ({ exchanges }) => exchanges,
    view: ({ detail }) => (
      <div className="pane grow">
        <div className="scroll">
          <ExchangeList runId={detail.run.id} isLive={detail.run.state === "running"} />
        </div>
      </div>
    ),
  },
  {
    name: "artifacts",
    label: "Artifacts",
    count: ({ artifacts }) => artifacts,
    view: RunArtifacts,
  },
  {
    name: "events",
    label: "Events",
    view: ({ detail }) => (
      <div className="pane grow">
        <Scroll label="Events">
          <EventList runId={detail.run.id} />
        </Scroll>
      </div>
    ),
  },
  { name: "result", label: "Result", view: RunResult },
  { name: "compare", label: "Compare", isFor: isOfWorkflow, view: RunCompare },
];

function isOfWorkflow({ run }: Detail): boolean {
  return run.method === "pipeline";
}

export function RunView({ id, tab }: { readonly id: string; readonly tab: string | undefined }) {
  const { data, problem, refresh } = useOperation("run.show", { runId: id });
  if (data === undefined)
    return (
      <PageToCome problem={problem} onRetry={refresh} back={{ title: "Runs", path: "/runs" }} />
    );
  const tabs = RUN_TABS.filter(({ isFor }) => isFor?.(data) ?? true);
  const shown = tabs.find(({ name }) => name === tab) ?? tabs[0];
  if (shown === undefined) return null;
  const View = shown.view;
  return (
    <>
      <RunHead detail={data} />
      <Reason detail={data} />
      <Tabs
        label="Views of this run"
        tabs={tabs.map(({ name, label, count: amount }) => {
          return { name, label, count: amount?.(data) || undefined };
        })}
        chosen={shown.name}
        onChoose={(name) => navigate(`/runs/${id}/${name}`, { replace: true })}
        end={
          <>
            <Live />
            <OfWorkflow detail={data} />
          </>
        }
      />
      <View detail={data} />
    </>
  );
}

function RunHead({ detail }: { readonly detail: Detail }) {
  const { run, waits, childRuns } = detail;
  return (
    <div className="head">
      <a className="crumb" href="/runs">
        Runs
      </a>
      <span className="faint">/</span>
      <h1 className="cut">
        <Words text={run.title} />
      </h1>
      <Reference noun="run" id={run.id} />
      <Chip state={stateOf(run.state)}>{statusWords(run.state)}</Chip>
      {waits.length > 0 && (
        <a href={`/inbox/${waits[0]?.id ?? ""}`}>
          <Chip state="wait">
            {run.openWaits === 1 ? "1 waits for an answer" : `${run.openWaits} wait for answers`}
          </Chip>
        </a>
      )}
      {run.parentRunId !== undefined && (
        <a className="small link wide" href={`/runs/${run.parentRunId}`}>
          part of another run
        </a>
      )}
      {childRuns > 0 && (
        <span className="small muted wide">{plural(childRuns, "run")} below it</span>
      )}
      <span className="end row">
        <span className="small muted num wide run-numbers">
          <Numbers run={run} />
        </span>
        <RunControls run={run} />
      </span>
    </div>
  );
}

function Numbers({ run }: { readonly run: Detail["run"] }) {
  const { startedAt, finishedAt, costMicroUsd, hasUnknownCost, limits, turns } = run;
  const limit = limits.costMicroUsd === undefined ? "" : ` of ${money(limits.costMicroUsd)}`;
  return (
    <>
      {startedAt !== undefined && (
        <>
          <Lasting from={startedAt} to={finishedAt} />,{" "}
        </>
      )}
      {plural(turns, "call")}, <span className="strong">{money(costMicroUsd)}</span>
      {hasUnknownCost && " and unknown"}
      {limit}
      <span className="sr">, {count(run.jobs)} jobs</span>
    </>
  );
}

/** Why it stands still, or ended badly. */
function Reason({ detail: { run } }: { readonly detail: Detail }) {
  if (run.reason === undefined) return null;
  const state = stateOf(run.state);
  return (
    <div className={`note run-reason ${state}`}>
      <Glyph state={state} />
      <div>
        <b className="b">
          <Words text={run.reason.message} />
        </b>{" "}
        {run.reason.hint}
      </div>
    </div>
  );
}

function OfWorkflow({ detail: { run } }: { readonly detail: Detail }) {
  const workflow = workflowOf(run);
  if (workflow === undefined) return null;
  return (
    <a className="hide-n" href={`/workflows/${workflow.workflowId}`}>
      workflow, version {workflow.version}
    </a>
  );
}

function Live() {
  const state = useLiveState();
  return (
    <span className={state === "live" ? "run row" : "faint row"}>
      <i className="dot" />
      {state === "live" ? "Live" : "Not live"}
    </span>
  );
}
