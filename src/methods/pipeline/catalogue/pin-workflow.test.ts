/** What a run holds on to stays as it was when the run started, on both databases. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { openLibrary } from "../../../kernel/library/library.ts";
import { execute } from "../../../kernel/store/database-work.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import type { Finding } from "../../../kernel/store/finding.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { insertTask } from "../../../kernel/store/tasks.ts";
import { updateUser } from "../../../kernel/store/users.ts";
import {
  addProject,
  BROKEN,
  type CatalogueWorld,
  OPERATOR,
  openCatalogue,
  refusal,
  startIdleRun,
  TWO_STEPS,
} from "./catalogue-world.suite.ts";
import { pinRun, pinWorkflow } from "./pin-workflow.ts";
import { workflowTables } from "./workflow-migration.ts";
import { workflowOf } from "./workflow-of.ts";
import { catalogue } from "./workflow-tables.ts";

const step = (label: string) => `graph TD\n A[${label}]\n%% @A: { "prompt": "Do it." }\n`;
const running = (...names: string[]) =>
  `graph TD\n${names.map((name, i) => ` R${i}[[Run: ${name}]]`).join("\n")}\n`;

for (const dialect of ["sqlite", "postgres"] satisfies Dialect[]) {
  describe(`what runs hold on to, on ${dialect}`, () => {
    let world: CatalogueWorld;
    const folder = mkdtempSync(path.join(tmpdir(), "throughline-library-"));
    const write = (name: string, source: string) => {
      mkdirSync(path.join(folder, "pipeline/workflows"), { recursive: true });
      writeFileSync(path.join(folder, "pipeline/workflows", `${name}.mmd`), source);
    };
    before(async () => {
      const library = openLibrary({ layers: [{ name: "workspace", folder }] });
      world = await openCatalogue({ dialect, library });
    });
    after(async () => {
      await world.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    const pin = (workflow: string, more: { version?: number; projectId?: string } = {}) => {
      const { store, ids, clock, library } = world.kernel;
      const tools = {
        library,
        viewer: OPERATOR,
        projectId: more.projectId,
        nextId: () => ids.next(),
      };
      const act = { actor: "operator", now: clock.now() };
      return store.write(() => pinWorkflow({ workflow, version: more.version }, tools, act));
    };
    const read = (ref: { workflowId: string; version: number }) =>
      world.kernel.store.read(() => workflowOf(ref));
    const create = (name: string, source: string, more: object = {}) =>
      world.as<{ id: string }>(OPERATOR, "workflow.create", { name, source, ...more });
    const save = (workflowId: string, source: string, more: object = {}) =>
      world.as(OPERATOR, "workflow.save", { workflowId, source, ...more });

    test("a later version changes no run", async () => {
      const { id } = await create("Steady", step("First"));
      const { ref } = await pin("Steady");

      await save(id, step("Second"));

      assert.deepEqual(ref, { workflowId: id, version: 1 });
      assert.equal((await read(ref)).definition.steps[0]?.name, "First");
      assert.equal((await pin("Steady")).definition.steps[0]?.name, "Second");
      assert.equal((await pin("Steady", { version: 1 })).definition.steps[0]?.name, "First");
    });

    test("a later change of a library file changes no run, and what comes back is kept once", async () => {
      write("changing", step("First"));
      const first = await pin("library:changing");
      write("changing", step("Second thoughts"));
      const second = await pin("changing");
      write("changing", step("First"));
      const third = await pin("changing");

      assert.equal(first.name, "changing");
      assert.deepEqual(second.ref, { ...first.ref, version: 2 });
      assert.deepEqual(third.ref, first.ref);
      assert.equal((await read(first.ref)).definition.steps[0]?.name, "First");
      assert.equal((await read(second.ref)).definition.steps[0]?.name, "Second thoughts");
      const { items } = await world.as<{ items: { name: string }[] }>(OPERATOR, "workflow.list", {
        limit: 200,
      });
      assert.ok(!items.some(({ name }) => name === "changing"));
    });

    test("runs of a library file that start at once keep it once", async () => {
      write("popular", step("Popular"));

      const pins = await Promise.all(Array.from({ length: 6 }, () => pin("library:popular")));

      assert.equal(new Set(pins.map(({ ref }) => `${ref.workflowId} ${ref.version}`)).size, 1);
    });

    test("what a workflow may start in turn is fixed along, round about included", async () => {
      write("leaf", step("Leaf"));
      const branch = await create("Branch", running("leaf", "Trunk"), { draft: true });
      const trunk = await create("Trunk", running("Branch"));
      await save(branch.id, running("leaf", "Trunk"));

      const { subflows } = await pin("Trunk");

      assert.deepEqual(Object.keys(subflows).toSorted(), ["Branch", "Trunk", "leaf"]);
      assert.deepEqual(subflows["Branch"], { workflowId: branch.id, version: 2 });
      assert.deepEqual(subflows["Trunk"], { workflowId: trunk.id, version: 1 });
      const leaf = subflows["leaf"];
      assert.equal(leaf && (await read(leaf)).name, "leaf");
    });

    test("a project's workflow comes before the workspace's of the same name", async () => {
      const projectId = await addProject(world, "own");
      await create("Twice", step("Of the workspace"));
      await create("Twice", step("Of the project"), { project: projectId });
      const elsewhere = await addProject(world, "own");
      const labelOf = async (more: object) => (await pin("Twice", more)).definition.steps[0]?.name;

      assert.equal(await labelOf({ projectId }), "Of the project");
      assert.equal(await labelOf({ projectId: elsewhere }), "Of the workspace");
    });

    test("nothing is started that is unknown, archived, a draft, broken, or names nobody", async () => {
      const code = async (...given: Parameters<typeof pin>) =>
        (await refusal(() => pin(...given))).code;
      const gone = await create("Gone", step("Gone"));
      await world.as(OPERATOR, "workflow.archive", { workflowId: gone.id });
      await create("Only drafted", BROKEN, { draft: true });
      const drafted = await create("Drafted", step("Fine"));
      await save(drafted.id, BROKEN, { draft: true });
      write("broken", BROKEN);
      await create("Hollow", running("No such workflow"), { draft: true });
      await create(
        "Assigned",
        'graph TD\n A[Go]\n%% @A: { "prompt": "Go.", "defaultAssigneeId": "Agent" }',
      );

      assert.equal(await code("No such workflow"), "workflow_not_found");
      assert.equal(await code("Gone"), "workflow_archived");
      assert.equal(await code("Only drafted"), "workflow_only_drafts");
      assert.equal(await code("Drafted", { version: 2 }), "workflow_draft");
      assert.equal(await code("Drafted", { version: 7 }), "workflow_version_not_found");
      assert.equal(await code("library:broken"), "workflow_invalid");
      assert.equal((await pin("Drafted")).ref.version, 1);
      assert.equal((await pin("Assigned")).name, "Assigned");
      const act = { actor: "admin", now: world.kernel.clock.now() };
      await world.kernel.store.write(() => updateUser("agent", { isActive: false }, act));
      assert.equal(await code("Assigned"), "workflow_invalid");
      await world.kernel.store.write(() => updateUser("agent", { isActive: true }, act));
    });

    test("a workflow that runs or tasks were made by is archived, not deleted", async () => {
      const used = await create("Used", TWO_STEPS);
      const tasked = await create("Tasked", TWO_STEPS);
      const { ref } = await pin("Used");
      const runId = await startIdleRun(world);
      await world.kernel.store.write(() => pinRun(runId, ref));
      await world.kernel.store.write(() => pinRun(runId, ref));
      await world.kernel.store.write(() =>
        insertTask(
          { id: `task-${dialect}`, title: "Write", workflowId: tasked.id, workflowVersion: 1 },
          { actor: "operator", now: 1 },
        ),
      );
      const remove = (workflowId: string, more: object = {}) =>
        world.as<{ standsInTheWay: string[]; goesAlong: unknown[] }>(OPERATOR, "workflow.delete", {
          workflowId,
          ...more,
        });

      const { code, hint } = await refusal(() => remove(used.id));
      const dry = await remove(tasked.id, { dryRun: true });

      assert.equal(code, "workflow_in_use");
      assert.match(hint ?? "", /[Aa]rchive/);
      assert.deepEqual(dry.standsInTheWay, ["1 tasks"]);
      assert.deepEqual(dry.goesAlong, [{ what: "versions", count: 1 }]);
      await world.as(OPERATOR, "workflow.archive", { workflowId: used.id });
      assert.equal((await read(ref)).name, "Used");
    });

    test("the same source is read once, whatever it is called", async () => {
      const one = await create("Same one", step("Same"));
      const two = await create("Same two", step("Same"));

      const first = await read({ workflowId: one.id, version: 1 });
      const second = await read({ workflowId: two.id, version: 1 });

      assert.equal(first.definition, second.definition);
      assert.deepEqual([first.name, second.name], ["Same one", "Same two"]);
      const { kind } = await refusal(() => read({ workflowId: one.id, version: 9 }));
      assert.equal(kind, "not_found");
    });

    test("doctor finds a version that was changed behind the log's back", async () => {
      const { id } = await create("Tampered", step("Honest"));
      const examine = async () => {
        const found: Finding[] = [];
        const report = (finding: Finding) => found.push(finding);
        await examineStore(world.kernel.store, { migrations: [workflowTables], report });
        return found.filter(({ place }) => place.includes(id)).map(({ code }) => code);
      };
      assert.deepEqual(await examine(), []);

      await world.kernel.store.write(() =>
        execute(
          catalogue
            .updateTable("workflow_version")
            .set({ source: step("Changed") })
            .where("workflow_id", "=", id),
        ),
      );

      assert.deepEqual(await examine(), ["row_changed"]);
    });
  });
}
