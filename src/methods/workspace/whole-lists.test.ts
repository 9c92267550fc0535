/** What is shown without pages is whole, or says how much there is. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ALL_TIME, projectScope } from "../../kernel/run/budgets.ts";
import { type DatabaseWork, execute, queryFirst } from "../../kernel/store/database-work.ts";
import { insertDecision } from "../../kernel/store/decisions.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { ADMIN, furnish, openWorld, type World } from "./workspace-world.suite.ts";

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`what is shown without pages, on ${dialect}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ dialect });
    });
    after(() => world.remove());

    test("a project of which something was spent is among the budgets, however many others there are", async () => {
      const act = { actor: "admin", now: world.kernel.clock.now() };
      const last = "project-600";
      await world.kernel.store.write(function* () {
        for (let n = 1; n <= 600; n += 1) {
          yield* insertProject(
            { id: `project-${n}`, name: `Project ${n}`, ownerId: "admin", visibility: "private" },
            act,
          );
        }
        yield* execute(
          db.insertInto("spend").values({
            scope: projectScope(last),
            period: ALL_TIME,
            micro_usd: 5,
            tokens: 7,
            turns: 1,
          }),
        );
      });

      const { items } = (await world.as(ADMIN, "budget.show")) as {
        items: readonly { projectId?: string; spent: { tokens: number } }[];
      };

      const shown = items.filter(({ projectId }) => projectId !== undefined);
      assert.deepEqual(
        shown.map(({ projectId, spent }) => [projectId, spent.tokens]),
        [[last, 7]],
      );
    });

    test("a decision names everything that replaced it", async () => {
      const { projectId, decisionId } = await furnish(world, "workspace", "thoughts");
      const act = { actor: "admin", now: world.kernel.clock.now() };
      await world.kernel.store.write(function* () {
        for (let n = 0; n < 30; n += 1) {
          const words = { title: `Once more, ${n}`, projectId, supersedesId: decisionId };
          yield* insertDecision({ id: world.kernel.ids.next(), ...words }, act);
        }
      });

      const { supersededBy } = (await world.as(ADMIN, "decision.show", { decisionId })) as {
        supersededBy: readonly unknown[];
      };

      assert.equal(supersededBy.length, 30);
    });

    test("a run with more than a hundred runs below it and waits says how many it does not name", async () => {
      const { runId, waitId } = await furnish(world, "workspace");
      await world.kernel.store.write(function* () {
        for (let n = 0; n < 130; n += 1) {
          yield* copyRow("run", runId, {
            id: world.kernel.ids.next(),
            parent_run_id: runId,
            key: null,
          });
          yield* copyRow("wait", waitId, { id: world.kernel.ids.next(), key: `more ${n}` });
        }
        yield* execute(db.updateTable("run").set({ open_waits: 131 }).where("id", "=", runId));
      });

      const shown = (await world.as(ADMIN, "run.show", { runId })) as {
        childRuns: number;
        children: readonly unknown[];
        waits: readonly unknown[];
      };
      const text = await world.show(ADMIN, "run.show", { runId });

      assert.deepEqual(
        [shown.childRuns, shown.children.length, shown.waits.length],
        [130, 100, 100],
      );
      assert.match(text, /and 30 more: `run list --parent \S+` shows all/);
      assert.match(text, /and 31 more: `inbox list` shows all/);
    });
  });
}

function* copyRow(
  table: "run" | "wait",
  id: string,
  changes: Readonly<Record<string, string | null>>,
): DatabaseWork<void> {
  const row = yield* queryFirst(db.selectFrom(table).selectAll().where("id", "=", id));
  assert.ok(row);
  yield* execute(db.insertInto(table).values({ ...row, ...changes } as never));
}
