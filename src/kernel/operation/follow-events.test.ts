import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { systemClock } from "../base/clock.ts";
import { engineTables } from "../store/engine-migration.ts";
import { appendEvents, type Event, type NewEvent } from "../store/events.ts";
import { nounTables } from "../store/noun-migration.ts";
import { insertProject } from "../store/projects.ts";
import type { Store } from "../store/store.ts";
import { insertUser } from "../store/users.ts";
import { callerOf } from "./authorisation-matrix.ts";
import { createChangeFeed } from "./change-feed.ts";
import { type FollowOptions, followEvents } from "./follow-events.ts";
import { visibleEvents } from "./visible-events.ts";

const told = (change: Partial<NewEvent>): NewEvent => ({
  stream: "workspace",
  type: "thing.happened",
  projectId: null,
  actor: "engine",
  data: {},
  ...change,
});
const tell = (store: Store, events: readonly NewEvent[]) =>
  store.write(() => appendEvents(events, Date.now()));

function follow(store: Store, options: Partial<FollowOptions>) {
  const stop = new AbortController();
  const pages = followEvents({
    store,
    clock: systemClock,
    changes: createChangeFeed(store, systemClock, 20),
    signal: stop.signal,
    select: async (events) => events,
    idleMs: 10_000,
    ...options,
  });
  return { pages, stop: () => stop.abort() };
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`following events on ${dialect}`, () => {
    test("sees every event of its streams once, written by other connections, while a busy log goes on", async () => {
      const scratch = await scratchStore(dialect, [engineTables]);
      const { store } = scratch;
      const writer = scratch.reopen();
      const seen: number[] = [];
      const { pages, stop } = follow(store, { after: "0.0", streams: ["mine"] });
      const reading = (async () => {
        for await (const { events } of pages) {
          seen.push(...events.map(({ data }) => (data as { n: number }).n));
          if (seen.length >= 50) stop();
        }
      })();

      for (let n = 0; n < 50; n += 1) {
        const noise = Array.from({ length: 7 }, () => told({ stream: "noise" }));
        await tell(writer, [...noise, told({ stream: "mine", data: { n } }), ...noise]);
      }
      await reading;

      assert.deepEqual(
        seen,
        Array.from({ length: 50 }, (_, n) => n),
      );
      await writer.close();
      await scratch.remove();
    });

    test("gives a sign of life in time, also while others' events keep coming, and its place moves on", async () => {
      const scratch = await scratchStore(dialect, [engineTables]);
      const { store } = scratch;
      const { pages, stop } = follow(store, { streams: ["quiet"], idleMs: 100 });
      const written: Promise<unknown>[] = [];
      const noise = setInterval(() => {
        written.push(tell(store, [told({ stream: "noise" })]));
      }, 10);

      const begun = await pages.next();
      const startedAt = performance.now();
      const first = await pages.next();
      const second = await pages.next();
      const elapsed = performance.now() - startedAt;
      // On PostgreSQL the place waits for older transactions, also of other tests.
      let last = second;
      while (last.value?.cursor === first.value?.cursor) last = await pages.next();
      clearInterval(noise);
      stop();
      await pages.return();
      await Promise.all(written);

      assert.equal(begun.value?.isCurrent, true, "at once: nothing older is left");
      assert.ok(elapsed > 150, `${elapsed} ms`);
      assert.deepEqual([first.value?.events, second.value?.events], [[], []]);
      await scratch.remove();
    });

    test("people see their projects, their runs and their own deeds; admins see all", async () => {
      const scratch = await scratchStore(dialect, [engineTables, nounTables]);
      const { store } = scratch;
      const act = { actor: "admin", now: 1 };
      await store.write(function* () {
        for (const role of ["admin", "viewer"] as const)
          yield* insertUser({ id: role, displayName: role, role }, act);
        yield* insertProject(
          { id: "mine", name: "M", ownerId: "viewer", visibility: "private" },
          act,
        );
        yield* insertProject(
          { id: "closed", name: "C", ownerId: "admin", visibility: "private" },
          act,
        );
      });
      const events = [
        told({ stream: "mine", projectId: "mine" }),
        told({ stream: "closed", projectId: "closed" }),
        told({ stream: "closed", projectId: "closed", actor: "viewer" }),
        told({ actor: "viewer" }),
        told({ actor: "admin" }),
      ] as readonly NewEvent[] as readonly Event[];

      const seen = await store.read(() =>
        visibleEvents(events, callerOf("viewer", false, undefined)),
      );
      const all = await store.read(() =>
        visibleEvents(events, callerOf("admin", false, undefined)),
      );

      assert.deepEqual(
        seen.map((event) => events.indexOf(event)),
        [0, 3],
      );
      assert.equal(all.length, 5);
      await scratch.remove();
    });
  });
}
