import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { engineTables } from "./engine-migration.ts";
import { appendEvents, type Event, readEvents } from "./events.ts";

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
