import { useState } from "react";
import type { Output } from "../../api/operation.ts";
import { performChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { navigate } from "../../router/place.ts";
import { type Command, useCommands } from "../../shell/commands.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { workflowOf } from "./run-workflow.ts";

type Run = Output<"run.show">["run"];

const GOING = ["queued", "running", "waiting"];
const OVER = ["completed", "failed", "cancelled"];

/** Pause, go on, try again, cancel: what its state allows. */
export function RunControls({ run }: { readonly run: Run }) {
  const [isCancelling, setCancelling] = useState(false);
  const mayRun = useMay("run");
  const { id: runId, state, heldJobs } = run;
  const steer = (verb: "run.pause" | "run.resume" | "run.retry", told: string) => {
    performChange(verb, { runId })
      .then(() => toast(told))
      .catch(reportProblem);
  };
  const isGoing = GOING.includes(state);
  const isOver = OVER.includes(state);
  const pause = () => steer("run.pause", "Paused: what is under way finishes, nothing new starts");
  const resume = () => steer("run.resume", "It goes on");
  const retry = () => steer("run.retry", "What was held tries again");
  const commands: Command[] = [
    ...(isGoing ? [{ label: "Pause the run", keys: "p", icon: "pause" as const, run: pause }] : []),
    ...(state === "paused"
      ? [{ label: "Resume the run", keys: "p", icon: "play" as const, run: resume }]
      : []),
    ...(isOver
      ? []
      : [{ label: "Cancel the run", icon: "cross" as const, run: () => setCancelling(true) }]),
  ];
  useCommands("This run", mayRun ? commands : []);
  if (!mayRun) return null;
  return (
    <>
      {isGoing && (
        <Button icon="pause" keys="p" onPress={pause}>
          Pause
        </Button>
      )}
      {(state === "paused" || state === "held") && (
        <Button icon="play" keys={state === "paused" ? "p" : undefined} onPress={resume}>
          Resume
        </Button>
      )}
      {heldJobs > 0 && (
        <Button icon="retry" onPress={retry}>
          Retry
        </Button>
      )}
      {!isOver && (
        <Button kind="danger" onPress={() => setCancelling(true)}>
          Cancel
        </Button>
      )}
      <MoreMenu run={run} isOver={isOver} />
      {isCancelling && <CancelSheet run={run} onClose={() => setCancelling(false)} />}
    </>
  );
}

/** The same work once more, from the beginning. */
function again(run: Run): void {
  const workflow = workflowOf(run);
  if (workflow === undefined) return;
  performChange("workflow.run", {
    workflow: workflow.workflowId,
    version: workflow.version,
    input: workflow.input,
    project: run.projectId,
  })
    .then(({ runId }) => {
      toast("Started again with the same input");
      navigate(`/runs/${runId}`);
    })
    .catch(reportProblem);
}

function MoreMenu({ run, isOver }: { readonly run: Run; readonly isOver: boolean }) {
  const archive = () => {
    performChange("run.archive", { runId: run.id })
      .then(() => {
        const undo = () =>
          void performChange("run.restore", { runId: run.id }).catch(reportProblem);
        toast("Archived: lists leave it out", { undo });
        navigate("/runs");
      })
      .catch(reportProblem);
  };
  if (!isOver && workflowOf(run) === undefined) return null;
  return (
    <Menu label="More" className="btn icon" button={<Icon name="dots" small />}>
      {(close) => (
        <>
          {workflowOf(run) !== undefined && (
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                again(run);
              }}
            >
              <Icon name="play" small />
              Run again with the same input
            </button>
          )}
          {isOver && (
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                archive();
              }}
            >
              <Icon name="file" small />
              Archive
            </button>
          )}
        </>
      )}
    </Menu>
  );
}

function CancelSheet({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const cancel = () => {
    onClose();
    performChange("run.cancel", { runId: run.id })
      .then(() => toast("Cancelled"))
      .catch(reportProblem);
  };
  return (
    <Sheet
      title="Cancel this run?"
      onClose={onClose}
      footer={
        <>
          <Button kind="danger" onPress={cancel}>
            Cancel the run
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Let it be
          </Button>
        </>
      }
    >
      <p>
        “{run.title}” ends for good, with everything it still owns: open work, timers, questions,
        runs below it. What it made so far stays.
      </p>
    </Sheet>
  );
}
