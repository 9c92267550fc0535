/**
 * The floor: what the disk and SQLite allow one writer that makes one transaction a step.
 * Each transaction takes the next ready step, stores its payload and opens what follows. FULL syncs
 * every commit; NORMAL, the setting LangGraph and Mastra run with, may lose the last ones to a power
 * cut.
 */

import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Check,
  type EmbeddedSubject,
  PAYLOAD,
  range,
  type Shape,
  stepCount,
} from "../subject.ts";

const SCHEMA = `
  pragma journal_mode = wal;
  create table step (
    id integer primary key,
    run integer not null,
    position integer not null,
    role text not null check (role in ('line', 'open', 'child', 'join')),
    state text not null check (state in ('ready', 'done')),
    payload text,
    unique (run, position)
  ) strict;
  create index step_ready on step (id) where state = 'ready';
  create table batch (run integer primary key, remaining integer not null) strict;
`;
const INSERT = "insert into step (run, position, role, state) values (?, ?, ?, 'ready')";
const NEXT = "select id, run, position, role from step where state = 'ready' order by id limit 1";
const FINISH = "update step set state = 'done', payload = ? where id = ? and state = 'ready'";
const COUNT_DOWN = "update batch set remaining = remaining - 1 where run = ? returning remaining";

export const subjects = [raw("raw-sqlite", "full"), raw("raw-sqlite-normal", "normal")];

function raw(name: string, synchronous: "full" | "normal"): EmbeddedSubject {
  return {
    name,
    storage: "sqlite",
    async run(shape, { directory, time }) {
      const database = new DatabaseSync(path.join(directory, "raw.db"));
      database.exec(`${SCHEMA} pragma synchronous = ${synchronous};`);
      const timing = await time(async () => work(database, shape));
      const checks = readChecks(database, shape);
      database.close();
      return { ...timing, steps: stepCount(shape), checks };
    },
  };
}

function work(database: DatabaseSync, shape: Shape): void {
  const begin = database.prepare("begin immediate");
  const commit = database.prepare("commit");
  const insert = database.prepare(INSERT);
  const next = database.prepare(NEXT);
  const finish = database.prepare(FINISH);
  const openBatch = database.prepare("insert into batch (run, remaining) values (?, ?)");
  const countDown = database.prepare(COUNT_DOWN);

  begin.run();
  if (shape.kind === "fan") insert.run(0, 0, "open");
  else for (const run of range(shape.runs)) insert.run(run, 0, "line");
  commit.run();

  for (;;) {
    begin.run();
    const step = next.get();
    if (step === undefined) {
      commit.run();
      return;
    }
    const run = Number(step["run"]);
    const position = Number(step["position"]);
    finish.run(PAYLOAD, Number(step["id"]));
    if (shape.kind === "sequences") {
      if (position + 1 < shape.stepsPerRun) insert.run(run, position + 1, "line");
    } else if (step["role"] === "open") {
      openBatch.run(run, shape.children);
      for (const child of range(shape.children)) insert.run(run, child + 1, "child");
    } else if (step["role"] === "child" && countDown.get(run)?.["remaining"] === 0) {
      insert.run(run, shape.children + 1, "join");
    }
    commit.run();
  }
}

function readChecks(database: DatabaseSync, shape: Shape): Check[] {
  const count = (where: string, ...values: string[]): number =>
    Number(database.prepare(`select count(*) as n from step where ${where}`).get(...values)?.["n"]);
  const role = shape.kind === "fan" ? "child" : "line";
  return [
    {
      name: "steps stored with their payload",
      expected: stepCount(shape),
      found: count("role = ? and state = 'done' and payload = ?", role, PAYLOAD),
    },
    { name: "steps left open", expected: 0, found: count("state = 'ready'") },
    ...(shape.kind === "fan"
      ? [{ name: "joins", expected: 1, found: count("role = 'join' and state = 'done'") }]
      : []),
  ];
}
