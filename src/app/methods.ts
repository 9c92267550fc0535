/** The methods this program has, joined: their tables, handlers, effects and operations. */

import type { Library } from "../kernel/library/library.ts";
import { loginOperations } from "../kernel/operation/login-operations.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import type { Noun } from "../kernel/operation/operation-registry.ts";
import {
  createHandlerRegistry,
  type EffectKind,
  type Handler,
  type HandlerRegistry,
} from "../kernel/run/handler.ts";
import { engineTables } from "../kernel/store/engine-migration.ts";
import type { Migration } from "../kernel/store/migrate.ts";
import { nounTables } from "../kernel/store/noun-migration.ts";
import { searchTables } from "../kernel/store/search-migration.ts";
import { askHandler } from "../methods/ask/ask-handler.ts";
import { askOperations } from "../methods/ask/ask-operations.ts";
import { WORKSPACE_NOUNS, workspaceOperations } from "../methods/workspace/workspace-operations.ts";
import { modelSettings } from "./model-settings.ts";
import { programFinder } from "./program-finder.ts";

/** In order, append-only: a workspace remembers which it has. */
export const MIGRATIONS: readonly Migration[] = [engineTables, nounTables, searchTables];

export function createHandlers(library: Library): HandlerRegistry {
  const handlers: readonly Handler[] = [askHandler(library)];
  const effects: readonly EffectKind[] = [];
  return createHandlerRegistry(handlers, effects);
}

export const NOUNS: readonly Noun[] = [
  { name: "ask", summary: "One question, one answer, kept.", group: "Work" },
  ...WORKSPACE_NOUNS,
  { name: "login", summary: "Browsers that are signed in.", group: "Set up" },
];

/** `folder` is the workspace's; a command line that only shows help has none yet. */
export function listOperations(folder: () => string): readonly Operation[] {
  const models = modelSettings(folder);
  return [
    ...askOperations,
    ...workspaceOperations({ migrations: MIGRATIONS, programs: programFinder, models }),
    ...loginOperations,
  ];
}
