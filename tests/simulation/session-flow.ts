/** The flow of a session in real processes, killed at chosen statements. Kills inside programs: `finish-kill.test.ts`. */

import { execFile } from "node:child_process";
import path from "node:path";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import { insertProject } from "../../src/kernel/store/projects.ts";
import type { Dialect } from "../../src/kernel/store/store.ts";
import { insertUser } from "../../src/kernel/store/users.ts";
import { scratchRepository } from "../scratch/scratch-repository.ts";
import { scratchPostgres, scratchSqlite } from "../scratch/scratch-store.ts";
import type { SessionFlowed, SessionFlowOrders } from "../scratch/session-flow-worker.ts";
import type { Flowed } from "./reference-flow.ts";

const WORKER = path.join(import.meta.dirname, "../scratch/session-flow-worker.ts");

export async function sessionFlow(dialect: Dialect, killsAt: readonly number[]): Promise<Flowed> {
  const repository = await scratchRepository("git");
  const scratch =
    dialect === "sqlite" ? await scratchSqlite(MIGRATIONS) : await scratchPostgres(MIGRATIONS);
  const { store } = scratch;
  try {
    const by = { actor: "admin", now: 0 };
    await store.write(function* () {
      yield* insertUser({ id: "admin", displayName: "admin", role: "admin" }, by);
      const name = "repository";
      yield* insertProject({ id: name, name, ownerId: "admin", repository: repository.root }, by);
    });
    const orders = {
      root: repository.root,
      home: path.join(repository.folder, "home"),
      ...(store.dialect === "postgres"
        ? { postgres: { url: "url" in scratch ? scratch.url : "", schema: store.schema } }
        : { sqlite: store.location }),
    };
    let kills = 0;
    let whole: SessionFlowed | undefined;
    while (whole === undefined) {
      whole = await work({ ...orders, killAt: killsAt[kills] ?? 0 });
      if (whole === undefined) kills += 1;
    }
    return { outline: whole.outline, left: (killsAt[0] ?? 0) - whole.statements, kills };
  } finally {
    await scratch.remove();
    repository.remove();
  }
}

/** Undefined when it was killed. */
function work(orders: SessionFlowOrders): Promise<SessionFlowed | undefined> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [WORKER, JSON.stringify(orders)], (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL") resolve(undefined);
      else if (error) reject(new Error(stderr));
      else resolve(JSON.parse(stdout) as SessionFlowed);
    });
  });
}
