/** A workspace as `serve` opens it, on a scratch directory or a fresh database, with an engine and questions to ask it. */

import { callerOf, findAdmin } from "../src/app/first-user.ts";
import { listNouns } from "../src/app/methods.ts";
import { openWorkspace } from "../src/app/open-workspace.ts";
import { runEngineHere } from "../src/app/run-engine.ts";
import { makeFolder } from "../src/app/workspace-folder.ts";
import { invoke } from "../src/kernel/operation/invoke.ts";
import type { Kernel } from "../src/kernel/operation/kernel.ts";
import { loadOperations } from "../src/kernel/operation/noun-index.ts";
import { createOperationRegistry } from "../src/kernel/operation/operation-registry.ts";
import type { NewRun } from "../src/kernel/run/decision.ts";
import type { Engine } from "../src/kernel/run/engine.ts";
import { startRun } from "../src/kernel/run/start-run.ts";
import { insertUser } from "../src/kernel/store/users.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";
import { range } from "./subject.ts";

export type Storage = "sqlite" | "postgres";
export const STORAGES: readonly Storage[] = ["sqlite", "postgres"];

/** An admin sees everything; a member sees what they started, and that is another question to the database. */
export type Who = "admin" | "member";

export interface BenchWorkspace {
  readonly kernel: Kernel;
  readonly engine: Engine;
  readonly call: (who: Who, name: string, input?: object) => Promise<unknown>;
  /** Starts runs in few transactions. */
  readonly start: (who: Who, count: number, run: NewRun) => Promise<void>;
}

export async function withWorkspace(
  storage: Storage,
  concurrency: number,
  use: (workspace: BenchWorkspace) => Promise<void>,
): Promise<void> {
  return withDatabase(storage, () => withEngine(concurrency, use));
}

/** Workspaces that are opened meanwhile are in a fresh database of their own; on SQLite there is no address. */
export async function withDatabase(
  storage: Storage,
  use: (databaseUrl: string | undefined) => Promise<void>,
): Promise<void> {
  if (storage === "sqlite") return use(undefined);
  const { openPostgres } = await import("./postgres.ts");
  const server = await openPostgres();
  try {
    await server.withFreshDatabase(async (databaseUrl) => {
      process.env["THROUGHLINE_DATABASE_URL"] = databaseUrl;
      await use(databaseUrl);
    });
  } finally {
    delete process.env["THROUGHLINE_DATABASE_URL"];
    await server.stop();
  }
}

async function withEngine(
  concurrency: number,
  use: (workspace: BenchWorkspace) => Promise<void>,
): Promise<void> {
  const directory = makeScratchDirectory("workspace");
  const folder = makeFolder(directory);
  const workspace = await openWorkspace(folder);
  const { kernel, config } = workspace;
  kernel.store.prepareForManyWrites?.();
  const nouns = listNouns(() => folder);
  const registry = createOperationRegistry(await loadOperations(nouns), nouns);
  const act = { actor: "bench", now: kernel.clock.now() };
  const member = await kernel.store.write(() =>
    insertUser({ id: kernel.ids.next(), displayName: "Member", role: "operator" }, act),
  );
  const callers = { admin: callerOf(await findAdmin(kernel)), member: callerOf(member) };
  const engine = await runEngineHere(kernel, { ...config, concurrency }, () => undefined);
  try {
    await use({
      kernel,
      engine,
      call: (who, name, input = {}) => invoke(kernel, registry, name, callers[who], input),
      start: (who, count, run) => startRuns(kernel, count, run, callers[who].userId),
    });
  } finally {
    await engine.stop();
    await workspace.close();
    removeScratchDirectory(directory);
  }
}

const AT_ONCE = 500;

export async function startRuns(
  { store, engine, clock }: Pick<Kernel, "store" | "engine" | "clock">,
  count: number,
  run: NewRun,
  startedBy: string,
): Promise<void> {
  for (let left = count; left > 0; left -= AT_ONCE) {
    await store.write(function* () {
      for (const _ of range(Math.min(left, AT_ONCE)))
        yield* startRun(engine, run, { projectId: null, startedBy }, clock.now());
    });
  }
}

const QUESTION = {
  request: "What should the billing team do about the migration?",
  context: "The vendor may raise prices. ".repeat(20),
  model: "rehearsal/rehearsal",
};

/** One question, as `ask start` stores it. */
export const ASK: NewRun = {
  method: "ask",
  title: QUESTION.request,
  input: QUESTION,
  jobs: [{ key: "answer", handler: "ask.answer", step: "answer", input: QUESTION }],
};
