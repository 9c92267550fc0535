/**
 * An agent's whole session, from prompt to pushed commit, that kills itself with -9 before the n-th statement, or after
 * the n-th where it was a commit. Started again it asks for everything again, as an agent does that knows nothing.
 * `node session-flow-worker.ts ORDERS`, as JSON; with 0 it lives and prints what came of it and in how many statements.
 */

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { vcsTools } from "../../src/app/open-vcs.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { callerOf } from "../../src/kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { sessionOperations } from "../../src/methods/session/session-operations.ts";
import { sessionReadOperations } from "../../src/methods/session/session-read-operations.ts";
import { kernelOver } from "./scratch-kernel.ts";
import { openRepository } from "./scratch-repository.ts";

export interface SessionFlowOrders {
  readonly sqlite?: string;
  readonly postgres?: { readonly url: string; readonly schema: string };
  readonly root: string;
  readonly home: string;
  readonly killAt: number;
}

export interface SessionFlowed {
  readonly statements: number;
  readonly outline: readonly string[];
}

const PROJECT = "repository";
const INTENTS = ["Read once", "Keep what was read"];
const SUMMARY = "Settings are read once";

const orders = JSON.parse(process.argv[2] ?? "") as SessionFlowOrders;
const { root, home, killAt } = orders;
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
};
const store =
  orders.postgres === undefined
    ? openSqlite({ path: orders.sqlite ?? "" })
    : openPostgres({ connectionString: orders.postgres.url, schema: orders.postgres.schema });

let statements = 0;
function countOne(): void {
  statements += 1;
  if (statements === killAt) process.kill(process.pid, "SIGKILL");
}

function* counted<Result>(work: DatabaseWork<Result>): DatabaseWork<Result> {
  let step = work.next();
  while (!step.done) {
    countOne();
    try {
      step = work.next(yield step.value);
    } catch (error) {
      step = work.throw(error);
    }
  }
  return step.value;
}

const kernel = kernelOver(
  {
    ...store,
    write: async <Result>(work: () => DatabaseWork<Result>) => {
      const result = await store.write(() => counted(work()));
      countOne();
      return result;
    },
  },
  home,
);
const ports = { openVcs: (folder: string) => openRepository(folder, vcsTools(environment)) };
const registry = createOperationRegistry([
  ...sessionOperations(ports),
  ...sessionReadOperations(ports),
]);
const admin = callerOf("admin", false, undefined);
const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: root, env: environment, encoding: "utf8" }).trim();

async function ask<Answer>(name: string, input: object = {}): Promise<Answer> {
  const given = { project: PROJECT, ...input };
  return (await invoke(kernel, registry, name, admin, given)) as Answer;
}

/** What an earlier life has done is refused by name. */
async function askAgain(name: string, input: object, done: readonly string[]): Promise<void> {
  await ask(name, input).catch((error: unknown) => {
    if (!(error instanceof ProductError && done.includes(error.code))) throw error;
  });
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly state: string }[];
}

const known = (await ask<Listed>("session.list")).items;
if (known.length === 0)
  await ask("session.start", { prompt: "Make it faster.\n", interpretation: "Reading is slow." });
if (known[0]?.state === undefined || known[0].state === "open") {
  for (const what of INTENTS) {
    const file = path.join(root, what.replaceAll(" ", "-"));
    if (!existsSync(file)) writeFileSync(file, what);
    await askAgain("session.intent", { what }, ["vcs_nothing_changed"]);
  }
}
await askAgain("session.finish", { summary: SUMMARY, answer: "Whole." }, ["session_none"]);
const taken = statements;

const checked = await ask<{ breaches: number; sessions: readonly object[] }>("session.check");
const { items } = await ask<Listed>("session.list");
const flowed: SessionFlowed = {
  statements: taken,
  outline: [
    `breaches ${checked.breaches} in ${checked.sessions.length} sessions`,
    ...items.map(({ state }) => `a session is ${state}`),
    ...git("log", "--format=%s", "origin/dev")
      .replaceAll(/ \S+ \d+AM$/gm, "")
      .split("\n"),
    ...git("ls-tree", "-r", "--name-only", "origin/dev")
      .replaceAll(/\d{12}/g, "MOMENT")
      .split("\n"),
    `left behind: ${git("status", "--porcelain")}`,
  ],
};
await store.close();
process.stdout.write(JSON.stringify(flowed));
process.exit(0);
