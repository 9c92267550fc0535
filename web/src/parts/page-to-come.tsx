/** Stands where a thing's page will: while it is read, or with the reason why it cannot be shown and the way back. */

import type { CallProblem } from "../api/call-problem.ts";
import { ProblemNote } from "./problem-note.tsx";
import { SkeletonRows } from "./skeleton.tsx";

export function PageToCome({
  problem,
  onRetry,
  back,
}: {
  readonly problem: CallProblem | undefined;
  readonly onRetry: () => void;
  /** The list it would be found in. */
  readonly back: { readonly title: string; readonly path: string };
}) {
  if (problem === undefined)
    return (
      <div className="fault">
        <SkeletonRows count={8} />
      </div>
    );
  return (
    <>
      <div className="head">
        <a className="crumb" href={back.path}>
          {back.title}
        </a>
        <span className="faint">/</span>
        <h1>Cannot be shown</h1>
      </div>
      <div className="fault under-head">
        <ProblemNote problem={problem} onRetry={onRetry} />
      </div>
    </>
  );
}
