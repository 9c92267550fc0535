/** Looking at workflows: versions compared, steps found, problems placed, and how a terminal shows it all. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Dialect } from "../../../kernel/store/store.ts";
import {
  BROKEN,
  type CatalogueWorld,
  OPERATOR,
  openCatalogue,
  refusal,
  TWO_STEPS,
  VIEWER,
} from "./catalogue-world.suite.ts";

for (const dialect of ["sqlite", "postgres"] satisfies Dialect[]) {
  describe(`reading workflows on ${dialect}`, () => {
    let world: CatalogueWorld;
    before(async () => {
      world = await openCatalogue({ dialect });
    });
    after(() => world.remove());

    let made = 0;
    const create = () => {
      made += 1;
      return world.as<{ id: string; name: string }>(OPERATOR, "workflow.create", {
        name: `Notes ${made}`,
        source: TWO_STEPS,
      });
    };
    const save = (workflowId: string, source: string, more: object = {}) =>
      world.as(OPERATOR, "workflow.save", { workflowId, source, ...more });

    test("two versions are compared step by step and line by line", async () => {
      const { id } = await create();
      await save(
        id,
        TWO_STEPS.replace(
          "--> publish(Publish)",
          '--> check{Good?}\n    check -->|"output.notes.length > 0"| publish(Publish)\n    check -->|default| write',
        ).replace("Write the notes", "Write good notes"),
      );

      const diff = await world.as<{
        from: number;
        to: number;
        steps: {
          added: { id: string }[];
          removed: unknown[];
          changed: { id: string; fields: string[] }[];
        };
        edges: { added: string[]; removed: string[] };
        unified: string;
      }>(OPERATOR, "workflow.diff", { workflowId: id });

      assert.deepEqual([diff.from, diff.to], [1, 2]);
      assert.deepEqual(
        diff.steps.added.map((step) => step.id),
        ["check"],
      );
      assert.deepEqual(diff.steps.changed, [
        { id: "write", name: "Write Notes", fields: ["prompt"] },
      ]);
      assert.deepEqual(diff.edges.removed, ["write → publish"]);
      assert.ok(diff.edges.added.includes("check → write when default"));
      assert.match(diff.unified, /^@@ -1,\d+ \+1,\d+ @@\n {1}flowchart TD\n-/);
      const one = await create();
      const alone = await refusal(() =>
        world.as(OPERATOR, "workflow.diff", { workflowId: one.id }),
      );
      assert.equal(alone.code, "workflow_one_version");
    });

    test("a step is found by its id in the diagram, with the ways to and from it", async () => {
      const detail = await world.as<{
        step: { id: string; stepType: string; itemVariable: string };
        comesFrom: { source: string }[];
        leadsTo: { target: string }[];
      }>(VIEWER, "workflow.step", { workflowId: "library:pr-review", stageId: "C" });

      assert.deepEqual([detail.step.stepType, detail.step.itemVariable], ["foreach", "file"]);
      assert.deepEqual(
        detail.comesFrom.map(({ source }) => source),
        ["B"],
      );
      assert.deepEqual(
        detail.leadsTo.map(({ target }) => target),
        ["D"],
      );
      const unknown = await refusal(() =>
        world.as(VIEWER, "workflow.step", { workflowId: "library:pr-review", stageId: "Z" }),
      );
      assert.deepEqual([unknown.code, unknown.kind], ["step_not_found", "not_found"]);
    });

    test("checking says what is wrong and where, for a source and for what is stored", async () => {
      const check = (input: object) =>
        world.as<{
          isValid: boolean;
          errors: number;
          problems: { line?: number; code: string; excerpt?: string }[];
        }>(VIEWER, "workflow.check", input);

      const broken = await check({ source: BROKEN });
      const good = await check({ workflowId: "library:research" });
      const nobody = await check({
        source: 'graph TD\n A[Do it]\n%% @A: { "prompt": "Go.", "defaultAssigneeId": "ghost" }',
      });

      assert.equal(broken.isValid, false);
      assert.equal(broken.problems[0]?.line, 2);
      assert.match(broken.problems[0]?.excerpt ?? "", /\^/);
      assert.deepEqual([good.isValid, good.problems], [true, []]);
      assert.deepEqual(
        nobody.problems.map(({ code }) => code),
        ["unknown_agent"],
      );
      const both = await refusal(() => check({}));
      assert.equal(both.code, "check_needs_one");
    });

    test("a workflow is shown as an outline of its steps, with where each leads", async () => {
      const shown = await world.show(VIEWER, "workflow.show", { workflowId: "library:pr-review" });

      assert.match(shown, /^PR review\n\nReviews a pull request/);
      assert.match(shown, /C {2}Each: Review File \(foreach\), each file of output\.files → D\n/);
      assert.match(shown, /E {2}Quality Gate \(decision\)\n {4}output\.score >= 80 → F\n/);
      assert.match(shown, /G {2}Human Review \(manual\) → I\n/);
      assert.doesNotMatch(shown, /Problems/);
    });

    test("problems are shown with line and column, and an arrow under the place", async () => {
      const shown = await world.show(VIEWER, "workflow.check", { source: BROKEN });

      const [place = "", line = "", arrow = ""] = shown.split("\n");
      assert.match(place, /^2:\d+ error .* \[\w+\]$/);
      assert.equal(line.charAt(arrow.indexOf("^")), "(");
      assert.match(shown, /✗ It cannot run: 1 error\./);
      const fine = await world.show(VIEWER, "workflow.check", { source: TWO_STEPS });
      assert.equal(fine, '✓ "Release notes" can run: 2 steps, 1 edge.');
    });

    test("what was saved, what was not, and what it changed is said in a line", async () => {
      const { id, name } = await create();
      const source = TWO_STEPS.replace("Write Notes", "Write all");
      const saveShown = () => world.show(OPERATOR, "workflow.save", { workflowId: id, source });

      assert.match(
        await saveShown(),
        new RegExp(`^✓ Saved version 2 of workflow \\S+ "${name}"\\.$`),
      );
      assert.match(await saveShown(), /says the same already: nothing was added\.$/);
      const diff = await world.show(OPERATOR, "workflow.diff", { workflowId: id });
      assert.match(diff, /~ write {2}Write all: name\n/);
      assert.match(diff, /\n- {4}write\[Write Notes\].*\n\+ {4}write\[Write all\]/);
      const versions = await world.show(OPERATOR, "workflow.versions", { workflowId: id });
      assert.match(versions, /VERSION .*\n +2 +current .* operator/);
      const draft = await world.show(OPERATOR, "workflow.save", {
        workflowId: id,
        source: BROKEN,
        draft: true,
      });
      assert.match(draft, /^✓ Saved draft 3 of .*\n\nProblems\n/);
    });

    test("lists, steps and exports can be read and piped", async () => {
      const list = await world.show(VIEWER, "workflow.list");
      const step = await world.show(VIEWER, "workflow.step", {
        workflowId: "library:pr-review",
        stageId: "C",
      });
      const exported = await world.show(VIEWER, "workflow.export", {
        workflowId: "library:translation",
      });

      assert.match(list, /library:translation +Translation +5 steps/);
      assert.match(
        step,
        /^C {2}Each: Review File \(foreach\)\n\ncomes from +B → C\nleads to +C → D\n/,
      );
      assert.match(step, /\nPrompt\n {2}Review one file/);
      assert.equal(JSON.parse(exported).exportVersion, "2.0");
    });
  });
}
