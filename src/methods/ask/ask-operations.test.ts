import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { query } from "../../kernel/store/database-work.ts";
import { putProjectMember } from "../../kernel/store/project-members.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { askOperations } from "./ask-operations.ts";

const registry = createOperationRegistry(askOperations);
const operator = callerOf("operator", false, undefined);

describe("asking inside a project", () => {
  let kernel: ScratchKernel;
  before(async () => {
    kernel = await scratchKernel();
    await kernel.store.write(function* () {
      const act = { actor: "admin", now: kernel.clock.now() };
      for (const [id, role] of [
        ["watched", "viewer"],
        ["worked-on", "operator"],
      ] as const) {
        yield* insertProject({ id, name: id, ownerId: "admin" }, act);
        yield* putProjectMember({ projectId: id, userId: "operator", role }, act);
      }
    });
  });
  after(() => kernel.remove());
  const ask = (project: string) =>
    invoke(kernel, registry, "ask.start", operator, { request: "What next?", project });
  const projectsOfRuns = () =>
    kernel.store.read(() => query(db.selectFrom("run").select("project_id")));

  test("needs a role there that allows to run", async () => {
    await assert.rejects(ask("watched"), { code: "project_role_lacks_it" });
    await assert.rejects(ask("elsewhere"), { code: "project_not_found" });
    assert.deepEqual(await projectsOfRuns(), []);

    await ask("worked-on");

    assert.deepEqual(
      (await projectsOfRuns()).map((run) => run.project_id),
      ["worked-on"],
    );
  });
});
