/** Pause, go on, try again, cancel: what its state allows. */

import { useState } from "react";
import { performChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { type Command, useCommands } from "../../shell/commands.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { allCells, type Status } from "./dialectic-words.ts";

const GOING = ["queued", "running", "waiting"];
const OVER = ["completed", "failed", "cancelled"];

export function SessionControls({ status }: { readonly status: Status }) {
  const [isCancelling, setCancelling] = useState(false);
  const mayRun = useMay("run");
  const { runId: session, state } = status;
  const steer = (
    verb: "dialectic.pause" | "dialectic.resume" | "dialectic.retry" | "dialectic.cancel",
    told: string,
  ) => {
    performChange(verb, { session })
      .then(() => toast(told))
      .catch(reportProblem);
  };
  const isGoing = GOING.includes(state);
  const isOver = OVER.includes(state);
  const held = allCells(status).filter(({ cell }) => cell.state === "held").length;
  const pause = () =>
    steer("dialectic.pause", "Paused: what is being written finishes, nothing new starts");
  const resume = () => steer("dialectic.resume", "It goes on");
  const retry = () => steer("dialectic.retry", "What was held tries again");
  const commands: Command[] = [
    ...(isGoing
      ? [{ label: "Pause the dialectic", keys: "p", icon: "pause" as const, run: pause }]
      : []),
    ...(state === "paused"
      ? [{ label: "Resume the dialectic", keys: "p", icon: "play" as const, run: resume }]
      : []),
    ...(held > 0 ? [{ label: "Retry what is held", icon: "retry" as const, run: retry }] : []),
    ...(isOver
      ? []
      : [
          { label: "Cancel the dialectic", icon: "cross" as const, run: () => setCancelling(true) },
        ]),
  ];
  useCommands("This dialectic", mayRun ? commands : []);
  if (!mayRun) return null;
  return (
    <>
      {isGoing && (
        <Button icon="pause" keys="p" onPress={pause}>
          Pause
        </Button>
      )}
      {state === "paused" && (
        <Button icon="play" keys="p" onPress={resume}>
          Resume
        </Button>
      )}
      {held > 0 && (
        <Button icon="retry" onPress={retry}>
          Retry {held}
        </Button>
      )}
      {!isOver && (
        <Button kind="danger" onPress={() => setCancelling(true)}>
          Cancel
        </Button>
      )}
      {isCancelling && (
        <Sheet
          title="Cancel this dialectic?"
          onClose={() => setCancelling(false)}
          footer={
            <>
              <Button
                kind="danger"
                onPress={() => {
                  setCancelling(false);
                  steer("dialectic.cancel", "Cancelled: its documents stay");
                }}
              >
                Cancel the dialectic
              </Button>
              <Button kind="quiet" onPress={() => setCancelling(false)}>
                Let it be
              </Button>
            </>
          }
        >
          <p>
            “{status.title}” ends for good. What it has written stays and can be read and exported.
          </p>
        </Sheet>
      )}
    </>
  );
}
