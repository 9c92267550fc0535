/** An open workspace for tests: a real SQLite file, real time unless a clock is given, and people of every role. */

import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../../src/kernel/base/clock.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { openLibrary } from "../../src/kernel/library/library.ts";
import { ROLES, type Role } from "../../src/kernel/operation/caller.ts";
import { createChangeFeed } from "../../src/kernel/operation/change-feed.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import type { ModelDirectory } from "../../src/kernel/run/model-directory.ts";
import { engineTables } from "../../src/kernel/store/engine-migration.ts";
import { nounTables } from "../../src/kernel/store/noun-migration.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { scratchSqlite } from "./scratch-store.ts";

export interface ScratchKernel extends Kernel {
  remove(): Promise<void>;
}

/** Each role has a person whose id and name are the role. */
export async function scratchKernel(options: { clock?: Clock } = {}): Promise<ScratchKernel> {
  const { clock = systemClock } = options;
  const scratch = await scratchSqlite([engineTables, nounTables]);
  const { store, folder } = scratch;
  await store.write(function* () {
    for (const role of ROLES) {
      yield* insertUser(
        { id: role, displayName: role, role, email: emailOf(role) },
        { actor: "test", now: clock.now() },
      );
    }
  });
  const ids = createIdSource(clock);
  const random = (count: number) => new Uint8Array(randomBytes(count));
  return {
    clock,
    ids,
    random,
    store,
    library: openLibrary({ layers: [] }),
    models: noModels,
    engine: {
      queue: localQueue,
      handlers: createHandlerRegistry([], []),
      nextId: () => ids.next(),
    },
    changes: createChangeFeed(store, clock, 50),
    folder,
    wake() {},
    remove: () => scratch.remove(),
  };
}

/** A workspace nobody has set a model up in. */
const noModels: ModelDirectory = {
  list: async () => [],
  defaultModel: async () => {
    throw new ProductError("model_missing", "No model is set up.");
  },
  find: async (name) => {
    throw new ProductError("model_unknown", `There is no model "${name}".`);
  },
};

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
