/** Several engines on one store: they share the work, keep common limits, take over from the dead and outlive trouble. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import {
  completed,
  hastyClock,
  inRig,
  job,
  mostAtOnce,
  move,
  note,
  type Rig,
  type RigKind,
  turn,
  until,
} from "../../../tests/scratch/engine-rig.ts";
import { findPostgres } from "../../../tests/scratch/postgres-server.ts";
import type { Clock } from "../base/clock.ts";
import { ProductError } from "../base/errors.ts";
import { executeSql, performOutside } from "../store/database-work.ts";
import { openPostgres, type PostgresStore } from "../store/postgres-store.ts";
import { sqlText } from "../store/sql-text.ts";
import { openSqlite } from "../store/sqlite-store.ts";
import type { Store } from "../store/store.ts";
import { limitLane } from "./lanes.ts";

const item = turn("item", { accept: (view) => ({ effects: [note(view)] }) });
const join = move("join", (view) => ({ ...completed(), effects: [note(view)] }));
const fan = (count: number) =>
  move("fan", () => ({
    batches: [
      {
        key: "fan",
        jobs: Array.from({ length: count }, (_, index) => job(`i${index}`, "item")),
        followUp: job("join", "join"),
      },
    ],
  }));
const link = turn("link", {
  accept(view) {
    const { index, length } = view.input as { index: number; length: number };
    if (index + 1 === length) return { ...completed(), effects: [note(view)] };
    const next = job(`t${index + 1}`, "link", { index: index + 1, length });
    return { effects: [note(view)], jobs: [next] };
  },
});
const chain = (length: number) => ({ jobs: [job("t0", "link", { index: 0, length })] });
const NO_LIMIT = { maxRunning: null, ratePerMinute: null, burst: null };

export function workersSuite(kind: RigKind): void {
  describe("several workers", { concurrency: 1 }, () => {
    test(
      "three engines share a fan and chains, and do nothing twice",
      inRig(kind, { handlers: [fan(300), item, join, link], latencyMs: 2 }, async (rig) => {
        for (const worker of ["a", "b", "c"]) {
          rig.engine({ worker, concurrency: 8, store: rig.reopen() });
        }
        const ids = [
          await rig.begin({ jobs: [job("start", "fan")] }),
          ...(await Promise.all(Array.from({ length: 10 }, () => rig.begin(chain(12))))),
        ];
        for (const id of ids) await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 300 + 120, "no call was made twice");
        const effects = await rowsOf<{ key: string }>(rig.store, "select key from effect");
        assert.equal(effects.length, 300 + 120 + 1);
        const leases = await rowsOf(rig.store, "select id from job where fence > 1");
        assert.deepEqual(leases, [], "no job was leased twice");
      }),
    );

    test(
      "a lane for 3 never has more than 3 under way over two engines, and uses them all",
      inRig(kind, { handlers: [fan(60), item, join], latencyMs: 8 }, async (rig) => {
        await rig.write(() => limitLane("model:trial", { ...NO_LIMIT, maxRunning: 3 }, rig.now()));
        rig.engine({ worker: "a", store: rig.reopen() });
        rig.engine({ worker: "b", store: rig.reopen() });
        const id = await rig.begin({ jobs: [job("start", "fan")] });
        await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 60);
        assert.equal(mostAtOnce(rig.calls), 3);
      }),
    );

    test(
      "chains keep to their lane's limit too, also where one step hands its place to the next",
      inRig(kind, { handlers: [link], latencyMs: 4 }, async (rig) => {
        await rig.write(() => limitLane("model:trial", { ...NO_LIMIT, maxRunning: 2 }, rig.now()));
        rig.engine({ worker: "a", store: rig.reopen() });
        rig.engine({ worker: "b", store: rig.reopen() });
        const ids = await Promise.all(Array.from({ length: 6 }, () => rig.begin(chain(8))));
        for (const id of ids) await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 48);
        assert.ok(mostAtOnce(rig.calls) <= 2);
      }),
    );

    test(
      "a limit set while work is under way counts what runs already, and lifting it lets all go",
      inRig(kind, { handlers: [fan(80), item, join], latencyMs: 20 }, async (rig) => {
        const lane = "model:trial";
        rig.engine({ concurrency: 10 });
        const id = await rig.begin({ jobs: [job("start", "fan")] });
        await until("ten are under way", () => (mostAtOnce(rig.calls) === 10 ? true : undefined));

        await rig.write(() => limitLane(lane, { ...NO_LIMIT, maxRunning: 2 }, rig.now()));
        const limitedFrom = performance.now();
        await until("it slowed down", () =>
          rig.calls.filter(({ endedAt }) => endedAt === undefined).length <= 2 ? true : undefined,
        );
        await sleep(60);
        const later = rig.calls.filter(({ startedAt }) => startedAt > limitedFrom + 25);
        assert.ok(mostAtOnce(later) <= 2);

        await rig.write(() => limitLane(lane, NO_LIMIT, rig.now()));
        await rig.reaches(id, "completed");
        assert.equal(rig.calls.length, 80);
      }),
    );

    test("a rate holds over two engines", async () => {
      const factor = 20;
      await inRig(
        kind,
        { handlers: [fan(25), item, join], clock: hastyClock(factor) },
        async (rig) => {
          const limit = { maxRunning: null, ratePerMinute: 120, burst: 5 };
          await rig.write(() => limitLane("model:trial", limit, rig.now()));
          rig.engine({ worker: "a", store: rig.reopen(), leaseMs: 3_600_000 });
          rig.engine({ worker: "b", store: rig.reopen(), leaseMs: 3_600_000 });
          const id = await rig.begin({ jobs: [job("start", "fan")] });
          await rig.reaches(id, "completed");

          // When a call was let through, by the engine's clock: what the rate is about. When it then began is chance.
          const rows = await rowsOf<{ created_at: number }>(
            rig.store,
            "select created_at from exchange order by created_at",
          );
          const starts = rows.map(({ created_at }) => created_at);
          starts.forEach((at, index) => {
            const since = starts.slice(0, index + 1).filter((other) => other > at - 2000).length;
            assert.ok(since <= 5 + 4 + 1, `${since} calls within two seconds`);
          });
          const passed = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
          assert.ok(passed >= 8_000, `25 calls, 5 at once, then 2 a second: ${passed} ms`);
        },
      )();
    });

    test("a worker that stops breathing is taken over once its lease is over, and cannot write any more", async () => {
      const frozen = freezableClock();
      await inRig(kind, { handlers: [link], latencyMs: 60 }, async (rig) => {
        const other = rig.reopen();
        const gate = gatedStore(rig.reopen());
        rig.engine({ worker: "frozen", store: gate.store, clock: frozen.clock, leaseMs: 400 });
        const id = await rig.begin(chain(1));
        await until("it calls", () => (rig.calls.length === 1 ? true : undefined));
        gate.close();

        rig.engine({ worker: "heir", store: other, leaseMs: 5000 });
        await rig.reaches(id, "completed");
        gate.open();
        await sleep(150);

        assert.equal((await rig.effects(id)).length, 1);
        assert.equal(rig.calls.length, 2);
        const answers = await rowsOf<{ outcome: string }>(
          rig.store,
          "select outcome from answer where run_id = ? order by exchange_id",
          [id],
        );
        assert.deepEqual(
          answers.map(({ outcome }) => outcome),
          ["lost", "answered"],
        );
        const taken = (await rig.events(id)).filter(({ type }) => type === "job.taken_over");
        assert.equal(taken.length, 1);
      })();
    });

    if (kind.dialect === "postgres") {
      test(
        "a process that freezes inside a transaction does not keep its locks",
        inRig(kind, { handlers: [link], latencyMs: 1 }, async (rig) => {
          const { schema } = rig.store as PostgresStore;
          const frozen = openPostgres({
            connectionString: await findPostgres(),
            schema,
            frozenMs: 200,
          });
          const id = await rig.begin(chain(3));
          const writing = frozen.write(function* () {
            yield* executeSql(sqlText("update run set version = version where id = ?"), [id]);
            yield* performOutside(() => sleep(600));
          });
          const refused = assert.rejects(writing, { kind: "unavailable" });
          await sleep(50);

          rig.engine();
          await rig.reaches(id, "completed");
          await refused;
          await frozen.close();
        }),
      );
    }

    test("a worker with a short lease keeps it while its call takes long", async () => {
      await inRig(kind, { handlers: [link], latencyMs: 2500 }, async (rig) => {
        rig.engine({ worker: "a", leaseMs: 900 });
        rig.engine({ worker: "b", leaseMs: 900, store: rig.reopen() });
        const id = await rig.begin(chain(1));
        await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 1);
      })();
    });

    test("a clock that jumps a day ahead takes no live work away from its own worker", async () => {
      const jumping = freezableClock();
      await inRig(kind, { handlers: [link], latencyMs: 400, clock: jumping.clock }, async (rig) => {
        rig.engine({ leaseMs: 5000 });
        const id = await rig.begin(chain(2));
        await until("it calls", () => (rig.calls.length === 1 ? true : undefined));
        jumping.jump(86_400_000);
        await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, 2);
        const leases = await rowsOf(rig.store, "select id from job where fence > 1");
        assert.deepEqual(leases, []);
      })();
    });

    test("a clock that jumps a day ahead under two workers takes nothing from the one that sees it later", async () => {
      const [sooner, later] = [freezableClock(), freezableClock()];
      await inRig(kind, { handlers: [link], latencyMs: 600 }, async (rig) => {
        const pace = { leaseMs: 1500, concurrency: 3 };
        rig.engine({ ...pace, worker: "a", clock: sooner.clock });
        rig.engine({ ...pace, worker: "b", clock: later.clock, store: rig.reopen() });
        const ids = await Promise.all(Array.from({ length: 6 }, () => rig.begin(chain(1))));
        const working = "select distinct worker from job where state = 'leased'";
        await until("both are at work", async () =>
          (await rowsOf(rig.store, working)).length === 2 ? true : undefined,
        );
        sooner.jump(86_400_000);
        await sleep(300);
        later.jump(86_400_000);
        for (const id of ids) await rig.reaches(id, "completed");

        assert.equal(rig.calls.length, ids.length);
      })();
    });

    test("a timer fires once through jumps of the clock, ahead and back", async () => {
      const jumping = freezableClock();
      const set = move("set", (view) => ({
        timers: [{ key: "t", dueAt: view.now + 3_600_000, followUp: job("fired", "end") }],
      }));
      const end = move("end", (view) => ({ ...completed(), effects: [note(view)] }));
      await inRig(kind, { handlers: [set, end], clock: jumping.clock }, async (rig) => {
        const engine = rig.engine();
        const id = await rig.begin({ jobs: [job("a", "set")] });
        await rig.reaches(id, "waiting");
        jumping.jump(-7_200_000);
        await engine.whenIdle();
        assert.equal((await rig.run(id)).state, "waiting");

        jumping.jump(7_200_000 + 3_600_000);
        await rig.reaches(id, "completed");
        jumping.jump(-3_600_000);
        jumping.jump(3_600_000);
        await sleep(30);
        assert.equal((await rig.effects(id)).length, 1);
      })();
    });

    test(
      "a database that goes away for a moment holds nothing: the work goes on when it is back",
      inRig(
        kind,
        { handlers: [fan(120), item, join, link], latencyMs: 5, expectsTrouble: true },
        async (rig) => {
          const fragile = await openFragile(rig);
          rig.engine({ concurrency: 10, store: fragile });
          const ids = [
            await rig.begin({ jobs: [job("start", "fan")] }),
            ...(await Promise.all(Array.from({ length: 4 }, () => rig.begin(chain(15))))),
          ];
          let disturbances = 0;
          for (let round = 0; round < 4; round += 1) {
            await sleep(40);
            disturbances += await disturb(rig);
          }
          for (const id of ids) await rig.reaches(id, "completed");
          await rig.stop();
          await fragile.close();

          const effects = await rowsOf(rig.store, "select key from effect");
          assert.equal(effects.length, 120 + 60 + 1);
          assert.ok(disturbances >= 4, "it was really away");
          const held = await rowsOf(rig.store, "select id from wait where kind = 'held_job'");
          assert.deepEqual(held, []);
        },
      ),
    );

    test(
      "a database that is away between two calls of a turn, or loses its answer there, fails no turn and loses no text",
      inRig(kind, { handlers: [link], script: CUT_ONCE, expectsTrouble: true }, async (rig) => {
        const faults = ["refused", "answer lost", "refused", "answer lost"];
        const betweenCalls = () => rig.calls.length === 1 && rig.calls[0]?.endedAt !== undefined;
        const store: Store = {
          ...rig.store,
          write: async (work) => {
            const fault = betweenCalls() ? faults.shift() : undefined;
            if (fault === "refused") throw away("store_unreachable");
            const result = await rig.store.write(work);
            if (fault === "answer lost") throw away("store_outcome_unknown");
            return result;
          },
        };
        rig.engine({ store });

        const run = await rig.rest(await rig.begin(chain(1)));

        assert.deepEqual([run.state, run.turns, faults], ["completed", 2, []]);
        assert.equal(rig.calls[1]?.request.continuationOf?.text.length, 20);
      }),
    );
  });
}

const CUT_ONCE = {
  replies: [{ step: "link", attempt: 1, misbehave: { kind: "truncate", at: 20 } }],
};

function away(code: string): ProductError {
  return new ProductError(code, "The database does not answer.", { kind: "unavailable" });
}

/** Real time that can jump. */
function freezableClock(): { readonly clock: Clock; jump(ms: number): void } {
  let offset = 0;
  const real = hastyClock(1, Date.now());
  return {
    clock: { ...real, now: () => real.now() + offset },
    jump: (ms) => {
      offset += ms;
    },
  };
}

