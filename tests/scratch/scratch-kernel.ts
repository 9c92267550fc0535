/** An open workspace for tests: a real database, real time unless a clock is given, and people of every role. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Clock, systemClock } from "../../src/kernel/base/clock.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { type Library, openLibrary } from "../../src/kernel/library/library.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { ROLES, type Role } from "../../src/kernel/operation/caller.ts";
import { createChangeFeed } from "../../src/kernel/operation/change-feed.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import { createHandlerRegistry, type HandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import type { ModelDirectory } from "../../src/kernel/run/model-directory.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import type { Migration } from "../../src/kernel/store/migrate.ts";
import { nounTables } from "../../src/kernel/store/noun-migration.ts";
import { searchTables } from "../../src/kernel/store/search-migration.ts";
import type { Dialect, Store } from "../../src/kernel/store/store.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { scratchStore } from "./scratch-store.ts";

export interface ScratchKernel extends Kernel {
  remove(): Promise<void>;
}

export interface ScratchKernelOptions {
  readonly clock?: Clock;
  readonly dialect?: Dialect;
  readonly handlers?: HandlerRegistry;
  /** The tables of the method under test, after the shared ones. */
  readonly migrations?: readonly Migration[];
}

/** Each role has a person whose id and name are the role. */
export async function scratchKernel(options: ScratchKernelOptions = {}): Promise<ScratchKernel> {
  const { clock = systemClock, dialect = "sqlite", migrations = [] } = options;
  const shared = [engineTables, nounTables, searchTables];
  const scratch = await scratchStore(dialect, [...shared, ...migrations]);
  const { store } = scratch;
  await store.write(function* () {
    for (const role of ROLES) {
      yield* insertUser(
        { id: role, displayName: role, role, email: emailOf(role) },
        { actor: "test", now: clock.now() },
      );
    }
  });
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-workspace-"));
  return {
    ...kernelOver(store, folder, options),
    remove: async () => {
      await scratch.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A kernel on a store that is there already: no engine at work, the rehearsal as its only model. */
export function kernelOver(
  store: Store,
  folder: string,
  { clock = systemClock, handlers }: Pick<ScratchKernelOptions, "clock" | "handlers"> = {},
): Kernel {
  const ids = createIdSource(clock);
  return {
    clock,
    ids,
    random: (count) => new Uint8Array(randomBytes(count)),
    store,
    library: builtInLibrary(),
    models: rehearsalOnly(clock),
    engine: {
      queue: localQueue,
      handlers: handlers ?? createHandlerRegistry([], []),
      nextId: () => ids.next(),
      costOf: () => 0,
    },
    changes: createChangeFeed(store, clock, 50),
    folder,
    wake() {},
  };
}

export function builtInLibrary(): Library {
  const folder = path.join(import.meta.dirname, "../../library");
  return openLibrary({ layers: [{ name: "built-in", folder }] });
}

function rehearsalOnly(clock: Clock): ModelDirectory {
  const provider = createRehearsalModel(clock);
  return {
    list: async () => [
      {
        name: "rehearsal/default",
        provider: "rehearsal",
        isUsable: true,
        note: "Answers offline, the same every time.",
        price: { input: 0, output: 0, asOf: "2026-01-01" },
      },
    ],
    costOf: () => 0,
    defaultModel: async () => "rehearsal/default",
    find: async (name) => {
      if (name.startsWith("rehearsal/")) return { name, provider, costOf: () => 0 };
      throw new ProductError("model_unknown", `There is no model "${name}".`, {
        kind: "not_found",
      });
    },
  };
}

export function emailOf(role: Role): string {
  return `${role}@example.org`;
}

/** Time that moves only when told to. Sleepers wake when it passes their moment. */
export function manualClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let now = start;
  let sleepers: { until: number; wake: () => void }[] = [];
  return {
    now: () => now,
    elapsed: () => now - start,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        sleepers.push({ until: now + ms, wake: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
    advance(ms) {
      now += ms;
      const due = sleepers.filter(({ until }) => until <= now);
      sleepers = sleepers.filter(({ until }) => until > now);
      for (const { wake } of due) wake();
    },
  };
}
