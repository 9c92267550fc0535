/**
 * Loaded before the program (`node --import`), it kills the process with -9 right before it would change a file
 * for the n-th time (`KILL_AT_FILE_STEP`), or before it sends the last of some statements, which come in this
 * order over one connection (`KILL_AT_SQL`, patterns with `>` between). What was done before is done, nothing after it
 * is; over another connection a statement could overtake one that is still on its way.
 */

import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import pg from "pg";

const fileStep = Number(process.env["KILL_AT_FILE_STEP"] ?? Infinity);
const patterns = (process.env["KILL_AT_SQL"] ?? "").split(">").filter((text) => text !== "");

let steps = 0;
let last = "";
for (const name of ["rename", "link", "copyFile", "rm"] as const) {
  const real = fs[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      // Removing several files in a row is one step.
      if (name !== "rm" || last !== "rm") steps += 1;
      last = name;
      if (steps === fileStep) process.kill(process.pid, "SIGKILL");
      return real(...args);
    },
  });
}
syncBuiltinESMExports();

const metOver = new WeakMap<pg.Client, number>();
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === "string" ? first : String((first as { text?: unknown })?.text);
    let met = metOver.get(this) ?? 0;
    const pattern = patterns[met];
    if (pattern !== undefined && new RegExp(pattern).test(text)) metOver.set(this, (met += 1));
    if (patterns.length > 0 && met === patterns.length) process.kill(process.pid, "SIGKILL");
    return query.apply(this, args);
  },
});
