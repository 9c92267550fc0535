/** Looking after a workspace: doctor, backups, pruning, the sample. */

import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { manualClock } from "../../../tests/scratch/scratch-kernel.ts";
import { execute } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { findSample, seedSample } from "./seed-sample.ts";
import {
  ADMIN,
  type Furniture,
  furnish,
  OPERATOR,
  openWorld,
  startTrial,
  type World,
} from "./workspace-world.suite.ts";

interface Report {
  readonly checks: readonly {
    group: string;
    name: string;
    state: string;
    message: string;
    hint?: string;
  }[];
  readonly bad: number;
}

describe("doctor", () => {
  let world: World;
  let own: Furniture;
  before(async () => {
    world = await openWorld();
    own = await furnish(world, "own");
  });
  after(() => world.remove());

  const outcomeOf = (report: unknown) =>
    world.registry.get("workspace.doctor").surfaces?.cli?.outcome?.(report);

  test("finds nothing wrong in a sound workspace, group by group", async () => {
    const report = (await world.as(ADMIN, "workspace.doctor")) as Report;

    assert.deepEqual(
      report.checks.filter(({ state }) => state === "bad"),
      [],
    );
    assert.deepEqual(
      [...new Set(report.checks.map(({ group }) => group))],
      ["Store", "Room", "Backups", "Work", "Models", "Library", "Programs"],
    );
    assert.equal(outcomeOf(report), "ok");
  });

  test("names a row changed behind the log's back and says what to do; scripts see a failed check", async () => {
    await world.kernel.store.write(() =>
      execute(db.updateTable("task").set({ title: "Forged" }).where("id", "=", own.taskId)),
    );

    const report = (await world.as(ADMIN, "workspace.doctor")) as Report;

    const found = report.checks.filter(({ state }) => state === "bad");
    assert.ok(
      found.some(({ group, message }) => group === "Store" && message.includes(own.taskId)),
    );
    assert.ok(found.every(({ hint }) => hint !== undefined));
    assert.equal(outcomeOf(report), "check_failed");
  });

  test("sees work that a missing worker left behind", async () => {
    const { store, clock } = world.kernel;
    await store.write(() =>
      execute(
        db
          .updateTable("job")
          .set({ state: "leased", worker: "gone", lease_until: clock.now() - 120_000 })
          .where("run_id", "=", own.heldRunId),
      ),
    );

    const report = (await world.as(ADMIN, "workspace.doctor", { quick: true })) as Report;

    const leases = report.checks.find(({ name }) => name === "leases");
    assert.deepEqual([leases?.state, leases?.message.startsWith("1 job")], ["bad", true]);
  });

  test("sees what was written by a clock that ran ahead", async () => {
    const { store, clock } = world.kernel;
    const clockOf = async () => {
      const { checks } = (await world.as(ADMIN, "workspace.doctor", { quick: true })) as Report;
      return checks.find(({ name }) => name === "clock");
    };
    assert.equal((await clockOf())?.state, "ok");

    await store.write(() =>
      execute(
        db
          .updateTable("job")
          .set({ state: "leased", worker: "gone", lease_until: clock.now() + 365 * 86_400_000 })
          .where("run_id", "=", own.heldRunId),
      ),
    );

    const { state, message = "" } = (await clockOf()) ?? {};
    assert.equal(state, "warn");
    assert.match(message, /carries a moment (?:12 months|1 year|364 d|\d+ d)/);
  });
});

describe("backups", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
    await furnish(world, "own");
  });
  after(() => world.remove());

  test("are made while work goes on, listed newest first, and proven by a drill", async () => {
    for (const form of ["sqlite", "dump"]) {
      const name = `first.${form}`;
      await world.as(ADMIN, "backup.make", { name, form });

      const verified = (await world.as(ADMIN, "backup.verify", { name, drill: true })) as {
        isDrilled: boolean;
        rows: number;
      };

      assert.ok(verified.isDrilled && verified.rows > 20);
    }
    const { items } = (await world.as(ADMIN, "backup.list")) as {
      items: readonly { name: string }[];
    };
    assert.deepEqual(
      items.map(({ name }) => name),
      ["first.dump", "first.sqlite"],
    );
  });

  test("that were changed afterwards are refused", async () => {
    const made = (await world.as(ADMIN, "backup.make", { name: "broken.db" })) as { path: string };
    appendFileSync(made.path, "x");

    await assert.rejects(world.as(ADMIN, "backup.verify", { name: "broken.db" }), {
      code: "backup_damaged",
    });
  });

  test("are reached by name only: nothing outside their folder can be read or written", async () => {
    const outside = path.join("..", "workspace.db");

    for (const name of ["backup.make", "backup.verify"]) {
      await assert.rejects(world.as(ADMIN, name, { name: outside }), { code: "input_invalid" });
    }
    await assert.rejects(world.as(ADMIN, "backup.verify", { name: "none.db" }), {
      code: "backup_not_found",
    });
  });
});

