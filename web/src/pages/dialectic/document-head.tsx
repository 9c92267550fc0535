/** What it is and how it stands; what can be done with all of it. */

import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import {
  allCells,
  cellState,
  cellWords,
  documentAddress,
  modelOf,
  nameOfCell,
  type Placed,
  placeWords,
  sessionAddress,
  type ShownDocument,
  type Status,
} from "./dialectic-words.ts";

export function DocumentHead({
  status,
  placed,
  document,
}: {
  readonly status: Status;
  readonly placed: Placed;
  readonly document: ShownDocument | undefined;
}) {
  const mayRun = useMay("run");
  const { run, isBusy, problem } = useChange("dialectic.revise");
  const { stage, step, cell } = placed;
  const { runId } = status;
  const open = document?.feedback.filter(({ state }) => state === "open").length ?? 0;
  const isBeingWritten = cell.state === "working" || cell.state === "queued";
  const cells = allCells(status);
  const at = cells.findIndex((each) => each.cell === cell);
  const go = (by: number) => {
    const next = cells[at + by];
    if (next !== undefined)
      navigate(documentAddress(runId, nameOfCell(next.stage, next.step, next.cell)));
  };
  useCommands("This document", [
    { label: "Next document", keys: "j", icon: "down", run: () => go(1) },
    { label: "Document before", keys: "k", icon: "back", run: () => go(-1) },
    {
      label: "Back to all documents",
      keys: "u",
      icon: "dialectic",
      run: () => navigate(sessionAddress(runId)),
    },
  ]);
  const revise = async () => {
    if (document === undefined) return;
    const done = await run({ document: document.place, session: runId });
    if (done !== undefined) toast(`Being revised from ${plural(open, "remark")}`);
  };
  return (
    <>
      <div className="head dx-head">
        <a className="crumb hide-n" href="/dialectic">
          Dialectic
        </a>
        <span className="faint hide-n">/</span>
        <a className="crumb cut" href={sessionAddress(runId)}>
          <Words text={status.title} />
        </a>
        <span className="faint">/</span>
        <h1 className="cut">{step.title}</h1>
        <Chip state={cellState(cell.state)}>{cellWords(cell)}</Chip>
        <span className="small muted cut wide">
          {stage.title}, {placeWords(cell)},{" "}
          <span className="mono">{modelOf(status, cell.slot)}</span>
        </span>
        {mayRun && document !== undefined && (
          <span className="end row">
            <Button
              kind={open > 0 ? "primary" : "default"}
              icon="edit"
              isBusy={isBusy}
              isDisabled={open === 0 || isBeingWritten}
              effect={open > 0 ? `from ${plural(open, "remark")}` : "needs a remark first"}
              onPress={() => void revise()}
            >
              Revise
            </Button>
          </span>
        )}
      </div>
      <ProblemNote problem={problem} />
    </>
  );
}
