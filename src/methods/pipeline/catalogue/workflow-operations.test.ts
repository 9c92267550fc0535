/** Workflows through their operations, on both databases. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Dialect } from "../../../kernel/store/store.ts";
import {
  ADMIN,
  addProject,
  BROKEN,
  type CatalogueWorld,
  OPERATOR,
  openCatalogue,
  refusal,
  STRANGER,
  TWO_STEPS,
} from "./catalogue-world.suite.ts";

interface Saved {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly origin: string;
  readonly version: number;
  readonly currentVersion?: number;
  readonly lastVersion: number;
  readonly savedVersion: number;
  readonly isNew: boolean;
  readonly isDraft: boolean;
  readonly problems: readonly { readonly code: string; readonly severity: string }[];
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly name: string }[];
  readonly library: readonly { readonly ref: string; readonly layer: string }[];
  readonly nextCursor?: string;
}

for (const dialect of ["sqlite", "postgres"] satisfies Dialect[]) {
  describe(`workflows on ${dialect}`, () => {
    let world: CatalogueWorld;
    before(async () => {
      world = await openCatalogue({ dialect });
    });
    after(() => world.remove());

    let made = 0;
    const create = (input: object = {}, who = OPERATOR) => {
      made += 1;
      return world.as<Saved>(who, "workflow.create", {
        name: `Notes ${made}`,
        source: TWO_STEPS,
        ...input,
      });
    };
    const save = (workflowId: string, source: string, more: object = {}) =>
      world.as<Saved>(OPERATOR, "workflow.save", { workflowId, source, ...more });
    const edited = (mark: string) => TWO_STEPS.replace("Write Notes", `Write ${mark}`);

    test("a workflow takes name and description from its source unless they are given", async () => {
      const named = await world.as<Saved>(OPERATOR, "workflow.create", { source: TWO_STEPS });
      const given = await create({ description: "Ours." });
      const nameless = await refusal(() =>
        world.as(OPERATOR, "workflow.create", { source: "graph TD\n A[Do it]" }),
      );

      assert.deepEqual(
        [named.name, named.description, named.currentVersion, named.origin],
        ["Release notes", "Notes for a release.", 1, "workspace"],
      );
      assert.equal(given.description, "Ours.");
      assert.equal(nameless.code, "workflow_nameless");
    });

    test("every save adds a version that never changes, and the same source adds none", async () => {
      const { id } = await create();

      const second = await save(id, edited("All"), { summary: "All of it" });
      const same = await save(id, edited("All"));
      const back = await save(id, TWO_STEPS);

      assert.deepEqual([second.savedVersion, second.isNew], [2, true]);
      assert.deepEqual([same.savedVersion, same.isNew, same.version], [2, false, second.version]);
      assert.deepEqual([back.savedVersion, back.currentVersion], [3, 3]);
      const { items } = await world.as<{ items: { version: number; summary: string }[] }>(
        OPERATOR,
        "workflow.versions",
        { workflowId: id },
      );
      assert.deepEqual(
        items.map(({ version, summary }) => [version, summary]),
        [
          [3, ""],
          [2, "All of it"],
          [1, ""],
        ],
      );
      const old = await world.as<{ source: string }>(OPERATOR, "workflow.show", {
        workflowId: id,
        workflowVersion: 2,
      });
      assert.equal(old.source, edited("All"));
    });

    test("a source with errors is saved as a draft only, and a draft is never current", async () => {
      const { id } = await create();

      const { code, message, details } = await refusal(() => save(id, BROKEN));
      const draft = await save(id, BROKEN, { draft: true });
      const again = await save(id, BROKEN, { draft: true });
      const fixed = await save(id, edited("Now"));

      assert.equal(code, "workflow_invalid");
      assert.match(message, /\d+:\d+ /);
      assert.ok(Array.isArray(details["problems"]));
      assert.deepEqual([draft.savedVersion, draft.currentVersion, draft.isDraft], [2, 1, true]);
      assert.ok(draft.problems.some(({ severity }) => severity === "error"));
      assert.equal(again.isNew, false);
      assert.deepEqual([fixed.savedVersion, fixed.currentVersion], [3, 3]);
    });

    test("a draft that became right is made current by saving it in earnest", async () => {
      const draft = await create({ draft: true });

      const { currentVersion, savedVersion } = await save(draft.id, TWO_STEPS);

      assert.equal(draft.currentVersion, undefined);
      assert.deepEqual([currentVersion, savedVersion], [2, 2]);
    });

    test("of saves that expect one version, one is made and the rest are told", async () => {
      const { id, version } = await create();

      const tries = await Promise.allSettled(
        Array.from({ length: 5 }, (_, i) =>
          save(id, edited(`number ${i}`), { expectedVersion: version }),
        ),
      );

      const won = tries.filter(({ status }) => status === "fulfilled");
      assert.equal(won.length, 1);
      const { lastVersion } = await world
        .as<{ workflow: Saved }>(OPERATOR, "workflow.show", {
          workflowId: id,
        })
        .then(({ workflow }) => workflow);
      assert.equal(lastVersion, 2);
    });

    test("saves that expect nothing are numbered without gaps", async () => {
      const { id } = await create();

      const saves = await Promise.all(
        Array.from({ length: 8 }, (_, i) => save(id, edited(`number ${i}`))),
      );

      assert.deepEqual(
        saves.map(({ savedVersion }) => savedVersion).toSorted((a, b) => a - b),
        [2, 3, 4, 5, 6, 7, 8, 9],
      );
    });

    test("a name is used once in a place, and archiving gives it free", async () => {
      const project = await addProject(world, "own");
      const first = await create({ name: "Only one" });

      const taken = await refusal(() => create({ name: "Only one" }));
      const elsewhere = await create({ name: "Only one", project });
      await world.as(OPERATOR, "workflow.archive", { workflowId: first.id });
      const second = await create({ name: "Only one" });
      const back = await refusal(() =>
        world.as(OPERATOR, "workflow.restore", { workflowId: first.id }),
      );

      assert.deepEqual([taken.code, taken.kind], ["workflow_name_taken", "conflict"]);
      assert.equal(elsewhere.origin, "project");
      assert.equal(back.code, "workflow_name_taken");
      const ambiguous = await refusal(() =>
        world.as(OPERATOR, "workflow.show", { workflowId: "Only one" }),
      );
      assert.equal(ambiguous.code, "name_ambiguous");
      await world.as(OPERATOR, "workflow.delete", { workflowId: second.id });
      await world.as(OPERATOR, "workflow.restore", { workflowId: first.id });
    });

    test("two who take the same name at once get one workflow", async () => {
      const tries = await Promise.allSettled([
        create({ name: "Contested" }),
        create({ name: "Contested" }, STRANGER),
      ]);

      assert.deepEqual(tries.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    });

    test("a workflow is found by name, by id, by the beginning of its id, and by its file", async () => {
      const { id, name } = await create();
      const found = async (workflowId: string) =>
        await world.as<{ workflow?: Saved; name: string }>(OPERATOR, "workflow.show", {
          workflowId,
        });

      assert.equal((await found(name)).workflow?.id, id);
      assert.equal((await found(id)).workflow?.id, id);
      assert.equal((await found(id.slice(0, 23))).workflow?.id, id);
      assert.equal((await found("library:pr-review")).name, "PR review");
      assert.equal((await found("pr-review")).workflow, undefined);
      const { kind } = await refusal(() => found("No such thing"));
      assert.equal(kind, "not_found");
    });

    test("lists show one's own, what is visible, and the library with its layers", async () => {
      const [own, foreign] = [await addProject(world, "own"), await addProject(world, "foreign")];
      const mine = await create({ project: own });
      const theirs = await create({ project: foreign }, STRANGER);
      const list = (input: object, who = OPERATOR) =>
        world.as<Listed>(who, "workflow.list", { limit: 200, ...input });

      const all = await list({});
      const ofProject = await list({ project: own });

      const ids = all.items.map(({ id }) => id);
      assert.ok(ids.includes(mine.id) && !ids.includes(theirs.id));
      assert.deepEqual(
        ofProject.items.map(({ id }) => id),
        [mine.id],
      );
      assert.deepEqual(
        all.library.map(({ ref, layer }) => [ref, layer]),
        [
          ["library:document-review", "built-in"],
          ["library:pr-review", "built-in"],
          ["library:research", "built-in"],
          ["library:translation", "built-in"],
        ],
      );
      const hidden = await refusal(() =>
        world.as(OPERATOR, "workflow.show", { workflowId: theirs.id }),
      );
      assert.equal(hidden.kind, "not_found");
    });

    test("pages of workflows neither skip nor repeat, and only the first shows the library", async () => {
      const project = await addProject(world, "own");
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1) ids.push((await create({ project })).id);

      const seen: string[] = [];
      let cursor: string | undefined;
      let libraries = 0;
      do {
        const page: Listed = await world.as<Listed>(OPERATOR, "workflow.list", {
          limit: 2,
          order: "oldest",
          project,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...page.items.map(({ id }) => id));
        libraries += page.library.length;
        cursor = page.nextCursor;
      } while (cursor !== undefined);

      assert.deepEqual(seen, ids);
      assert.equal(libraries, 0);
    });

    test("what comes from the library is changed only after it was copied", async () => {
      const project = await addProject(world, "own");
      const { code, hint } = await refusal(() => save("library:pr-review", TWO_STEPS));

      const copied = await world.as<Saved>(OPERATOR, "workflow.copy", {
        workflowId: "library:pr-review",
        project,
      });
      const changed = await save(copied.id, TWO_STEPS);

      assert.equal(code, "workflow_in_library");
      assert.match(hint ?? "", /workflow copy/);
      assert.equal(copied.name, "PR review");
      assert.equal(changed.savedVersion, 2);
      const library = await world.as<{ steps: unknown[] }>(OPERATOR, "workflow.show", {
        workflowId: "library:pr-review",
      });
      assert.equal(library.steps.length, 11);
    });

    test("a project with workflows is not deleted, and says why", async () => {
      const project = await addProject(world, "own");
      await create({ project });
      const { deleteProject } = await import("../../../kernel/store/projects.ts");

      const { code, message } = await refusal(() =>
        world.kernel.store.write(() => deleteProject(project, { actor: "operator", now: 1 })),
      );

      assert.equal(code, "project_in_use");
      assert.match(message, /1 workflows/);
    });

    test("an admin renames and moves a workflow, and its versions stay", async () => {
      const project = await addProject(world, "own");
      const { id } = await create();
      await save(id, edited("More"));

      const moved = await world.as<Saved>(ADMIN, "workflow.update", {
        workflowId: id,
        name: `Moved ${dialect}`,
        project,
      });

      assert.deepEqual(
        [moved.name, moved.origin, moved.lastVersion],
        [`Moved ${dialect}`, "project", 2],
      );
    });
  });
}
