/** What the operations on shared nouns need to know of this program and its other methods. */

import { continuitySample } from "../methods/continuity/continuity-parts.ts";
import { budgetSettings } from "../methods/continuity/packet/budgets.ts";
import { dialecticSettings } from "../methods/dialectic/dialectic-settings.ts";
import { sessionSettings } from "../methods/session/session-settings.ts";
import type { WorkspacePorts } from "../methods/workspace/workspace-nouns.ts";
import { MIGRATIONS } from "./migrations.ts";
import { modelSettings } from "./model-settings.ts";
import { platformCheck } from "./platform-check.ts";
import { programFinder } from "./program-finder.ts";

export function workspacePorts(folder: () => string): WorkspacePorts {
  return {
    migrations: MIGRATIONS,
    programs: programFinder,
    models: modelSettings(folder),
    settings: [...budgetSettings, ...dialecticSettings, ...sessionSettings],
    checks: [platformCheck(process.platform)],
    sample: [continuitySample],
  };
}
