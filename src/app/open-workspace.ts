/** The composition root: opens the store, the library, the models and the queue, and joins them into a kernel. */

import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { PgBossQueue } from "../adapters/pg-boss-queue/pg-boss-queue.ts";
import { systemClock } from "../kernel/base/clock.ts";
import { createIdSource } from "../kernel/base/ids.ts";
import { type Library, openLibrary } from "../kernel/library/library.ts";
import { type ChangeFeed, createChangeFeed } from "../kernel/operation/change-feed.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import type { EngineTools } from "../kernel/run/engine-transaction.ts";
import type { HandlerRegistry } from "../kernel/run/handler.ts";
import { localQueue } from "../kernel/run/local-queue.ts";
import { migrate } from "../kernel/store/migrate.ts";
import { sharedClock } from "../kernel/store/shared-clock.ts";
import type { Store } from "../kernel/store/store.ts";
import { type Config, watchConfig } from "./config.ts";
import { type Extension, NO_EXTENSION } from "./extension.ts";
import type * as Handlers from "./handlers.ts";
import { markMade, refuseWhereOneWas } from "./made-mark.ts";
import { MIGRATIONS } from "./migrations.ts";
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

/** For whoever will certainly need them, before anything else is under way. */
export async function preloadHandlers(): Promise<void> {
  await import("./handlers.ts");
}

export async function openWorkspace(
  folder: string,
  {
    onChange = () => {},
    extension = NO_EXTENSION,
  }: { readonly onChange?: () => void; readonly extension?: Extension | undefined } = {},
): Promise<Workspace> {
  const readSettings = watchConfig(folder, process.env);
  const config = readSettings();
  const store = await openStore(config);
  await migrate(store, MIGRATIONS, systemClock.now());
  const clock = await sharedClock(store, systemClock);
  const library = openWorkspaceLibrary(config);
  const queue = await openQueue(config);
  const ids = createIdSource(clock);
  const models = openModels(readSettings, library, clock, extension.providers);
  const changes = announcing(createChangeFeed(store, clock), onChange);
  const listeners: (() => void)[] = [];
  let handlers: HandlerRegistry | undefined;
  const engine: EngineTools = {
    queue: queue ?? localQueue,
    get handlers() {
      return (handlers ??= loadHandlers(library, () => ids.next(), extension));
    },
    nextId: () => ids.next(),
    costOf: (model, usage) => models.costOf(model, usage),
  };
  const kernel: Kernel = {
    clock,
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
      clock.stop();
      await queue?.close();
      await store.close();
    },
  };
}

/** Others beside the followers here want to hear of changes, too. */
function announcing(feed: ChangeFeed, onChange: () => void): ChangeFeed {
  return {
    subscribe: (listener) => feed.subscribe(listener),
    notify: () => {
      feed.notify();
      onChange();
    },
  };
}

async function openStore({ database, schema, folder }: Config): Promise<Store> {
  if (database === undefined) return openEmbedded(databaseFile(folder));
  const { openPostgres } = await import("../kernel/store/postgres-store.ts");
  return openPostgres({ connectionString: database, schema });
}

export function databaseFile(folder: string): string {
  return path.join(folder, "workspace.db");
}

/** A restore may give the name to another file while we wait for the old one: what is opened must be what is there. */
async function openEmbedded(file: string): Promise<Store> {
  const { openSqlite } = await import("../kernel/store/sqlite-store.ts");
  for (;;) {
    const before = statSync(file, { throwIfNoEntry: false })?.ino;
    if (before === undefined) refuseWhereOneWas(file);
    const store = openSqlite({ path: file });
    if (before === undefined || statSync(file).ino === before) {
      markMade(file);
      return store;
    }
    void store.close();
  }
}

export function openWorkspaceLibrary(config: Pick<Config, "folder" | "home">): Library {
  return openLibrary({
    layers: [
      { name: "built-in", folder: BUILT_IN_LIBRARY },
      { name: "workspace", folder: path.join(config.folder, "library") },
      { name: "project", folder: path.join(config.home, "throughline") },
    ],
  });
}

/**
 * The methods' handlers bring the prompt compiler, contracts and all that runs are made of. Most commands never
 * touch a run, so they are loaded when the first transaction asks, which cannot wait.
 */
function loadHandlers(
  library: Library,
  nextId: () => string,
  extension: Extension,
): HandlerRegistry {
  const ending = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";
  const load = createRequire(import.meta.url);
  const { createHandlers } = load(`./handlers${ending}`) as typeof Handlers;
  return createHandlers(library, nextId, extension);
}

async function openQueue(config: Config): Promise<PgBossQueue | undefined> {
  if (config.database === undefined) return undefined;
  const { openPgBossQueue } = await import("../adapters/pg-boss-queue/pg-boss-queue.ts");
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
