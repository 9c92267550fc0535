/** What went wrong and what to do about it, where it went wrong. */

import type { CallProblem } from "../api/call-problem.ts";
import { Button } from "./button.tsx";
import { Glyph } from "./glyph.tsx";
import { Told } from "./told.tsx";

export function ProblemNote({
  problem,
  onRetry,
}: {
  readonly problem: CallProblem | undefined;
  readonly onRetry?: (() => void) | undefined;
}) {
  if (problem === undefined) return null;
  const { message, hint, fields, code, requestId } = problem;
  return (
    <div className="note fail" role="alert">
      <Glyph state="fail" />
      <div className="grow">
        <b className="b">
          <Told text={message} />
        </b>{" "}
        {hint !== undefined && <Told text={hint} />}
        {fields.map(({ pointer, message: what }) => (
          <div key={pointer + what}>
            <span className="mono">{pointer.slice(1).replaceAll("/", ".")}</span> {what}
          </div>
        ))}
        <div className="micro muted mono" title={requestId}>
          {code}
        </div>
      </div>
      {onRetry !== undefined && (
        <Button size="small" icon="retry" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
