/** A document that could not be had: why, and another try for this one alone. */

import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { toast } from "../../shell/toasts.tsx";
import {
  documentAddress,
  nameOfCell,
  type Placed,
  placeWords,
  type Status,
} from "./dialectic-words.ts";

export function HeldNote({
  status,
  placed: { stage, step, cell },
  mayRun,
}: {
  readonly status: Status;
  readonly placed: Placed;
  readonly mayRun: boolean;
}) {
  const { run, isBusy, problem } = useChange("inbox.answer");
  const { waitId, exchangeId, reason } = cell;
  const retry = async () => {
    if (waitId === undefined) return;
    const done = await run({ waitId, choice: "retry" });
    if (done !== undefined) toast(`${step.title} tries again`);
  };
  return (
    <div className="note hold dx-note">
      <Glyph state="hold" />
      <div className="grow form">
        <div>
          <a className="link b" href={documentAddress(status.runId, nameOfCell(stage, step, cell))}>
            {step.title}
          </a>{" "}
          <span className="muted">{placeWords(cell)}</span>
          {reason !== undefined && (
            <div>
              <Words text={reason} />
            </div>
          )}
        </div>
        <div className="row wrap">
          {mayRun && waitId !== undefined && (
            <Button size="small" icon="retry" isBusy={isBusy} onPress={() => void retry()}>
              Try this one again
            </Button>
          )}
          {exchangeId !== undefined && (
            <a className="btn sm quiet" href={`/prompts/${exchangeId}`}>
              Its last prompt
            </a>
          )}
          {waitId !== undefined && (
            <a className="btn sm quiet" href={`/inbox/${waitId}`}>
              In the inbox
            </a>
          )}
        </div>
        <ProblemNote problem={problem} />
      </div>
    </div>
  );
}
