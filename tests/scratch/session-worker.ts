/**
 * Finishes a session and kills itself with -9 at the n-th step: right before it starts a program or writes to the
 * store, or in the middle of what it started. `node session-worker.ts DATABASE HOME SESSION STEP before|during`.
 * With step 0 it lives: then it also checks the session, and prints what came of it and in how many steps.
 */

import { vcsTools } from "../../src/app/open-vcs.ts";
import { callerOf } from "../../src/kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { sessionOperations } from "../../src/methods/session/session-operations.ts";
import { sessionReadOperations } from "../../src/methods/session/session-read-operations.ts";
import { kernelOver } from "./scratch-kernel.ts";
import { openRepository } from "./scratch-repository.ts";

const [database = "", home = "", session = "", at = "0", how = "before"] = process.argv.slice(2);
const deadly = Number(at);

let steps = 0;
function step<Result>(deed: () => Promise<Result>): Promise<Result> {
  steps += 1;
  if (steps !== deadly) return deed();
  if (how === "during") void deed();
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const tools = vcsTools({
  PATH: process.env["PATH"],
  HOME: home,
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
});
const store = openSqlite({ path: database });
const kernel = kernelOver(
  {
    ...store,
    write: <Result>(work: () => DatabaseWork<Result>) => step(() => store.write(work)),
  },
  home,
);
const ports = {
  openVcs: (folder: string) =>
    openRepository(folder, { ...tools, run: (call) => step(() => tools.run(call)) }),
};
const registry = createOperationRegistry([
  ...sessionOperations(ports),
  ...sessionReadOperations(ports),
]);
const admin = callerOf("admin", false, undefined);
const words = { session, summary: "Through every death", answer: "Whole." };
const finished = await invoke(kernel, registry, "session.finish", admin, words);
const taken = steps;
const checked = await invoke(kernel, registry, "session.check", admin, { session });
await store.close();
process.stdout.write(JSON.stringify({ steps: taken, finished, checked }));
