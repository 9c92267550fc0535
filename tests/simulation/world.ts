/**
 * A world in which everything the product promises can be tried: the real engine, handlers, operations and SQLite, with
 * time, chance, models, processes and people that follow from one seed.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHandlers } from "../../src/app/handlers.ts";
import { listNouns } from "../../src/app/methods.ts";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import type { Clock } from "../../src/kernel/base/clock.ts";
import { hashText } from "../../src/kernel/base/hash.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import type { ModelProvider, Usage } from "../../src/kernel/model/model-provider.ts";
import { createDice, type Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import type { MisbehaviourRates } from "../../src/kernel/model/rehearsal-misbehaviour.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import type { Caller } from "../../src/kernel/operation/caller.ts";
import { createChangeFeed } from "../../src/kernel/operation/change-feed.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import { createOperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import { type Engine, startEngine } from "../../src/kernel/run/engine.ts";
import { localQueue } from "../../src/kernel/run/local-queue.ts";
import type { ModelDirectory } from "../../src/kernel/run/model-directory.ts";
import type { Queue } from "../../src/kernel/run/queue.ts";
import { steadyTimeOf } from "../../src/kernel/run/steady-time.ts";
import { migrate } from "../../src/kernel/store/migrate.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { builtInLibrary } from "../scratch/scratch-kernel.ts";
import { count, type Faults, faultyStore } from "./faulty-store.ts";
import { beginLife, clockOf, type Life } from "./life.ts";
import { type Ask, askAs } from "./people.ts";
import { createSimulatedTime } from "./simulated-time.ts";

const START = Date.UTC(2026, 0, 1);

const RATES: MisbehaviourRates = {
  truncate: 0.06,
  cut: 0.04,
  fall_silent: 0.03,
  fence: 0.03,
  prose: 0.03,
  break: 0.03,
  wander: 0.03,
  repeat: 0.02,
  invent_ids: 0.02,
  empty: 0.02,
  stall: 0.02,
  rate_limit: 0.04,
  server_error: 0.04,
  refuse: 0.01,
};

const ADMIN: Caller = {
  userId: "admin",
  name: "admin",
  role: "admin",
  isAgent: false,
  scopes: undefined,
};

export interface Process {
  readonly life: Life;
  readonly engine: Engine;
  /** What the rest of this process works with: its own view of the store and of time. */
  readonly kernel: Kernel;
  readonly deadline: { readonly statementsLeft: number };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

export interface WorldOptions {
  /** A file in the folder unless given. */
  readonly store?: Store;
  /** One transaction in so many goes wrong. */
  readonly faultsOneIn?: number;
  readonly misbehaves?: boolean;
  /** Models answer a second attempt as they did the first, so that flows can be compared. */
  readonly saysTheSame?: boolean;
  /** Stands between the engine and the model it would call. */
  readonly through?: (model: ModelProvider) => ModelProvider;
  readonly startsAt?: number;
  readonly pace?: Pace;
  /** Stands for all models of the world, whatever they are called. */
  readonly models?: (clock: Clock, faults: Faults) => ModelDirectory;
  /** Asked for every process that starts: after how many statements it is killed. */
  readonly killsAt?: () => number | undefined;
}

/** Of the engine of every process. */
export interface Pace {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollMs: number;
}

const HASTE: Pace = { concurrency: 6, leaseMs: 4000, pollMs: 400 };

