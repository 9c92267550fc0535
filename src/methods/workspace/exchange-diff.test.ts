/** What a prompt says otherwise: than the one before it, which is found, or than one that is named. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import { compilePrompt } from "../../kernel/prompt/compile-prompt.ts";
import { packTrace } from "../../kernel/prompt/prompt-trace.ts";
import { execute, queryFirst } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";
import type { exchangeDiff, exchangeList } from "./exchange-shape.ts";
import {
  type Furniture,
  furnish,
  OPERATOR,
  openWorld,
  REVIEWER,
  STRANGER,
  startTrial,
  VIEWER,
  type World,
} from "./workspace-world.suite.ts";

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`what a prompt says otherwise, on ${dialect}`, () => {
    let world: World;
    let own: Furniture;
    before(async () => {
      world = await openWorld({ dialect });
      own = await furnish(world, "own");
    });
    after(() => world.remove());

    const diff = (exchangeId: string, more: object = {}, who = OPERATOR) =>
      world.as(who, "exchange.diff", { exchangeId, ...more }) as Promise<
        z.output<typeof exchangeDiff>
      >;
    const runTrial = async (projectId: string, startedBy = "operator") => {
      const runId = await world.kernel.store.write(() =>
        startTrial(world, "asks", { projectId, startedBy }),
      );
      await world.settle();
      return { runId, exchangeId: await lastOf(runId) };
    };
    const lastOf = async (runId: string) => {
      const row = await world.kernel.store.read(() =>
        queryFirst(
          db.selectFrom("exchange").select("id").where("run_id", "=", runId).orderBy("id", "desc"),
        ),
      );
      return row?.id ?? "";
    };
    const change = (id: string, columns: { messages?: string; item?: string; trace?: string }) =>
      world.kernel.store.write(() =>
        execute(db.updateTable("exchange").set(columns).where("id", "=", id)),
      );
    const says = (...lines: string[]) => ({
      messages: JSON.stringify([{ role: "user", text: lines.join("\n") }]),
    });
    /** Asked again in the same run. */
    const askAgain = (id: string, columns: { messages?: string; item?: string } = {}) =>
      world.kernel.store.write(function* () {
        const row = yield* queryFirst(db.selectFrom("exchange").selectAll().where("id", "=", id));
        assert.ok(row);
        const again = { ...row, ...columns, id: world.kernel.ids.next(), attempt: 2 };
        yield* execute(db.insertInto("exchange").values(again));
        return again.id;
      });

    test("it is compared with the one before it in its run, of the same step and item", async () => {
      const { exchangeId } = await runTrial(own.projectId);
      await change(exchangeId, says("Know this.", "We use leases."));
      const other = await askAgain(exchangeId, { item: "elsewhere" });
      const again = await askAgain(exchangeId, says("Know this.", "We use locks."));

      const { before: old, lines, characters, counts } = await diff(again);

      assert.notEqual(old.id, other);
      assert.equal(old.id, exchangeId);
      assert.deepEqual(
        lines.map((line) => [line.change, line.text]),
        [
          ["same", "Know this."],
          ["removed", "We use leases."],
          ["added", "We use locks."],
        ],
      );
      assert.equal(characters, -1);
      assert.equal(counts["changed"], 0, "the trial does not say what its prompt is made of");
    });

    test("of the first in its run, with the last one of the newest earlier run of its title", async () => {
      const earlier = await runTrial(own.projectId);
      const { exchangeId } = await runTrial(own.projectId);

      assert.equal((await diff(exchangeId)).before.id, earlier.exchangeId);
    });

    test("what there is to compare it with is listed page by page, its own run first, other items when they are asked for", async () => {
      const title = own.projectId;
      const old = await runTrial(title);
      const older = await askAgain(old.exchangeId, { item: "elsewhere" });
      const { exchangeId } = await runTrial(title);
      const other = await askAgain(exchangeId, { item: "elsewhere" });
      const again = await askAgain(exchangeId);
      const listed = async (input: object, who = OPERATOR) => {
        const page = (await world.as(who, "exchange.earlier", {
          exchangeId: again,
          limit: 1,
          ...input,
        })) as z.output<typeof exchangeList>;
        return [page.items.map(({ id }) => id), page.nextCursor] as const;
      };

      assert.deepEqual(await listed({}), [[exchangeId], exchangeId]);
      assert.equal((await listed({ cursor: exchangeId }))[0][0], old.exchangeId);
      assert.deepEqual((await listed({ otherItems: true }))[0], [other]);
      assert.deepEqual((await listed({ otherItems: true, cursor: other }))[0], [exchangeId]);
      const all = await listed({ otherItems: true, limit: 200 });
      assert.ok(!all[0].includes(older), "other items of other runs say nothing about this one");
      assert.equal(all[1], undefined);
      await assert.rejects(listed({}, STRANGER), { code: "exchange_not_found" });
      const view = await world.show(OPERATOR, "exchange.earlier", { exchangeId: again });
      assert.match(view, /^ID +OUTCOME +STEP/m);
    });

    test("a run of another project is not looked at, and where there is none it says so", async () => {
      const project = (await world.as(OPERATOR, "project.add", { name: "Alone" })) as {
        id: string;
      };
      const { exchangeId } = await runTrial(project.id);

      await assert.rejects(diff(exchangeId), { code: "exchange_first" });
      assert.equal((await diff(exchangeId, { before: own.exchangeId })).before.id, own.exchangeId);
    });

    test("prompts that say what they are made of are compared part by part, with the reasons", async () => {
      const layout = { layers: [{ id: "facts", role: "user", stability: "project" }] } as const;
      const made = (texts: Readonly<Record<string, string>>) => {
        const prompt = compilePrompt(
          layout,
          Object.entries(texts).map(([id, text], order) => {
            return { id, layer: "facts", order, text, importance: 1 };
          }),
        );
        const messages = prompt.messages.map(({ role, text }) => ({ role, text }));
        const trace = JSON.stringify(packTrace(prompt));
        return { messages: JSON.stringify(messages), trace };
      };
      const old = await runTrial(own.projectId);
      const now = await runTrial(own.projectId);
      await change(old.exchangeId, made({ a: "first", b: "second" }));
      await change(now.exchangeId, made({ a: "first", c: "third" }));

      const { parts, counts } = await diff(now.exchangeId);

      assert.deepEqual(
        parts.map((part) => [part.part, part.change, part.before, part.after]),
        [
          ["a", "same", "Included.", "Included."],
          ["b", "removed", "Included.", undefined],
          ["c", "added", undefined, "Included."],
        ],
      );
      assert.deepEqual([counts["added"], counts["removed"]], [1, 1]);
      const view = await world.show(OPERATOR, "exchange.diff", { exchangeId: now.exchangeId });

      assert.match(view, /− facts: b\n\+ facts: c/);
      assert.match(view, /^- second$/m);
      assert.match(view, /^\+ third$/m);
    });

    test("words that were pruned are not compared, and who may not read the one or the other is refused", async () => {
      const foreign = await furnish(world, "foreign");
      const { exchangeId } = await runTrial(own.projectId);
      await change(exchangeId, { messages: "[]" });

      await assert.rejects(diff(exchangeId), { code: "exchange_pruned" });
      await assert.rejects(diff(own.exchangeId, { before: foreign.exchangeId }), {
        code: "exchange_not_found",
      });
      await assert.rejects(diff(own.exchangeId, { before: own.exchangeId }, STRANGER), {
        code: "exchange_not_found",
      });
      await assert.rejects(diff(own.exchangeId, { before: own.exchangeId }, VIEWER), {
        code: "permission_missing",
      });
      const same = await diff(own.exchangeId, { before: own.exchangeId }, REVIEWER);
      assert.ok(same.lines.every((line) => line.change === "same"));
    });
  });
