/** How many criteria of the definition of done pass, round by round: a bar a round, and the count in words. */

import type { Output } from "../../api/operation.ts";

type CoverageData = Output<"team.tree">["products"][number]["coverage"];

const HEIGHT = 14;

export function Coverage({ coverage: { total, byRound } }: { readonly coverage: CoverageData }) {
  const now = byRound.at(-1) ?? 0;
  return (
    <span className="coverage" title={`Criteria that pass, by round: ${byRound.join(", ")}`}>
      <svg
        width={Math.max(1, byRound.length) * 5}
        height={HEIGHT}
        aria-hidden="true"
        className={now === total ? "ok" : "muted"}
      >
        {byRound.map((passed, place) => {
          const height = Math.max(1, (passed / Math.max(1, total)) * HEIGHT);
          return (
            // biome-ignore lint: a round is its place
            <rect
              key={place}
              x={place * 5}
              y={HEIGHT - height}
              width={4}
              height={height}
              fill="currentColor"
            />
          );
        })}
      </svg>
      <span className="micro num">
        {now}/{total}
      </span>
    </span>
  );
}
