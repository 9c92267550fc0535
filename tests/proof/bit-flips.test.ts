/**
 * One bit of a store's file turned over, one store after the other: where that changes anything a table holds, `doctor`
 * must say so wherever a row or a text has a hash; what it does not see elsewhere is counted and told by table. A bit
 * that changes nothing (a free page, the slack of a page) is counted apart. `BITS` is how many that change something
 * are tried.
 */

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import { hashText } from "../../src/kernel/base/hash.ts";
import { createDice } from "../../src/kernel/model/rehearsal-dice.ts";
import { AUDITED_TABLES } from "../../src/kernel/store/audited-tables.ts";
import { examineSqliteFile } from "../../src/kernel/store/doctor-store.ts";
import { answerOne } from "../simulation/people.ts";
import { isAtRest, stopAll } from "../simulation/simulation.ts";
import { openWorld } from "../simulation/world.ts";
import { REFERENCE } from "../simulation/workload.ts";

const BITS = Number(process.env["BITS"] ?? 0);
const SEED = process.env["SEED"] ?? "bits";
const MOST_STEPS = 3000;

test("a bit turned over in anything a table holds is found by doctor", {
  skip: BITS === 0 ? "set BITS to how many" : false,
}, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-bits-"));
  const file = path.join(folder, "workspace.db");
  await fillStore(folder);
  const whole = readFileSync(file);
  assert.deepEqual(await examine(file), []);
  const before = contentOf(file);
  assert.ok(before !== undefined);
  const dice = createDice(hashText(SEED));
  const flipped = path.join(folder, "flipped.db");
  const tally = { tried: 0, idle: 0, inData: 0, found: 0 };
  const missed = new Map<string, number>();

  while (tally.inData < BITS) {
    const at = dice.below(whole.length);
    const bit = 1 << dice.below(8);
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(at) ^ bit, at);
    writeFileSync(flipped, bytes);
    tally.tried += 1;
    const changed = changesOf(before, contentOf(flipped));
    if (changed.length === 0) {
      tally.idle += 1;
      continue;
    }
    tally.inData += 1;
    const found = await examine(flipped);
    if (found.length > 0) tally.found += 1;
    else for (const what of changed) missed.set(what, (missed.get(what) ?? 0) + 1);
  }
  rmSync(folder, { recursive: true, force: true });

  const places = [...missed].toSorted(([, a], [, b]) => b - a);
  const most = places.slice(0, 8).map(([place, count]) => `${place} ${count}`);
  t.diagnostic(
    `${tally.found} of ${tally.inData} stores with a bit turned over in their data detected; ${tally.idle} more bits changed nothing${places.length > 0 ? `; not found, in rows without a hash: ${most.join(", ")}` : ""}`,
  );
  assert.deepEqual(
    places.filter(([place]) => isHashed(place)),
    [],
  );
});

/** Columns of these tables that a hash covers; rows of tables that are not named have no hash yet. */
const HASHED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  event: ["type", "actor", "at", "data", "data_hash", "previous_hash", "hash"],
  text: ["hash", "body"],
  exchange: ["messages", "prompt_hash"],
  answer: ["reply", "reply_hash"],
  artifact: ["body", "hash", "bytes"],
};

function isHashed(place: string): boolean {
  const [table = "", column = ""] = place.split(".");
  const audited = [...AUDITED_TABLES, ...MIGRATIONS.flatMap(({ audited: of = [] }) => of)];
  if (audited.some((each) => each.table === table)) return true;
  const hashed = MIGRATIONS.flatMap(({ hashed: of = [] }) => of);
  return (
    (HASHED_COLUMNS[table]?.includes(column) ?? false) ||
    hashed.some((each) => each.table === table && [each.text, each.hash].includes(column)) ||
    ["the file", "sqlite_schema"].some((whole) => place.startsWith(whole))
  );
}

/** Something of every method, by the engine itself; whole in one file when it is closed. */
async function fillStore(folder: string): Promise<void> {
  const world = await openWorld("bits", folder, { faultsOneIn: 0, misbehaves: false });
  const dice = createDice(hashText("people"));
  await world.startProcess();
  for (const work of REFERENCE) {
    assert.ok(await work.start(world.ask, dice), work.name);
    for (let steps = 0; !(await isAtRest(world)); steps += 1) {
      assert.ok(steps < MOST_STEPS, work.name);
      await world.time.settle();
      if (steps % 5 === 0) await answerOne(world.ask, dice, work.answers);
      world.time.pass(1000);
    }
  }
  await stopAll(world);
  await world.store.close();
}

async function examine(file: string): Promise<readonly string[]> {
  const found: string[] = [];
  await examineSqliteFile(file, {
    migrations: MIGRATIONS,
    report: ({ code, place }) => found.push(`${code} ${place}`),
  });
  return found;
}

type Content = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A digest of every cell, by table and column; undefined where the file cannot be read. */
function contentOf(file: string): Content | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map(({ name }) => String(name));
    return new Map(
      ["sqlite_schema", ...tables].map((table) => [table, columnsOf(database, table)]),
    );
  } catch {
    return undefined;
  } finally {
    database.close();
  }
}

function columnsOf(database: DatabaseSync, table: string): ReadonlyMap<string, string> {
  const statement = database.prepare(`select * from "${table}" not indexed`);
  statement.setReadBigInts(true);
  const cells = new Map<string, string[]>();
  for (const row of statement.iterate()) {
    for (const [column, value] of Object.entries(row)) {
      const list = cells.get(column) ?? [];
      list.push(
        value instanceof Uint8Array
          ? Buffer.from(value).toString("hex")
          : `${typeof value} ${value}`,
      );
      cells.set(column, list);
    }
  }
  return new Map([...cells].map(([column, list]) => [column, hash("sha256", list.join("\0"))]));
}

function changesOf(before: Content, after: Content | undefined): string[] {
  if (after === undefined) return ["the file"];
  const changed: string[] = [];
  for (const [table, columns] of before) {
    for (const [column, digest] of columns) {
      if (after.get(table)?.get(column) !== digest) changed.push(`${table}.${column}`);
    }
  }
  return changed;
}
