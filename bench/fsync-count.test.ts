import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { buildFsyncCounter, readFsyncCount } from "./fsync-count.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";

const scratch = makeScratchDirectory("test");
process.once("exit", () => removeScratchDirectory(scratch));
const counter = buildFsyncCounter(scratch);
const skip = counter.missing ?? false;

test("each fsync and fdatasync of a process is counted, and nothing else", { skip }, () => {
  const count = countOf(`
    const fs = require("node:fs");
    const file = fs.openSync(${JSON.stringify(path.join(scratch, "data"))}, "w");
    for (let i = 0; i < 5; i++) { fs.writeSync(file, "x"); fs.fsyncSync(file); }
    for (let i = 0; i < 7; i++) { fs.writeSync(file, "x"); fs.fdatasyncSync(file); }
  `);

  assert.equal(count, 12);
});

test("commits of node:sqlite are seen: with FULL one sync each, with NORMAL none", { skip }, () => {
  const commits = (synchronous: string) => `
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(${JSON.stringify(scratch)} + "/${synchronous}.db");
    database.exec("pragma journal_mode = wal; create table t (x)");
    database.exec("pragma synchronous = ${synchronous}");
    for (let i = 0; i < 100; i++) database.exec("insert into t values (1)");
    process.kill(process.pid, "SIGKILL");
  `;

  const difference = countOf(commits("full")) - countOf(commits("normal"));

  assert.equal(difference, 100);
});

/** The program may kill itself: what was counted must survive that. */
function countOf(program: string): number {
  const file = path.join(makeScratchDirectory("count", scratch), "fsyncs");
  const environment = { ...process.env, LD_PRELOAD: counter.library, FSYNC_COUNT_FILE: file };
  try {
    execFileSync(process.execPath, ["-e", program], { env: environment, stdio: "pipe" });
  } catch (error) {
    if (!(error instanceof Error && "signal" in error && error.signal === "SIGKILL")) throw error;
  }
  return readFsyncCount(file) ?? -1;
}