export async function openWorld(seed: string, folder: string, options: WorldOptions = {}) {
  const dice = createDice(hashText(seed));
  const { startsAt = START, pace = HASTE } = options;
  const time = createSimulatedTime(startsAt);
  const file = path.join(folder, "workspace.db");
  if (options.store === undefined) writeFileSync(file, await emptyFile());
  const store = options.store ?? openSqlite({ path: file, clock: time });
  if (options.store !== undefined) await migrate(store, MIGRATIONS, START);
  const random = (bytes: number) => Uint8Array.from({ length: bytes }, () => dice.below(256));
  const ids = createIdSource(time, random);
  library ??= builtInLibrary();
  const faults: Faults = { oneIn: options.faultsOneIn ?? 15, happened: new Map() };
  const troubles: unknown[] = [];
  const processes: Process[] = [];
  let started = 0;
  const misbehaving = { isOn: options.misbehaves ?? true };
  await store.write(() =>
    insertUser(
      { id: "admin", displayName: "admin", role: "admin" },
      { actor: "admin", now: startsAt },
    ),
  );
  const directory = directoryFor(time);
  const tools = {
    queue: forgetfulQueue(dice, faults),
    handlers: createHandlers(library, () => ids.next()),
    nextId: () => ids.next(),
    costOf: (model: string, usage: Usage) => directory.costOf(model, usage),
  };
  const nouns = listNouns(() => folder);
  const registry = createOperationRegistry(await loadOperations(nouns), nouns);
  const kernel: Kernel = {
    clock: time,
    ids,
    random,
    store,
    library,
    models: directory,
    engine: tools,
    changes: createChangeFeed(store, time, 500),
    folder,
    wake: () => wakeAll(),
  };
  /** Every command of a person is a process of its own, which may die like any other. */
  const askOf =
    (caller: Caller): Ask =>
    (name, input) => {
      const own = faultyStore(store, { life: beginLife(), faults, dice, time });
      return askAs({ ...kernel, store: own }, registry, caller)(name, input);
    };
  /** What must not go wrong: it fails with whatever the operation says. */
  const demand: Ask = (name, input) => invoke(kernel, registry, name, ADMIN, input);

  function directoryFor(clock: Clock): ModelDirectory {
    return options.models?.(clock, faults) ?? modelsFor(clock);
  }

  function modelsFor(clock: Clock): ModelDirectory {
    const sound = createRehearsalModel(clock, { seed, latencyMs: 900 });
    const unsound = createRehearsalModel(clock, {
      seed,
      latencyMs: 900,
      idleMs: 3000,
      rates: RATES,
    });
    const provider: ModelProvider = {
      call: (request, given) =>
        (misbehaving.isOn ? unsound : sound).call(
          options.saysTheSame ? { ...request, labels: { ...request.labels, attempt: 1 } } : request,
          given,
        ),
    };
    return {
      list: async () => [],
      costOf: () => 0,
      defaultModel: async () => "rehearsal/rehearsal",
      find: async (name) => ({
        name,
        provider: options.through?.(provider) ?? provider,
        costOf: () => 0,
      }),
    };
  }

  async function startProcess(): Promise<Process> {
    const life = beginLife();
    const clock = clockOf(await steadyTimeOf(store, time, pace.leaseMs), life);
    const statementsLeft = options.killsAt?.() ?? Number.POSITIVE_INFINITY;
    const deadline = { statementsLeft };
    const own = faultyStore(store, { life, faults, deadline, dice, time });
    const engine = startEngine({
      ...tools,
      ...pace,
      store: own,
      clock,
      models: directoryFor(clock),
      worker: `worker-${(started += 1)}`,
      random: () => dice.below(1000) / 1000,
      onTrouble: (error) => troubles.push(error),
    });
    const process = { life, engine, deadline, kernel: { ...kernel, store: own, clock } };
    for (const dead of processes.filter((each) => each.life.isDead))
      processes.splice(processes.indexOf(dead), 1);
    processes.push(process);
    return process;
  }

  function wakeAll(): void {
    for (const { life, engine } of running()) if (!life.isFrozen) engine.wake();
  }

  function running(): readonly Process[] {
    return processes.filter(({ life }) => !life.isDead);
  }

  return {
    seed,
    dice,
    time,
    store,
    kernel,
    faults,
    troubles,
    misbehaving,
    ask: askOf(ADMIN),
    askOf,
    demand,
    startProcess,
    running,
  };
}

/** Files are read when they have changed: one for all worlds of a process. */
let library: ReturnType<typeof builtInLibrary> | undefined;
let emptied: Promise<Uint8Array> | undefined;

/** A store with all tables and nothing in them, as it lies in a file: made once for all worlds of a process. */
function emptyFile(): Promise<Uint8Array> {
  emptied ??= (async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "throughline-empty-"));
    try {
      const file = path.join(folder, "workspace.db");
      const store = openSqlite({ path: file });
      await migrate(store, MIGRATIONS, START);
      await store.close();
      return readFileSync(file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  })();
  return emptied;
}

/** Messages that are not delivered are found by looking again. */
function forgetfulQueue(dice: Dice, faults: Faults): Queue {
  return {
    ...localQueue,
    *claim(lane, most, now) {
      if (faults.oneIn > 0 && dice.below(faults.oneIn) === 0) {
        count(faults, "messages not delivered");
        return [];
      }
      return yield* localQueue.claim(lane, most, now);
    },
  };
}
