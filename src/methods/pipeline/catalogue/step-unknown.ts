import { ProductError } from "../../../kernel/base/errors.ts";
import { nearMatches } from "../../../kernel/contract/near-match.ts";

export function stepUnknown(stageId: string, ids: readonly string[]): ProductError {
  const [near] = nearMatches(stageId, ids);
  const all = ids.length === 0 ? "It draws no steps." : `Its steps are ${ids.join(", ")}.`;
  return new ProductError("step_not_found", `The workflow has no step "${stageId}".`, {
    kind: "not_found",
    hint: near === undefined ? all : `Did you mean "${near}"?`,
    details: { stageId, steps: ids },
  });
}
