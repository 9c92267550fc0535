/** What a run's steps read of its input and the input does not have: found before anything is spent. */

import type { JsonObject } from "../../../kernel/base/json.ts";
import { pathsIn } from "./check-paths.ts";
import type { WorkflowDefinition } from "./workflow-definition.ts";

/** Names, in drawing order. */
export function missingInput(
  { steps }: Pick<WorkflowDefinition, "steps">,
  input: JsonObject,
): readonly string[] {
  const named = steps.flatMap(pathsIn).flatMap(([root, field, name]) => {
    const isRead = root === "run" && field === "input" && typeof name === "string";
    return isRead && !Object.hasOwn(input, name) ? [name] : [];
  });
  return [...new Set(named)];
}
