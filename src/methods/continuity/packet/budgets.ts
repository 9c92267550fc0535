/** How long a packet may be: what the call says, else the project, else the workspace, else the tool's own file. */

import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { findSetting, type SettingPlace } from "../../../kernel/store/settings.ts";
import { TARGET_TOOLS, type TargetTool } from "./packet-tables.ts";
import { budgetSchema, type Target } from "./targets.ts";

function keyOf(tool: TargetTool): string {
  return `continuity.budget.${tool}`;
}

/** For the app to join with the other settings. */
export const budgetSettings = TARGET_TOOLS.map((tool) => ({
  key: keyOf(tool),
  scopes: ["workspace", "project"] as const,
  summary: `How many characters a packet for ${tool === "other" ? "another tool" : tool} may have.`,
  value: budgetSchema,
}));

export function* resolveBudget(
  given: number | undefined,
  tool: TargetTool,
  target: Target,
  projectId: string | undefined,
): DatabaseWork<number> {
  if (given !== undefined) return given;
  const places: readonly SettingPlace[] = [
    ...(projectId === undefined ? [] : [{ scope: "project", projectId } as const]),
    { scope: "workspace" },
  ];
  for (const place of places) {
    const setting = yield* findSetting(place, keyOf(tool));
    if (setting !== undefined) return budgetSchema.parse(setting.value);
  }
  return target.budget;
}