/** A connection whose writes wait while it is closed, as those of a stopped process do. */
function gatedStore(inner: Store): { readonly store: Store; open(): void; close(): void } {
  let gate = Promise.resolve();
  let release = () => {};
  return {
    store: {
      ...inner,
      write: async (work) => {
        await gate;
        return inner.write(work);
      },
      read: async (work) => {
        await gate;
        return inner.read(work);
      },
    },
    open: () => release(),
    close: () => {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
  };
}

/** A connection of its own that can be disturbed, and gives up soon where it would otherwise wait patiently. */
async function openFragile(rig: Rig): Promise<Store> {
  if (rig.store.dialect === "sqlite") return openSqlite({ path: rig.store.location, busyMs: 20 });
  const { schema } = rig.store as PostgresStore;
  const url = new URL(await findPostgres());
  url.searchParams.set("application_name", schema);
  return openPostgres({ connectionString: url.href, schema });
}

/** SQLite: another process holds the write lock. PostgreSQL: the fragile connections are ended. */
async function disturb(rig: Rig): Promise<number> {
  if (rig.store.dialect === "postgres") {
    const { schema } = rig.store as PostgresStore;
    const kill =
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = ?";
    return rig.write(() => executeSql(sqlText(kill), [schema]));
  }
  const holder = new DatabaseSync(rig.store.location);
  holder.exec("begin immediate");
  await sleep(250);
  holder.exec("rollback");
  holder.close();
  return 1;
}
