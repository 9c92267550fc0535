/** What every view of a reference begins and ends with: waiting, refusal, name. */

import type { ReactNode } from "react";
import type { Shown } from "../data/use-operation.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";

export function ReferenceBody<Data>({
  shown,
  children,
}: {
  readonly shown: Shown<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, problem, refresh } = shown;
  return (
    <>
      <ProblemNote problem={problem} onRetry={refresh} />
      {data === undefined && problem === undefined && <SkeletonRows count={4} />}
      {data !== undefined && children(data)}
    </>
  );
}
