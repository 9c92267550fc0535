import type { Progress } from "../api/call-with-progress.ts";
import { brief } from "./format.ts";

/** How far something is: a bar where the end is known, words beside it. */
export function ProgressLine({
  progress: { message, done, total, unit, detail },
}: {
  readonly progress: Progress;
}) {
  const isKnown = done !== undefined && total !== undefined && total > 0;
  const share = isKnown ? Math.min(100, (100 * done) / total) : 0;
  return (
    <div className="progress-line">
      <div
        className="prog run"
        role="progressbar"
        aria-label={message}
        aria-valuenow={isKnown ? Math.round(share) : undefined}
        aria-valuemin={0}
        aria-valuemax={100}
        style={{ "--w": `${share}%` } as object}
      >
        <i />
      </div>
      <div className="row small muted num">
        <span>{message}</span>
        {isKnown && (
          <span className="end">
            {brief(done)} of {brief(total)}
            {unit === "bytes" && " bytes"}
          </span>
        )}
      </div>
      {detail !== undefined && <div className="small muted">{detail}</div>}
    </div>
  );
}
