/** Tasks, the inbox, projects and decisions on both databases. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { manualClock } from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Dialect } from "../../kernel/store/store.ts";
import { insertTask } from "../../kernel/store/tasks.ts";
import {
  ADMIN,
  AGENT,
  caller,
  type Furniture,
  furnish,
  OPERATOR,
  openWorld,
  REVIEWER,
  STRANGER,
  VIEWER,
  type World,
} from "./workspace-world.suite.ts";

interface Shown {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly title: string;
  readonly assigneeId?: string;
  readonly projectId?: string;
}

interface ShownPage {
  readonly items: readonly (Shown & Record<string, unknown>)[];
  readonly nextCursor?: string;
  readonly total?: number;
}

for (const dialect of ["sqlite", "postgres"] satisfies Dialect[]) {
  describe(`shared nouns on ${dialect}`, () => {
    let world: World;
    let own: Furniture;
    before(async () => {
      world = await openWorld({ dialect });
      own = await furnish(world, "own");
    });
    after(() => world.remove());

    const add = async (input: object, who = OPERATOR) =>
      (await world.as(who, "task.add", input)) as Shown;

    test("a task moves only by the transition table, and says where it may go", async () => {
      const { id } = await add({ title: "Move me", project: own.projectId });

      const { code, message } = await refusal(() =>
        world.as(OPERATOR, "task.update", { taskId: id, status: "completed" }),
      );
      const started = (await world.as(OPERATOR, "task.start", { taskId: id })) as Shown;
      const done = (await world.as(OPERATOR, "task.complete", {
        taskId: id,
        output: { n: 1 },
      })) as Shown;

      assert.equal(code, "task_transition");
      assert.match(message, /in_progress, on_hold, cancelled/);
      assert.deepEqual([started.status, started.assigneeId], ["in_progress", "operator"]);
      assert.equal(done.status, "completed");
      assert.equal(
        (await refusal(() => world.as(OPERATOR, "task.update", { taskId: id, status: "pending" })))
          .code,
        "task_transition",
      );
      const again = await world.as(OPERATOR, "task.update", {
        taskId: id,
        status: "pending",
        rerun: true,
      });
      assert.equal((again as Shown).status, "pending");
    });

    test("a change decided on an older version is refused", async () => {
      const { id, version } = await add({ title: "Twice", project: own.projectId });
      await world.as(OPERATOR, "task.update", {
        taskId: id,
        title: "Once",
        expectedVersion: version,
      });

      const { code, kind } = await refusal(() =>
        world.as(ADMIN, "task.update", { taskId: id, title: "Late", expectedVersion: version }),
      );

      assert.deepEqual([code, kind], ["version_conflict", "conflict"]);
    });

    test("an id may be shortened, and only what the caller sees counts as ambiguous", async () => {
      const { id } = await add({ title: "Short", project: own.projectId });

      const shown = (await world.as(OPERATOR, "task.show", { taskId: id.slice(0, 18) })) as {
        task: Shown;
      };

      assert.equal(shown.task.id, id);
      const ambiguous = await refusal(() =>
        world.as(OPERATOR, "task.show", { taskId: id.slice(0, 6) }),
      );
      assert.equal(ambiguous.code, "id_ambiguous");
      const hidden = await refusal(() =>
        world.as(STRANGER, "task.show", { taskId: id.slice(0, 18) }),
      );
      assert.equal(hidden.kind, "not_found");
    });

    test("the next task is the oldest of one's own, then of nobody's, unless a view says otherwise", async () => {
      const project = ((await world.as(STRANGER, "project.add", { name: "Queue" })) as Shown).id;
      const mine = (title: string, more: object = {}) => add({ title, project, ...more }, STRANGER);
      await mine("nobody's, old");
      await mine("mine, low", { assignee: "me", urgency: "low" });
      await mine("mine, urgent", { assignee: "me", urgency: "urgent" });
      const next = async (input: object = {}) => {
        const answer = await world.as(STRANGER, "task.next", { project, ...input });
        return (answer as { task?: Shown }).task?.title;
      };

      assert.equal(await next(), "mine, low");
      await world.as(STRANGER, "view.save", { name: `urgent-${dialect}`, order: "urgent" });
      assert.equal(await next({ view: `urgent-${dialect}` }), "mine, urgent");

      const taken: (string | undefined)[] = [];
      for (let i = 0; i < 4; i += 1) {
        const { task } = (await world.as(STRANGER, "task.take", { project })) as { task?: Shown };
        taken.push(task?.title);
      }
      assert.deepEqual(taken, ["mine, low", "mine, urgent", "nobody's, old", undefined]);
    });

    test("taking tasks at the same time never gives one to two", async () => {
      const project = (
        (await world.as(ADMIN, "project.add", { name: "Race", visibility: "workspace" })) as Shown
      ).id;
      for (let i = 0; i < 6; i += 1) await add({ title: `Race ${i}`, project }, ADMIN);

      const takers = Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? OPERATOR : STRANGER));
      const taken = await Promise.all(
        takers.map(async (who) => {
          const { task } = (await world.as(who, "task.take", { project })) as { task?: Shown };
          return task?.title;
        }),
      );

      assert.equal(new Set(taken).size, 6);
    });

    test("pages by urgency give every task once, the most urgent first, the oldest of equals", async () => {
      const project = ((await world.as(ADMIN, "project.add", { name: "Pages" })) as Shown).id;
      const urgencies = ["low", "urgent", "normal", "high", "urgent", "low", "normal", "urgent"];
      for (const [i, urgency] of urgencies.entries())
        await add({ title: `${i}`, project, urgency }, ADMIN);

      for (const limit of [1, 2, 3, 8]) {
        const titles: string[] = [];
        let cursor: string | undefined;
        do {
          const input = {
            project,
            order: "urgent",
            limit,
            ...(cursor === undefined ? {} : { cursor }),
          };
          const page = (await world.as(ADMIN, "task.list", input)) as ShownPage;
          titles.push(...page.items.map(({ title }) => title));
          cursor = page.nextCursor;
        } while (cursor !== undefined);

        assert.deepEqual(titles, ["1", "4", "7", "3", "2", "6", "0", "5"], `limit ${limit}`);
      }
    });

    test("lists show what is open unless finished or archived things are asked for", async () => {
      const project = ((await world.as(ADMIN, "project.add", { name: "Lists" })) as Shown).id;
      const [open, cancelled, archived] = [
        await add({ title: "open", project, tags: ["x"] }, ADMIN),
        await add({ title: "cancelled", project }, ADMIN),
        await add({ title: "archived", project }, ADMIN),
      ];
      await world.as(ADMIN, "task.cancel", { taskId: cancelled.id });
      await world.as(ADMIN, "task.archive", { taskId: archived.id, because: "done elsewhere" });
      const titles = async (input: object) => {
        const { items } = (await world.as(ADMIN, "task.list", { project, ...input })) as ShownPage;
        return items.map(({ title }) => title).toSorted();
      };

      assert.deepEqual(await titles({}), ["open"]);
      assert.deepEqual(await titles({ closed: true }), ["cancelled", "open"]);
      assert.deepEqual(await titles({ archived: "only" }), ["archived"]);
      assert.deepEqual(await titles({ tag: ["x"] }), ["open"]);
      assert.deepEqual(await titles({ assignee: "nobody" }), ["open"]);
      await world.as(ADMIN, "task.restore", { taskId: archived.id });
      assert.deepEqual(await titles({}), ["archived", "open"]);
      assert.equal(open.status, "pending");
    });

    test("lists can keep to tasks that are part of no other, say how many parts each has, and leave steps of runs out", async () => {
      const project = ((await world.as(ADMIN, "project.add", { name: "Trees" })) as Shown).id;
      const whole = await add({ title: "whole", project }, ADMIN);
      await add({ title: "part", project, parent: whole.id }, ADMIN);
      const gone = await add({ title: "archived part", project, parent: whole.id }, ADMIN);
      await world.as(ADMIN, "task.archive", { taskId: gone.id });
      const act = { actor: "engine", now: world.kernel.clock.now() };
      const id = world.kernel.ids.next();
      await world.kernel.store.write(() =>
        insertTask(
          { id, title: "step", projectId: project, runId: own.runId, workflowId: "review" },
          act,
        ),
      );
      const lines = async (input: object) => {
        const { items } = (await world.as(ADMIN, "task.list", { project, ...input })) as ShownPage;
        return items
          .map(({ title, ...more }) => `${title} ${Number(more["parts"] ?? 0)}`)
          .toSorted();
      };

      assert.deepEqual(await lines({}), ["part 0", "step 0", "whole 1"]);
      assert.deepEqual(await lines({ top: true, step: false }), ["whole 1"]);
      assert.deepEqual(await lines({ top: false }), ["part 0"]);
      assert.deepEqual(await lines({ step: true }), ["step 0"]);
    });

    test("a task of a live run is moved by the run, not by hand", async () => {
      const id = world.kernel.ids.next();
      const act = { actor: "engine", now: world.kernel.clock.now() };
      await world.kernel.store.write(() =>
        insertTask({ id, title: "Of a run", projectId: own.projectId, runId: own.runId }, act),
      );

      const { code, hint } = await refusal(() => world.as(OPERATOR, "task.start", { taskId: id }));

      assert.equal(code, "task_of_run");
      assert.match(hint, /inbox list/);
      await world.as(OPERATOR, "task.update", { taskId: id, assignee: "reviewer" });
      const next = await world.as(REVIEWER, "task.next", { unassigned: false });
      assert.deepEqual((next as { task?: Shown }).task, undefined);
    });

    test("a person gets only tasks they can see; an agent may get any", async () => {
      const input = { title: "For whom", project: own.projectId };

      const { code } = await refusal(() => add({ ...input, assignee: "stranger" }));
      const given = await add({ ...input, assignee: "Agent" });

      assert.equal(code, "assignee_outside");
      assert.equal(given.assigneeId, "agent");
    });

    test("a lesser role in a project narrows what one may do there, and an admin of it acts as its owner", async () => {
      const project = ((await world.as(OPERATOR, "project.add", { name: "Narrow" })) as Shown).id;
      const join = (role: string) =>
        world.as(OPERATOR, "project.add-member", { projectId: project, user: "stranger", role });
      await join("viewer");

      const seen = (await world.as(STRANGER, "task.list", { project })) as ShownPage;
      const { code } = await refusal(() => add({ title: "No", project }, STRANGER));
      await join("operator");
      const added = await add({ title: "Yes", project }, STRANGER);
      const notOwner = await refusal(() =>
        world.as(STRANGER, "project.update", { projectId: project, visibility: "workspace" }),
      );
      await join("admin");
      const changed = await world.as(STRANGER, "project.update", {
        projectId: project,
        visibility: "workspace",
      });

      assert.deepEqual(seen.items, []);
      assert.equal(code, "project_role_lacks_it");
      assert.equal(added.projectId, project);
      assert.equal(notOwner.code, "project_owner_needed");
      assert.equal((changed as { visibility: string }).visibility, "workspace");
    });

    test("a thing cannot be moved into a project that the caller does not see", async () => {
      const foreign = await furnish(world, "foreign", "thoughts");
      const { id } = await add({ title: "Stay", project: own.projectId });

      for (const [name, input] of [
        ["task.update", { taskId: id, project: foreign.projectId }],
        ["task.update", { taskId: id, parent: foreign.taskId }],
        ["decision.update", { decisionId: own.decisionId, project: foreign.projectId }],
        ["decision.add", { title: "x", supersedes: foreign.decisionId }],
        ["highlight.add", { content: "x", conversation: foreign.conversationId }],
        ["task.add", { title: "x", source: { type: "highlight", id: foreign.highlightId } }],
        ["conversation.link", { conversationId: own.conversationId, project: foreign.projectId }],
      ] as const) {
        assert.equal(
          (await refusal(() => world.as(OPERATOR, name, input))).kind,
          "not_found",
          name,
        );
      }
    });

    test("a decision that supersedes another puts it to rest, and each names the other", async () => {
      const add = async (input: object) =>
        (await world.as(OPERATOR, "decision.add", input)) as Shown & { supersedesId?: string };
      const first = await add({ title: "Locks", project: own.projectId });
      const second = await add({ title: "Leases", supersedes: first.id });

      const shown = (await world.as(OPERATOR, "decision.show", { decisionId: first.id })) as {
        decision: { isInactive: boolean };
        supersededBy: readonly { id: string; title: string }[];
      };

      assert.deepEqual([second.supersedesId, second.projectId], [first.id, own.projectId]);
      assert.equal(shown.decision.isInactive, true);
      assert.deepEqual(shown.supersededBy, [{ id: second.id, title: "Leases" }]);
      const { code, message } = await refusal(() =>
        world.as(OPERATOR, "decision.delete", { decisionId: first.id }),
      );
      assert.equal(code, "decision_in_use");
      assert.match(message, /1 decisions that supersede it/);
    });

    test("deleting tells beforehand what stands in the way, and changes nothing", async () => {
      const eventsBefore = await world.events();

      const preview = await world.as(OPERATOR, "conversation.delete", {
        conversationId: own.conversationId,
        dryRun: true,
      });

      assert.deepEqual(preview, {
        id: own.conversationId,
        isDeleted: false,
        goesAlong: [
          { what: "messages", count: 1 },
          { what: "links to projects", count: 1 },
        ],
        standsInTheWay: ["1 highlights"],
      });
      assert.equal(await world.events(), eventsBefore);
    });

    test("an answer counts once: of two at the same moment one wins, the other is told who", async () => {
      const { waitId, runId } = await furnish(world, "workspace");
      const fields = { severity: "high" };
      const answer = (who = REVIEWER) =>
        world.as(who, "inbox.answer", { waitId, choice: "complete", fields });

      const came = await Promise.allSettled([answer(REVIEWER), answer(OPERATOR)]);
      await world.settle();

      const won = came.findIndex(({ status }) => status === "fulfilled");
      const lost = came.find(({ status }) => status === "rejected");
      const error = (lost as PromiseRejectedResult | undefined)?.reason as ProductError;
      assert.equal(error.code, "wait_answered");
      assert.match(error.message, won === 0 ? /by reviewer/ : /by operator/);
      const { run } = (await world.as(ADMIN, "run.show", { runId })) as {
        run: { state: string; result: unknown };
      };
      assert.deepEqual([run.state, run.result], ["completed", { choice: "complete" }]);
    });

    test("an entry that changed since it was shown is not answered blindly", async () => {
      const { waitId } = await furnish(world, "workspace");
      await world.as(ADMIN, "inbox.assign", { waitId, user: "reviewer" });

      const { code } = await refusal(() =>
        world.as(REVIEWER, "inbox.answer", { waitId, choice: "reject", expectedVersion: 1 }),
      );

      assert.equal(code, "version_conflict");
      for (const [name, more] of [
        ["inbox.assign", { user: null }],
        ["inbox.snooze", { until: "1h" }],
      ] as const) {
        const stale = { waitId, ...more, expectedVersion: 1 };
        assert.equal((await refusal(() => world.as(ADMIN, name, stale))).code, "version_conflict");
      }
      const done = await world.as(REVIEWER, "inbox.answer", {
        waitId,
        choice: "reject",
        expectedVersion: 2,
      });
      assert.equal((done as { choice: string }).choice, "reject");
    });

    test("what steers a run is for those who run things; an agent answers only what is its own", async () => {
      const { waitId, heldWaitId, projectId: project } = await furnish(world, "workspace");
      const waiting = async (who = AGENT) =>
        ((await world.as(who, "inbox.list", { project })) as ShownPage).items.map(({ id }) => id);

      assert.deepEqual(await waiting(), []);
      assert.deepEqual(await waiting(REVIEWER), [waitId]);
      assert.deepEqual(await waiting(OPERATOR), [waitId, heldWaitId]);
      assert.equal(
        (
          await refusal(() =>
            world.as(REVIEWER, "inbox.answer", { waitId: heldWaitId, choice: "retry" }),
          )
        ).code,
        "answer_needs_more",
      );
      assert.equal(
        (await refusal(() => world.as(AGENT, "inbox.answer", { waitId, choice: "reject" }))).code,
        "answer_by_agent",
      );
      await world.as(OPERATOR, "inbox.assign", { waitId, user: "agent" });
      assert.deepEqual(await waiting(), [waitId]);
      assert.equal(
        (await refusal(() => world.as(OPERATOR, "inbox.answer", { waitId, choice: "reject" })))
          .code,
        "answer_is_others",
      );
      await world.as(AGENT, "inbox.answer", { waitId, choice: "reject" });
      await world.as(OPERATOR, "inbox.answer", { waitId: heldWaitId, choice: "retry" });
    });

    test("an entry is handed only to somebody who sees the run and may answer", async () => {
      const to = (user: string) =>
        refusal(() => world.as(OPERATOR, "inbox.assign", { waitId: own.waitId, user }));

      assert.equal((await to("viewer")).code, "assignee_unfit");
      assert.equal((await to("stranger")).code, "assignee_unfit");
      assert.equal((await to("nobody at all")).kind, "not_found");
    });

    test("a run is steered by its controls, and each step is in its events with who took it", async () => {
      const { heldRunId, endedRunId } = await furnish(world, "own");
      const state = async (name: string, runId = heldRunId) =>
        ((await world.as(OPERATOR, name, { runId })) as { state: string }).state;

      assert.equal(await state("run.retry"), "running");
      assert.equal(await state("run.pause"), "paused");
      assert.equal(await state("run.resume"), "running");
      assert.equal(await state("run.cancel"), "cancelled");
      assert.equal((await refusal(() => state("run.retry", endedRunId))).code, "run_not_held");
      const { items } = (await world.as(OPERATOR, "run.events", { runId: heldRunId })) as {
        items: readonly { type: string; actor: string; seq: number }[];
      };
      const byPerson = items.filter(({ actor }) => actor === "operator").map(({ type }) => type);
      assert.deepEqual(byPerson, ["run.queued", "run.paused", "run.resumed", "run.cancelled"]);
      assert.deepEqual(
        items.map(({ seq }) => seq),
        items.map((_, i) => i + 1),
      );
    });

    test("budgets and lane limits are set, kept where nothing is said, lifted by null, and told in the log", async () => {
      await world.as(ADMIN, "budget.set", { project: own.projectId, usd: 5, turns: 100 });
      const lifted = await world.as(ADMIN, "budget.set", { project: own.projectId, turns: null });
      await world.as(ADMIN, "lane.limit", { name: "model:a/b", maxRunning: 4, ratePerMinute: 60 });
      const lane = await world.as(ADMIN, "lane.limit", { name: "model:a/b", maxRunning: null });

      assert.deepEqual((lifted as { limits: unknown }).limits, {
        microUsd: 5_000_000,
        tokens: null,
        turns: null,
      });
      assert.deepEqual(lane, {
        name: "model:a/b",
        maxRunning: null,
        ratePerMinute: 60,
        burst: null,
        running: 0,
      });
      const { items } = (await world.as(ADMIN, "event.list", {
        types: ["lane", "budget.set"],
      })) as {
        items: readonly { type: string }[];
      };
      assert.deepEqual(
        items.map(({ type }) => type),
        ["lane.limited", "lane.limited", "budget.set", "budget.set"],
      );
      await world.as(ADMIN, "budget.set", { project: own.projectId, usd: null });
    });

    test("what was spent is told day by day, without gaps, today last", async () => {
      const today = new Date(world.kernel.clock.now()).toISOString().slice(0, 10);
      const { items } = (await world.as(VIEWER, "budget.days", { days: 3 })) as {
        items: readonly { day: string; microUsd: number; turns: number }[];
      };

      assert.equal(items.length, 3);
      assert.equal(items[2]?.day, today);
      assert.deepEqual(
        items.map(({ day }) => day),
        items.map(({ day }) => day).toSorted(),
      );
    });

    test("search finds what was just written, in what the caller sees", async () => {
      await add({ title: `Quokka ${dialect}`, project: own.projectId });
      const hits = async (who = OPERATOR) =>
        ((await world.as(who, "thinking.search", { text: `quokka ${dialect}` })) as ShownPage)
          .items;

      assert.deepEqual(
        (await hits()).map(({ title }) => title),
        [`Quokka ${dialect}`],
      );
      assert.deepEqual((await hits(VIEWER)).length, 1);
      assert.deepEqual(await hits(STRANGER), []);
    });
  });
}

describe("what others have", () => {
  test("is neither counted nor found by its name", async () => {
    const world = await openWorld();
    const foreign = await furnish(world, "foreign");
    const name = `foreign ${foreign.projectId}`;

    const status = (await world.as(OPERATOR, "workspace.show")) as {
      runs: { byState: unknown };
      projects: number;
      inbox: { total: number };
    };
    const byName = await refusal(() => world.as(OPERATOR, "task.list", { project: name }));

    assert.deepEqual([status.runs.byState, status.projects, status.inbox.total], [{}, 0, 0]);
    assert.equal(byName.code, "project_not_found");
    assert.equal(
      ((await world.as(ADMIN, "task.list", { project: name })) as ShownPage).items.length,
      1,
    );
    await world.remove();
  });
});

describe("the inbox over time", () => {
  test("hides what sleeps until its moment, and says how many wait", async () => {
    const clock = manualClock();
    const world = await openWorld({ clock });
    const { waitId } = await furnish(world, "own");
    const mine = async () => (await world.as(REVIEWER, "inbox.list")) as ShownPage;

    assert.equal((await mine()).total, 1);
    await world.as(REVIEWER, "inbox.snooze", { waitId, until: "4h" });
    assert.deepEqual((await mine()).items, []);
    clock.advance(4 * 60 * 60_000);
    assert.deepEqual(
      (await mine()).items.map(({ id }) => id),
      [waitId],
    );

    const past = await refusal(() =>
      world.as(REVIEWER, "inbox.snooze", { waitId, until: "2020-01-01" }),
    );
    assert.equal(past.code, "moment_past");
    await world.remove();
  });
});

describe("tokens and people", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.remove());

  test("a token never breeds one that may do more", async () => {
    const narrow = caller("admin", "admin", { scopes: ["read", "administer"] });

    const made = await world.as(narrow, "token.add", { name: "child" });
    const wider = await refusal(() =>
      world.as(narrow, "token.add", { name: "wider", scopes: ["run"] }),
    );
    const reader = caller("admin", "admin", { scopes: ["read"] });
    const breeding = await refusal(() => world.as(reader, "token.add", { name: "any" }));

    assert.deepEqual((made as { scopes: unknown }).scopes, ["read", "administer"]);
    assert.equal(wider.code, "scope_missing");
    assert.equal(breeding.code, "scope_missing");
  });

  test("the text of a token is given once and kept nowhere", async () => {
    const { text, id } = (await world.as(VIEWER, "token.add", {
      name: "mine",
      expires: "30d",
    })) as {
      text: string;
      id: string;
    };

    const shown = JSON.stringify(await world.as(VIEWER, "token.list"));
    const log = JSON.stringify(await world.as(ADMIN, "event.list", { limit: 200 }));

    assert.ok(shown.includes(id));
    assert.ok(!shown.includes(text) && !log.includes(text));
    assert.equal(
      (await refusal(() => world.as(OPERATOR, "token.revoke", { tokenId: id }))).kind,
      "not_found",
    );
    assert.deepEqual(await world.as(VIEWER, "token.revoke", { tokenId: id }), {
      id,
      wasActive: true,
    });
  });

  test("agents are never admins, never people, and not stronger than who makes them", async () => {
    const agent = (await world.as(OPERATOR, "agent.add", { displayName: "Helper" })) as Shown;

    const asPerson = await refusal(() =>
      world.as(OPERATOR, "agent.update", { agentId: "viewer", model: null }),
    );
    const asAdmin = await refusal(() =>
      world.as(ADMIN, "user.update", { user: agent.id, role: "admin" }),
    );
    const invited = await refusal(() => world.as(ADMIN, "user.invite-again", { user: agent.id }));
    const unknownModel = await refusal(() =>
      world.as(OPERATOR, "agent.update", { agentId: agent.id, model: "none/such" }),
    );

    assert.equal(asPerson.code, "agent_not_found");
    assert.equal(asAdmin.code, "agent_too_mighty");
    assert.equal(invited.code, "agent_login");
    assert.equal(unknownModel.code, "model_unknown");
  });

  test("addresses are for admins and oneself", async () => {
    const email = async (who = VIEWER) =>
      ((await world.as(who, "user.show", { user: "reviewer" })) as { email?: string }).email;

    assert.equal(await email(), undefined);
    assert.equal(await email(REVIEWER), "reviewer@example.org");
    assert.equal(await email(ADMIN), "reviewer@example.org");
  });

  test("settings are known ones with fitting values, and never secrets", async () => {
    const set = (input: object) => refusal(() => world.as(ADMIN, "setting.set", input));

    const misspelt = await set({ key: "workspace.nmae", value: "x" });
    const wrong = await set({ key: "trial.depth", value: "deep" });
    const secret = await set({ key: "workspace.name", value: `sk-ant-${"a".repeat(40)}` });

    assert.equal(misspelt.code, "setting_unknown");
    assert.match(misspelt.hint, /workspace\.name/);
    assert.equal(wrong.code, "input_invalid");
    assert.equal(secret.code, "setting_secret");
    const byOperator = await refusal(() =>
      world.as(OPERATOR, "setting.set", { key: "workspace.name", value: "Mine" }),
    );
    assert.equal(byOperator.kind, "not_allowed");
    const own = { key: "ui.theme", value: "dark", scope: "user" };
    assert.equal(((await world.as(VIEWER, "setting.set", own)) as { value: string }).value, "dark");
  });
});

interface Refusal {
  readonly code: string;
  readonly kind: string;
  readonly message: string;
  readonly hint: string;
}

async function refusal(act: () => Promise<unknown>): Promise<Refusal> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { code: error.code, kind: error.kind, message: error.message, hint: error.hint ?? "" };
  }
  return { code: "accepted", kind: "accepted", message: "", hint: "" };
}
