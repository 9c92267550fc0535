/** Migrations that are killed before any of their statements: what was there stays usable, and the next start finishes them. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import { migrate } from "../../src/kernel/store/migrate.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import { rowsOf } from "../scratch/engine-audit.ts";
import { scratchStore } from "../scratch/scratch-store.ts";

/** `EVERY=1` tries every statement. */
const { EVERY } = process.env;
const SPACING = { sqlite: Number(EVERY ?? 13), postgres: Number(EVERY ?? 41) };
const APPLIED = "select name from migration order by position";

const SHAPE = {
  sqlite: "select type, name, sql from sqlite_master order by type, name",
  postgres: `select c.relkind::text as kind, c.relname as name, a.attname as part from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'i') order by 1, 2, 3`,
} as const;

describe("migrations killed half-way", () => {
  for (const dialect of ["sqlite", "postgres"] as const) {
    test(`on ${dialect}: before any statement, the old shape is whole and the next start has the new one`, async (t) => {
      const expected = await shapeAfter(dialect, MIGRATIONS.length);
      let points = 0;
      let outcome = "";
      for (let point = 1; outcome !== "done"; point += SPACING[dialect]) {
        const scratch = await scratchStore(dialect, []);
        const { store } = scratch;
        outcome = await migrate(killedStore(store, { statements: point }), MIGRATIONS, 0).then(
          () => "done",
          (error: Error) => error.message,
        );
        assert.ok(outcome === "done" || outcome === KILLED, outcome);
        points += 1;
        const applied = await rowsOf<{ name: string }>(store, APPLIED);
        assert.deepEqual(
          applied.map(({ name }) => name),
          MIGRATIONS.slice(0, applied.length).map(({ name }) => name),
          "whole migrations, in order",
        );
        assert.deepEqual(
          await rowsOf(store, SHAPE[dialect]),
          await shapeAfter(dialect, applied.length),
          "nothing of the one that was killed",
        );
        await migrate(store, MIGRATIONS, 0);
        assert.deepEqual(await rowsOf(store, SHAPE[dialect]), expected);
        await scratch.remove();
      }
      t.diagnostic(`${points} points`);
    });
  }
});

const shapes = new Map<string, readonly unknown[]>();

async function shapeAfter(dialect: "sqlite" | "postgres", count: number) {
  const known = shapes.get(`${dialect} ${count}`);
  if (known) return known;
  const scratch = await scratchStore(dialect, MIGRATIONS.slice(0, count));
  const shape = await rowsOf(scratch.store, SHAPE[dialect]);
  await scratch.remove();
  shapes.set(`${dialect} ${count}`, shape);
  return shape;
}

const KILLED = "killed";

function killedStore(store: Store, left: { statements: number }): Store {
  return { ...store, write: (work) => store.write(() => killed(work(), left)) };
}

function* killed<Result>(
  work: DatabaseWork<Result>,
  left: { statements: number },
): DatabaseWork<Result> {
  let step = work.next();
  while (!step.done) {
    if ((left.statements -= 1) === 0) throw new Error(KILLED);
    step = work.next(yield step.value);
  }
  return step.value;
}
