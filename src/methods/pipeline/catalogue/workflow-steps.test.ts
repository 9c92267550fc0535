/** Single steps changed and made into tasks; workflows sent to another workspace and back. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Json } from "../../../kernel/base/json.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { getTask } from "../../../kernel/store/task-lists.ts";
import { findUser, insertUser } from "../../../kernel/store/users.ts";
import {
  AGENT,
  addProject,
  type CatalogueWorld,
  OPERATOR,
  openCatalogue,
  refusal,
  startIdleRun,
  TWO_STEPS,
} from "./catalogue-world.suite.ts";

interface Edited {
  readonly id: string;
  readonly savedVersion?: number;
  readonly isDraft: boolean;
  readonly source: string;
  readonly version: number;
  readonly lastVersion: number;
  readonly problems: readonly { readonly code: string }[];
}

interface Imported extends Edited {
  readonly name: string;
  readonly currentVersion?: number;
  readonly agents: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly note?: string;
  }[];
}

const ASSIGNED = `graph TD
    A[Review] --> B[Sum up]
%% @A: { "prompt": "Review it.", "defaultAssigneeId": "code-reviewer" }
%% @B: { "prompt": "Sum up.", "defaultAssigneeId": "Editor in chief" }
`;

for (const dialect of ["sqlite", "postgres"] satisfies Dialect[]) {
  describe(`steps and transfer on ${dialect}`, () => {
    let world: CatalogueWorld;
    before(async () => {
      world = await openCatalogue({ dialect });
    });
    after(() => world.remove());

    let made = 0;
    const create = async (source = TWO_STEPS, more: object = {}) => {
      made += 1;
      return world.as<{ id: string; version: number }>(OPERATOR, "workflow.create", {
        name: `Workflow ${made}`,
        source,
        ...more,
      });
    };
    const edit = (workflowId: string, input: object) =>
      world.as<Edited>(OPERATOR, "workflow.edit-step", { workflowId, ...input });
    const step = (workflowId: string, stageId: string) =>
      world
        .as<{ step: Record<string, Json> }>(OPERATOR, "workflow.step", { workflowId, stageId })
        .then((detail) => detail.step);

    test("an edit changes one step, leaves the rest as it was written, and saves a version", async () => {
      const { id } = await create();

      const edited = await edit(id, {
        stageId: "write",
        label: "Write everything",
        set: { minConfidence: 0.7 },
      });

      assert.equal(edited.savedVersion, 2);
      assert.match(edited.source, /write\[Write everything\] --> publish\(Publish\)/);
      const { name, minConfidence, prompt } = await step(id, "write");
      assert.deepEqual(
        [name, minConfidence, prompt],
        ["Write everything", 0.7, "Write the notes for {{run.input.version}}."],
      );
      const lines = TWO_STEPS.split("\n");
      const kept = edited.source.split("\n").filter((line) => lines.includes(line));
      assert.ok(kept.length >= lines.length - 3, "other lines were touched");
      const { items } = await world.as<{ items: { summary: string }[] }>(
        OPERATOR,
        "workflow.versions",
        { workflowId: id },
      );
      assert.equal(items[0]?.summary, "Step write: label, minConfidence.");
    });

    test("null takes a setting away, and a step of another kind is drawn as one", async () => {
      const { id } = await create();

      const edited = await edit(id, {
        stageId: "write",
        set: { outputSchema: null, execution: "manual" },
      });

      assert.match(edited.source, /write\(Write Notes\)/);
      assert.deepEqual(edited.problems, []);
      assert.equal((await step(id, "write"))["outputSchema"], undefined);
    });

    test("a dry run shows what would come of it, also for text that is not saved yet", async () => {
      const { id, version } = await create();
      const unsaved = TWO_STEPS.replace("Publish", "Print");

      const dry = await edit(id, {
        stageId: "publish",
        label: "Print it",
        source: unsaved,
        dryRun: true,
      });

      assert.deepEqual([dry.savedVersion, dry.version, dry.lastVersion], [undefined, version, 1]);
      assert.match(dry.source, /publish\(Print it\)/);
    });

    test("an edit that breaks the workflow, meets no step, or comes too late is refused", async () => {
      const { id, version } = await create();

      const broken = await refusal(() =>
        edit(id, { stageId: "publish", set: { minConfidence: 7 } }),
      );
      const unknown = await refusal(() => edit(id, { stageId: "pubish", label: "x" }));
      await edit(id, { stageId: "publish", label: "First" });
      const late = await refusal(() =>
        edit(id, { stageId: "publish", label: "Late", expectedVersion: version }),
      );

      assert.equal(broken.code, "workflow_invalid");
      assert.deepEqual([unknown.code, unknown.hint], ["step_not_found", 'Did you mean "publish"?']);
      assert.equal(late.code, "version_conflict");
    });

    test("an export brings source, steps and agents, and comes back byte for byte", async () => {
      const act = { actor: "admin", now: 1 };
      await world.kernel.store.write(() =>
        insertUser(
          {
            id: "code-reviewer",
            displayName: "Code reviewer",
            role: "operator",
            isAgent: true,
            agentPrompt: "You review.",
          },
          act,
        ),
      );
      const { id } = await create(ASSIGNED, { draft: true });

      const document = await world.as<{
        workflow: { mermaidSource: string; steps: { id: string }[] };
        agents: { id: string; agentPrompt?: string }[];
        exportVersion: string;
        exportedAt: string;
      }>(OPERATOR, "workflow.export", { workflowId: id });

      assert.equal(document.workflow.mermaidSource, ASSIGNED);
      assert.deepEqual(
        document.workflow.steps.map((each) => each.id),
        ["A", "B"],
      );
      assert.deepEqual(document.agents, [
        { id: "code-reviewer", displayName: "Code reviewer", agentPrompt: "You review." },
      ]);
      assert.equal(document.exportVersion, "2.0");
      assert.ok(!Number.isNaN(Date.parse(document.exportedAt)));
    });

    test("an import makes the agents it lacks and keeps those it has", async () => {
      const document = {
        workflow: {
          name: `Imported ${dialect}`,
          description: "From afar.",
          mermaidSource: ASSIGNED,
        },
        agents: [
          { id: "code-reviewer", displayName: "Reviewer", agentPrompt: "You review harshly." },
          {
            id: "Editor in chief",
            displayName: "Editor in chief",
            agentPrompt: "You sum up.",
            model: "elsewhere/none",
          },
        ],
        exportVersion: "2.0",
      };

      const imported = await world.as<Imported>(OPERATOR, "workflow.import", { document });

      assert.deepEqual(
        imported.agents.map(({ id, outcome }) => [id, outcome]),
        [
          ["code-reviewer", "kept"],
          ["Editor in chief", "created"],
        ],
      );
      assert.match(imported.agents[0]?.note ?? "", /another prompt/);
      assert.match(imported.agents[1]?.note ?? "", /elsewhere\/none/);
      assert.deepEqual([imported.currentVersion, imported.isDraft], [1, false]);
      const kept = await world.kernel.store.read(() => findUser("code-reviewer"));
      assert.equal(kept?.agentPrompt, "You review.");
      const again = await refusal(() =>
        world.as(OPERATOR, "workflow.import", { document: JSON.stringify(document) }),
      );
      assert.equal(again.code, "workflow_name_taken");
      const next = await world.as<Imported>(OPERATOR, "workflow.import", {
        document: {
          ...document,
          workflow: { ...document.workflow, mermaidSource: `${ASSIGNED}\n` },
        },
        asVersion: true,
      });
      assert.deepEqual([next.id, next.savedVersion], [imported.id, 2]);
    });

    test("agents make no agents: what they import waits as a draft, saying who is missing", async () => {
      const source =
        'graph TD\n A[Go]\n%% @A: { "prompt": "Go.", "defaultAssigneeId": "newcomer" }';
      const document = {
        workflow: { name: `By an agent ${dialect}`, mermaidSource: source },
        agents: [{ id: "newcomer", displayName: "Newcomer" }],
        exportVersion: "2.0",
      };

      const imported = await world.as<Imported>(AGENT, "workflow.import", { document });

      assert.deepEqual(imported.agents, [
        { id: "newcomer", displayName: "Newcomer", outcome: "missing" },
      ]);
      assert.deepEqual([imported.isDraft, imported.currentVersion], [true, undefined]);
      assert.equal(await world.kernel.store.read(() => findUser("newcomer")), undefined);
    });

    test("a refused import leaves no agents behind", async () => {
      const document = {
        workflow: { name: "Broken", mermaidSource: "graph TD\n A[Go" },
        agents: [{ id: `left-behind-${dialect}`, displayName: "Left behind" }],
        exportVersion: "2.0",
      };

      const { code } = await refusal(() => world.as(OPERATOR, "workflow.import", { document }));
      const strange = await refusal(() =>
        world.as(OPERATOR, "workflow.import", { document: { hello: "world" } }),
      );

      assert.equal(code, "workflow_invalid");
      assert.equal(strange.code, "export_invalid");
      const user = await world.kernel.store.read(() => findUser(`left-behind-${dialect}`));
      assert.equal(user, undefined);
    });

    test("a task for a step knows its workflow, stage, parent and input", async () => {
      const project = await addProject(world, "own");
      const source = TWO_STEPS.replace(
        '"prompt": "Publish',
        '"defaultAssigneeId": "Agent", "prompt": "Publish',
      );
      const { id } = await create(source, { project });
      const add = (input: object) =>
        world.as<{ id: string }>(OPERATOR, "workflow.add-task", { workflowId: id, ...input });

      const first = await add({ stageId: "write", input: { version: "1.2" } });
      const second = await add({ stageId: "publish", parent: first.id, title: "Print" });

      const [one, two] = await world.kernel.store.read(function* () {
        return [yield* getTask(first.id, OPERATOR), yield* getTask(second.id, OPERATOR)];
      });
      assert.deepEqual(
        [one?.title, one?.workflowId, one?.workflowVersion, one?.stage, one?.input, one?.projectId],
        [`Workflow ${made}: Write Notes`, id, 1, "write", { version: "1.2" }, project],
      );
      assert.deepEqual(
        [two?.title, two?.parentId, two?.assigneeId, two?.status],
        ["Print", first.id, "agent", "pending"],
      );
    });

    test("a live run makes its own tasks, and a decision is nobody's work", async () => {
      const runId = await startIdleRun(world);
      const add = (input: object) => refusal(() => world.as(OPERATOR, "workflow.add-task", input));

      const alive = await add({ workflowId: "library:translation", stageId: "draft", runId });
      const decision = await add({ workflowId: "library:translation", stageId: "good" });
      const unknown = await add({ workflowId: "library:translation", stageId: "drafd" });

      assert.equal(alive.code, "run_alive");
      assert.equal(decision.code, "step_makes_no_task");
      assert.equal(unknown.code, "step_not_found");
    });
  });
}
