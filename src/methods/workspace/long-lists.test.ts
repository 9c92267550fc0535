/** A page of a list costs the same however long the list is: it walks an index and sorts nothing. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createQueryId, type RootOperationNode, SqliteQueryCompiler } from "kysely";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { type DatabaseWork, runSql } from "../../kernel/store/database-work.ts";
import { sqlText } from "../../kernel/store/sql-text.ts";
import { listVisibleEvents } from "./event-rows.ts";
import { listRuns } from "./run-rows.ts";

const CURSOR = "1700000000000.0199a1b2-c3d4-7000-8000-000000000001";
const page = { limit: 20, order: "newest" } as const;

describe("a page of a long list is found, not sorted", () => {
  let kernel: ScratchKernel;
  before(async () => {
    kernel = await scratchKernel();
  });
  after(() => kernel.remove());

  /** How SQLite would answer the first question of some work. */
  const planOf = async (work: DatabaseWork<unknown>): Promise<string> => {
    const statement = work.next().value;
    assert.ok(typeof statement === "object" && statement !== null && "query" in statement);
    const node = (statement.query as { toOperationNode(): RootOperationNode }).toOperationNode();
    const { sql, parameters } = new SqliteQueryCompiler().compileQuery(node, createQueryId());
    const steps = await kernel.store.read(() =>
      runSql<{ detail: string }>(sqlText(`explain query plan ${sql}`), parameters),
    );
    return steps.map(({ detail }) => detail).join("; ");
  };

  for (const role of ["admin", "operator"] as const) {
    const caller = callerOf(role, false, undefined);

    test(`of runs, for an ${role}`, async () => {
      for (const filter of [
        {},
        { cursor: CURSOR },
        { order: "oldest" as const },
        { states: ["completed" as const] },
        { projectId: "p1" },
        { projectId: "p1", cursor: CURSOR },
      ]) {
        const plan = await planOf(listRuns({ ...page, isArchived: false, ...filter }, caller));
        assert.doesNotMatch(plan, /TEMP B-TREE FOR (?:LAST TERM OF )?ORDER BY/, plan);
        assert.match(plan, /run USING INDEX/, plan);
      }
    });

    test(`of events, for an ${role}`, async () => {
      for (const filter of [{}, { cursor: "0.17" }, { order: "oldest" as const }]) {
        const plan = await planOf(listVisibleEvents("sqlite", { ...page, ...filter }, caller));
        assert.doesNotMatch(plan, /TEMP B-TREE FOR (?:LAST TERM OF )?ORDER BY/, plan);
      }
    });
  }
});