describe("pruning", () => {
  test("lets go of words and keeps the record: chains verify, hashes stay, room is told", async () => {
    const clock = manualClock();
    const world = await openWorld({ clock });
    const own = await furnish(world, "own");
    await world.as(OPERATOR, "run.cancel", { runId: own.runId });
    const before = (await world.as(ADMIN, "exchange.show", { exchangeId: own.exchangeId })) as {
      promptHash: string;
      replyHash: string;
    };
    clock.advance(24 * 60 * 60_000);

    const preview = await world.as(ADMIN, "workspace.prune", { olderThan: "1h", dryRun: true });
    const done = (await world.as(ADMIN, "workspace.prune", { olderThan: "1h" })) as {
      pruned: { prompts: number; replies: number; events: number; bytes: number };
      diskAfter: { bytes: number };
    };

    const { pruned } = preview as typeof done;
    assert.ok(done.pruned.prompts >= 2 && done.pruned.replies >= 2 && done.pruned.events > 10);
    assert.deepEqual(
      [pruned.prompts, pruned.replies, pruned.events, pruned.bytes],
      [done.pruned.prompts, done.pruned.replies, done.pruned.events, done.pruned.bytes],
    );
    assert.ok(done.diskAfter.bytes > 0);
    const shown = (await world.as(ADMIN, "exchange.show", { exchangeId: own.exchangeId })) as {
      messages: unknown[];
      promptHash: string;
      replyHash: string;
      isPruned: boolean;
      reply?: string;
    };
    assert.deepEqual([shown.messages, shown.reply, shown.isPruned], [[], undefined, true]);
    assert.deepEqual([shown.promptHash, shown.replyHash], [before.promptHash, before.replyHash]);
    assert.equal(((await world.as(ADMIN, "workspace.doctor")) as Report).bad, 0);
    await world.remove();
  });
});

describe("the sample", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.remove());

  test("is seeded once, and shows a blocker as the next task", async () => {
    const first = await seedSample(world.kernel, "admin");
    const eventsBefore = await world.events();
    const again = await seedSample(world.kernel, "admin");

    assert.deepEqual(again, first);
    assert.equal(await world.events(), eventsBefore);
    const { task } = (await world.as(ADMIN, "task.next")) as {
      task: { title: string; hasBlocker: boolean };
    };
    assert.equal(task.hasBlocker, true);
  });

  test("goes in one command with all that was done in it, and does not come back", async () => {
    const sample = await seedSample(world.kernel, "admin");
    const project = sample?.projectId ?? "";
    const parent = (await world.as(OPERATOR, "task.add", { title: "Mine", project })) as {
      id: string;
    };
    await world.as(OPERATOR, "task.add", { title: "Part", parent: parent.id });
    await world.as(OPERATOR, "task.start", { taskId: parent.id });
    await world.as(ADMIN, "budget.set", { project, usd: 1 });
    const owner = { projectId: project, startedBy: "operator" };
    await world.kernel.store.write(function* () {
      for (const mood of ["asks", "holds", "ends"] as const) yield* startTrial(world, mood, owner);
    });
    await world.settle();

    const preview = await world.as(ADMIN, "workspace.clear-sample", { dryRun: true });
    const stillThere = await world.kernel.store.read(findSample);
    const done = await world.as(ADMIN, "workspace.clear-sample");

    assert.deepEqual(stillThere, sample);
    assert.deepEqual(
      (done as { cleared: unknown }).cleared,
      (preview as { cleared: unknown }).cleared,
    );
    for (const list of [
      "project.list",
      "task.list",
      "decision.list",
      "highlight.list",
      "conversation.list",
      "run.list",
    ]) {
      const { items } = (await world.as(ADMIN, list, { archived: "both" })) as { items: unknown[] };
      assert.deepEqual(items, [], list);
    }
    assert.equal(await seedSample(world.kernel, "admin"), undefined);
    assert.equal(((await world.as(ADMIN, "workspace.doctor")) as Report).bad, 0);
    await assert.rejects(world.as(ADMIN, "workspace.clear-sample"), { code: "sample_missing" });
  });
});
