import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createQueryId, type RootOperationNode, SqliteQueryCompiler } from "kysely";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { type DatabaseWork, runSql, type Statement } from "./database-work.ts";
import { engineTables } from "./engine-migration.ts";
import { appendEvents, type Event, latestCursor, readEvents } from "./events.ts";
import { sqlText } from "./sql-text.ts";

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`events on ${dialect}`, () => {
    test("1,000 concurrent commits and reconnecting readers: every event seen once, in order", async () => {
      const { store, reopen, remove } = await scratchStore(dialect, [engineTables]);
      const second = reopen();
      const total = 1000;
      let isDone = false;

      const readers = [store, second, store].map(async (source) => {
        const seen: Event[] = [];
        let after: string | undefined;
        for (;;) {
          const wasDone = isDone;
          const page = await source.read(() => readEvents(dialect, { after, limit: 37 }));
          seen.push(...page);
          after = page.at(-1)?.cursor ?? after;
          if (wasDone && page.length === 0 && seen.length >= total) return seen;
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      await Promise.all(
        Array.from({ length: total }, (_, i) =>
          (i % 2 ? store : second).write(() =>
            appendEvents(
              [
                {
                  stream: `s${i % 7}`,
                  type: "thing.counted",
                  projectId: null,
                  actor: "test",
                  data: { i },
                },
              ],
              i,
            ),
          ),
        ),
      );
      isDone = true;

      for (const seen of await Promise.all(readers)) {
        const numbers = seen.map(({ data }) => (data as { i: number }).i);
        assert.equal(new Set(numbers).size, total);
        assert.equal(numbers.length, total);
        for (let stream = 0; stream < 7; stream += 1) {
          const seqs = seen.filter((event) => event.stream === `s${stream}`).map(({ seq }) => seq);
          assert.deepEqual(
            seqs,
            seqs.map((_, position) => position + 1),
          );
        }
      }
      await second.close();
      await remove();
    });
  });
}

test("on sqlite whoever looks whether something happened goes through no log, however long it is", async () => {
  const { store, remove } = await scratchStore("sqlite", [engineTables]);
  const asked: Statement[] = [];
  function* noting<Result>(work: DatabaseWork<Result>): DatabaseWork<Result> {
    let step = work.next();
    while (!step.done) {
      asked.push(step.value);
      step = work.next(yield step.value);
    }
    return step.value;
  }

  await store.read(() => noting(latestCursor("sqlite")));
  await store.read(() => noting(readEvents("sqlite", { after: "0.7", limit: 5 })));
  await store.read(() => noting(readEvents("sqlite", { after: undefined, limit: 5 })));

  assert.equal(asked.length, 3);
  for (const statement of asked) {
    assert.ok(statement.kind === "built");
    const node = statement.query.toOperationNode() as RootOperationNode;
    const { sql, parameters } = new SqliteQueryCompiler().compileQuery(node, createQueryId());
    const plan = await store.read(() =>
      runSql<{ detail: string }>(sqlText(`explain query plan ${sql}`), [...parameters]),
    );
    const steps = plan.map(({ detail }) => detail).join("; ");
    assert.doesNotMatch(steps, /TEMP B-TREE/, sql);
  }
  await remove();
});

test("on sqlite a place in the log of another database has nothing after it", async () => {
  const { store, remove } = await scratchStore("sqlite", [engineTables]);
  const event = { stream: "s", type: "thing.counted", projectId: null, actor: "test", data: {} };
  await store.write(() => appendEvents([event, event], 1));
  const read = (after?: string) =>
    store.read(() => readEvents("sqlite", { ...(after === undefined ? {} : { after }), limit: 5 }));

  const all = await read();
  const [first, second] = all.map(({ cursor }) => cursor);
  const places = await Promise.all([first, second, "9.0"].map((place) => read(place)));

  assert.equal(await store.read(() => latestCursor("sqlite")), second);
  assert.deepEqual([all.length, ...places.map(({ length }) => length)], [2, 1, 0, 0]);
  await remove();
});
