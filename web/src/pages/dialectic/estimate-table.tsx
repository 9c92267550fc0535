/** What a pass will take: calls are counted, the rest is estimated and says so. */

import type { Output } from "../../api/operation.ts";
import { brief, count, money } from "../../parts/format.ts";

export type Estimate = Output<"dialectic.estimate">;

export function EstimateTable({ estimate: { stages, total } }: { readonly estimate: Estimate }) {
  return (
    <table className="tbl dx-estimate">
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col" className="r">
            Calls
          </th>
          <th scope="col" className="r">
            ≈ tokens
          </th>
          <th scope="col" className="r">
            ≈ cost
          </th>
        </tr>
      </thead>
      <tbody>
        {stages.map((stage) => (
          <tr key={stage.stage}>
            <th scope="row">{stage.title}</th>
            <td className="r">{count(stage.calls)}</td>
            <td className="r">{brief(stage.inputTokens + stage.outputTokens)}</td>
            <td className="r">{costWords(stage.costMicroUsd)}</td>
          </tr>
        ))}
        <tr className="dx-sum">
          <th scope="row">All</th>
          <td className="r">{count(total.calls)}</td>
          <td className="r">{brief(total.inputTokens + total.outputTokens)}</td>
          <td className="r">{costWords(total.costMicroUsd)}</td>
        </tr>
      </tbody>
    </table>
  );
}

/** Models without a known price have no known cost. */
function costWords(costMicroUsd: number | undefined): string {
  return costMicroUsd === undefined ? "unknown" : money(costMicroUsd);
}
