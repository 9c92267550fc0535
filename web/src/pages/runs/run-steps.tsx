/** The steps of a run beside the one that is chosen: what it was asked, what it said, what it made. */

import { EmptyState } from "../../parts/empty-state.tsx";
import { useQueryField } from "../../router/place.ts";
import { StepOutline, useSteps } from "../../runs/step-outline.tsx";
import { ChildRuns } from "./child-runs.tsx";
import type { RunTabProps } from "./run-view.tsx";
import { StepPane } from "./step-pane.tsx";

export function RunSteps({ detail }: RunTabProps) {
  const { run } = detail;
  const [asked, choose] = useQueryField("step");
  const { steps = [] } = useSteps(run.id);
  const chosen = steps.find(({ id }) => id === asked) ?? newest(steps);
  return (
    <div className="split run-steps" data-shows={asked === undefined ? "list" : "detail"}>
      <div className="pane grow">
        <div className="scroll">
          <StepOutline runId={run.id} chosen={chosen?.id} onChoose={({ id }) => choose(id)} />
          <ChildRuns detail={detail} />
        </div>
      </div>
      <aside className="pane step-pane" aria-label="Chosen step">
        {chosen === undefined ? (
          <EmptyState title="Nothing has begun yet">
            What a step asks and makes is shown here.
          </EmptyState>
        ) : (
          <StepPane
            key={chosen.id}
            run={run}
            step={chosen}
            waits={detail.waits}
            onClose={() => choose(undefined)}
          />
        )}
      </aside>
    </div>
  );
}

/** What people want to see first: what is under way or stands still, else the last one that was reached. */
function newest<Step extends { readonly status: string }>(
  steps: readonly Step[],
): Step | undefined {
  const urgent = ["on_hold", "held", "failed", "waiting", "in_progress", "running"];
  return (
    steps.find(({ status }) => urgent.includes(status)) ??
    steps.findLast(({ status }) => status !== "pending" && status !== "cancelled") ??
    steps[0]
  );
}
