/** The composition root: opens the store, the library, the models and the queue, and joins them into a kernel. */

import { randomBytes } from "node:crypto";
import path from "node:path";
import { openPgBossQueue, type PgBossQueue } from "../adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../kernel/base/clock.ts";
import { createIdSource } from "../kernel/base/ids.ts";
import { type Library, openLibrary } from "../kernel/library/library.ts";
import { type ChangeFeed, createChangeFeed } from "../kernel/operation/change-feed.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import type { EngineTools } from "../kernel/run/engine-transaction.ts";
import { localQueue } from "../kernel/run/local-queue.ts";
import { migrate } from "../kernel/store/migrate.ts";
import { openPostgres } from "../kernel/store/postgres-store.ts";
import { openSqlite } from "../kernel/store/sqlite-store.ts";
import type { Store } from "../kernel/store/store.ts";
import { type Config, watchConfig } from "./config.ts";
import { createHandlers, MIGRATIONS } from "./methods.ts";
import { openModels } from "./models.ts";

export interface Workspace {
  readonly config: Config;
  readonly kernel: Kernel;
  readonly changes: ChangeFeed;
  /** Whoever runs the engine says here how it is woken. */
  onWake(listener: () => void): void;
  close(): Promise<void>;
}

const BUILT_IN_LIBRARY = path.join(import.meta.dirname, "..", "..", "library");
const DATABASE_FILE = "workspace.db";

export async function openWorkspace(folder: string): Promise<Workspace> {
  const readSettings = watchConfig(folder, process.env);
  const config = readSettings();
  const store = openStore(config);
  await migrate(store, MIGRATIONS, systemClock.now());
  const library = openWorkspaceLibrary(config);
  const queue = await openQueue(config);
  const ids = createIdSource(systemClock);
  const models = openModels(readSettings, library, systemClock);
  const changes = createChangeFeed(store, systemClock);
  const listeners: (() => void)[] = [];
  const engine: EngineTools = {
    queue: queue ?? localQueue,
    handlers: createHandlers(library),
    nextId: () => ids.next(),
    costOf: (model, usage) => models.costOf(model, usage),
  };
  const kernel: Kernel = {
    clock: systemClock,
    ids,
    random: (count) => randomBytes(count),
    store,
    library,
    models,
    engine,
    changes,
    folder,
    wake: () => {
      for (const listener of listeners) listener();
      changes.notify();
    },
  };
  return {
    config,
    kernel,
    changes,
    onWake: (listener) => listeners.push(listener),
    close: async () => {
      await queue?.close();
      await store.close();
    },
  };
}

export function openStore(config: Config): Store {
  return config.database === undefined
    ? openSqlite({ path: path.join(config.folder, DATABASE_FILE) })
    : openPostgres({ connectionString: config.database, schema: config.schema });
}

export function openWorkspaceLibrary(config: Config): Library {
  return openLibrary({
    layers: [
      { name: "built-in", folder: BUILT_IN_LIBRARY },
      { name: "workspace", folder: path.join(config.folder, "library") },
      { name: "project", folder: path.join(config.home, "throughline") },
    ],
  });
}

async function openQueue(config: Config): Promise<PgBossQueue | undefined> {
  if (config.database === undefined) return undefined;
  return openPgBossQueue({
    connectionString: config.database,
    schema: `${config.schema}_queue`,
    onTrouble: reportTrouble,
  });
}

export function reportTrouble(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${JSON.stringify({ level: "error", event: "trouble", text })}\n`);
}
