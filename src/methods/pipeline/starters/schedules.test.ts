/** Schedules: every time counts once, whoever looks; none is lost; what goes wrong is said where people look. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import { putProjectMember } from "../../../kernel/store/project-members.ts";
import { archiveProject, insertProject } from "../../../kernel/store/projects.ts";
import type { Store } from "../../../kernel/store/store.ts";
import { insertUser, updateUser } from "../../../kernel/store/users.ts";
import { archiveWorkflow, deleteWorkflow } from "../catalogue/workflows.ts";
import { startDueSchedules } from "./due-schedules.ts";
import { ADMIN, OPERATOR, onEveryStore, refusal, STRANGER, VIEWER } from "./starter-world.suite.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly nextAt?: number;
  readonly lastDueAt?: number;
  readonly lastOutcome?: string;
  readonly lastRunId?: string;
  readonly lastNote?: string;
  readonly runsAs: string;
  readonly upcoming?: readonly number[];
}

onEveryStore("schedules", (world) => {
  const act = () => ({ actor: "admin", now: world().kernel.clock.now() });
  const add = (input: object, caller = OPERATOR) =>
    world().as<Schedule>(caller, "schedule.add", { cron: "0 * * * *", ...input });
  const see = (scheduleId: string) => world().as<Schedule>(ADMIN, "schedule.show", { scheduleId });
  const look = () => startDueSchedules(world().kernel);
  const runsOf = async (title: string) =>
    (await world().runs()).filter((run) => run.title === title);
  /** To a moment just after the schedule is due. */
  const untilDue = async (id: string) => {
    const { nextAt } = await see(id);
    assert(nextAt, "it is due some day");
    world().leap(nextAt - world().kernel.clock.now() + 1);
    return nextAt;
  };

  test("what is due starts once, however many look, with the input of its time; then the next time stands", async () => {
    const workflow = await world().addWorkflow("Hourly");
    const { id, nextAt: first } = await add({
      workflow,
      timeZone: "Asia/Kolkata",
      cron: "0 12 * * *",
      input: { day: "{{due.date}}", at: ["{{due.time}}"], n: 1 },
    });
    assert.equal(await look(), 0);
    const due = await untilDue(id);

    const started = await Promise.all([look(), look(), look(), look()]);
    await world().idle();

    assert.equal(due, first);
    assert.equal(
      started.reduce((sum, each) => sum + each, 0),
      1,
    );
    const [run, ...others] = await runsOf("Hourly");
    assert.deepEqual(others, []);
    assert.equal(run?.state, "completed");
    assert.equal(run?.started_by, "operator");
    const day = new Date(due).toISOString().slice(0, 10);
    assert.deepEqual(run?.input["input"], { day, at: ["12:00"], n: 1 });
    const after = await see(id);
    assert.deepEqual(
      [after.lastDueAt, after.lastOutcome, after.lastRunId, after.lastNote, after.nextAt],
      [due, "started", run?.id, undefined, due + DAY],
    );
    assert.equal(await look(), 0);
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("times that passed while nobody looked are made up for once, and counted", async () => {
    const workflow = await world().addWorkflow("Daily");
    const { id, name } = await add({ workflow, cron: "@daily" });
    assert.equal(name, "Daily");
    await untilDue(id);
    world().leap(9 * DAY);

    const started = [await look(), await look()];
    await world().idle();

    assert.deepEqual(started, [1, 0]);
    assert.equal((await runsOf("Daily")).length, 1);
    const { lastNote, nextAt = 0 } = await see(id);
    assert.equal(lastNote, "9 more times were missed while nothing ran.");
    assert.ok(nextAt > world().kernel.clock.now());
    const minutely = await add({ workflow, cron: "* * * * *", name: "Minutely" });
    world().leap(DAY);
    await look();
    assert.match((await see(minutely.id)).lastNote ?? "", /^100 or more times were missed/);
    for (const each of [id, minutely.id]) {
      await world().as(OPERATOR, "schedule.pause", { scheduleId: each });
    }
  });

  test("a paused schedule rests, and goes on from its next time", async () => {
    const workflow = await world().addWorkflow("Resting");
    const { id } = await add({ workflow, name: "Rest" });
    const paused = await world().show(OPERATOR, "schedule.pause", { scheduleId: "Rest" });
    world().leap(DAY);

    assert.equal(await look(), 0);
    await world().as(OPERATOR, "schedule.pause", { scheduleId: id });
    const resumed = await world().as<Schedule>(OPERATOR, "schedule.resume", { scheduleId: id });
    assert.equal(await look(), 0);

    assert.match(paused, /^✓ Paused schedule \S+ "Rest"\. It is paused\.$/);
    assert.ok((resumed.nextAt ?? 0) > world().kernel.clock.now());
    assert.equal((await runsOf("Resting")).length, 0);
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
    assert.equal((await refusal(() => see(id))).code, "schedule_not_found");
  });

  test("what cannot be started says why, and is tried again the next time", async () => {
    const { kernel } = world();
    const workflow = await world().addWorkflow("Fading");
    const { id } = await add({ workflow });
    await kernel.store.write(() => archiveWorkflow(workflow, act()));
    const due = await untilDue(id);

    assert.equal(await look(), 0);

    const { lastOutcome, lastNote, lastDueAt, nextAt } = await see(id);
    assert.deepEqual([lastOutcome, lastDueAt, nextAt], ["failed", due, due + 60 * MINUTE]);
    assert.equal(lastNote, 'The workflow "Fading" is archived.');
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("a store that is away for a moment costs no time: what was due stays due", async () => {
    const { kernel } = world();
    const workflow = await world().addWorkflow("Patient");
    const { id } = await add({ workflow });
    const due = await untilDue(id);
    const isBusy = { left: 1 };
    const store: Store = {
      ...kernel.store,
      write: async (work) => {
        if (isBusy.left-- > 0)
          throw new ProductError("store_busy", "Somebody else writes.", { kind: "unavailable" });
        return kernel.store.write(work);
      },
    };

    const first = await refusal(() => startDueSchedules({ ...kernel, store }));
    const [untouched, second] = [await see(id), await startDueSchedules({ ...kernel, store })];
    await world().idle();

    assert.equal(first.code, "store_busy");
    assert.deepEqual([untouched.nextAt, untouched.lastOutcome], [due, undefined]);
    assert.equal(second, 1);
    assert.equal((await runsOf("Patient")).length, 1);
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("its runs act with the rights of whoever said last what it starts, as they are by then", async () => {
    const { kernel } = world();
    const userId = kernel.ids.next();
    const projectId = kernel.ids.next();
    await kernel.store.write(function* () {
      yield* insertUser({ id: userId, displayName: "Ann", role: "operator" }, act());
      yield* insertProject({ id: projectId, name: "Barn", ownerId: "operator" }, act());
      yield* putProjectMember({ projectId, userId, role: "operator" }, act());
    });
    const ann = { ...OPERATOR, userId, name: "Ann" };
    const workflow = await world().addWorkflow("Owned");
    const { id, runsAs } = await add({ workflow, project: projectId }, ann);
    const failing = async () => {
      await untilDue(id);
      await look();
      return (await see(id)).lastNote;
    };

    await kernel.store.write(() => putProjectMember({ projectId, userId, role: "viewer" }, act()));
    const narrowed = await failing();
    await kernel.store.write(() => updateUser(userId, { isActive: false }, act()));
    const gone = await failing();
    const taken = await world().as<Schedule>(OPERATOR, "schedule.update", { scheduleId: id });
    await untilDue(id);
    assert.equal(await look(), 1);
    await world().idle();
    await kernel.store.write(() => archiveProject(projectId, act()));
    const archived = await failing();

    assert.deepEqual([runsAs, taken.runsAs], [userId, "operator"]);
    assert.match(narrowed ?? "", /You are a viewer of "Barn"/);
    assert.match(gone ?? "", /^Ann, who set it up, is not active any more\.$/);
    assert.match(archived ?? "", /"Barn" is archived/);
    assert.deepEqual(
      (await runsOf("Owned")).map(({ started_by }) => started_by),
      ["operator"],
    );
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("one that skips lets a time pass while the run before still waits", async () => {
    const source =
      'flowchart TD\n    ask[Ask]\n\n%% @ask: { "execution": "manual", "prompt": "Say." }\n';
    const workflow = await world().addWorkflow("Asking", source);
    const { id } = await add({ workflow, skipBusy: true });

    await untilDue(id);
    assert.equal(await look(), 1);
    await world().idle();
    await untilDue(id);
    assert.equal(await look(), 0);

    const { lastOutcome, lastNote } = await see(id);
    assert.deepEqual([lastOutcome, lastNote], ["skipped", "The run before was still going."]);
    assert.equal((await runsOf("Asking")).length, 1);
    await world().as(OPERATOR, "schedule.update", { scheduleId: id, skipBusy: false });
    await untilDue(id);
    assert.equal(await look(), 1);
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("a change counts from now on, and what was not said stays", async () => {
    const workflow = await world().addWorkflow("Changing");
    const { id, version } = await add({ workflow, set: ["n=1"], name: "Change me" });
    const update = (input: object) =>
      world().as<Schedule & { cron: string; input: object; timeZone: string }>(
        OPERATOR,
        "schedule.update",
        { scheduleId: id, ...input },
      );

    const moved = await update({ cron: "0 6 * * *", timeZone: "america/new_york" });
    const renamed = await update({ name: "Changed", expectedVersion: moved.version });
    const stale = await refusal(() => update({ name: "No", expectedVersion: version }));
    const shown = await see(id);

    assert.deepEqual(
      [moved.cron, moved.timeZone, moved.input],
      ["0 6 * * *", "America/New_York", { n: 1 }],
    );
    assert.deepEqual([renamed.name, renamed.nextAt], ["Changed", moved.nextAt]);
    assert.equal(stale.code, "version_conflict");
    assert.equal(shown.upcoming?.length, 5);
    assert.equal(shown.upcoming?.[0], moved.nextAt);
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("what could never start is refused at once, and a workflow with a schedule is not deleted", async () => {
    const { kernel } = world();
    const workflow = await world().addWorkflow("Fine");
    const code = async (input: object) => (await refusal(() => add({ workflow, ...input }))).code;

    assert.equal(await code({ cron: "every morning" }), "cron_invalid");
    assert.equal(await code({ cron: "0 0 31 4 *" }), "schedule_never_due");
    assert.equal(await code({ timeZone: "Atlantis/Centre" }), "time_zone_unknown");
    assert.equal(await code({ workflow: "Nowhere" }), "workflow_not_found");
    assert.equal(await code({ workflowVersion: 7 }), "workflow_version_not_found");
    assert.equal(await code({ model: "nobody/knows" }), "model_unknown");
    assert.equal(await code({ input: [1] }), "input_not_object");
    assert.equal(await code({ input: { a: "{{due.moon}}" } }), "schedule_input_place");
    const { id } = await add({ workflow });
    const kept = await refusal(() => kernel.store.write(() => deleteWorkflow(workflow, act())));
    assert.match(kept.message, /schedule/);
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
    await kernel.store.write(() => deleteWorkflow(workflow, act()));
  });

  test("only those who may run things set them up, and only those who see the place see them", async () => {
    const workflow = await world().addWorkflow("Private");
    const { id } = await add({ workflow, name: "Mine" });
    const projectId = world().kernel.ids.next();
    await world().kernel.store.write(() =>
      insertProject({ id: projectId, name: "Narrow", ownerId: "admin" }, act()),
    );
    const seen = async (caller: typeof OPERATOR) => {
      const { items } = await world().as<{ items: Schedule[] }>(caller, "schedule.list");
      return items.some((each) => each.id === id);
    };
    const codeFor = async (caller: typeof OPERATOR, name: string, input: object) =>
      (await refusal(() => world().as(caller, name, input))).code;

    assert.deepEqual(
      [await seen(OPERATOR), await seen(ADMIN), await seen(STRANGER), await seen(VIEWER)],
      [true, true, false, false],
    );
    assert.equal(await codeFor(STRANGER, "schedule.run", { scheduleId: id }), "schedule_not_found");
    assert.equal(
      await codeFor(STRANGER, "schedule.pause", { scheduleId: "Mine" }),
      "schedule_not_found",
    );
    assert.equal(
      await codeFor(VIEWER, "schedule.add", { workflow, cron: "@daily" }),
      "permission_missing",
    );
    assert.equal(
      await codeFor(OPERATOR, "schedule.add", { workflow, cron: "@daily", project: projectId }),
      "project_not_found",
    );
    await world().as(OPERATOR, "schedule.delete", { scheduleId: id });
  });

  test("it can be started by hand and leaves its times alone; a list shows what comes next", async () => {
    const workflow = await world().addWorkflow("By hand");
    const { id, nextAt } = await add({
      workflow: "library:research",
      cron: "30 7 * * mon-fri",
      timeZone: "Europe/Berlin",
      name: "Morning research",
      set: ["question=What is new?"],
    });
    await add({ workflow, name: "Other" });
    const started = await world().show(OPERATOR, "schedule.run", { scheduleId: id });

    const listed = await world().show(OPERATOR, "schedule.list");
    const shown = await world().show(OPERATOR, "schedule.show", { scheduleId: "Morning research" });

    assert.match(started, /^✓ Started "library:research" as \S{18}\./);
    assert.equal((await see(id)).nextAt, nextAt);
    assert.match(listed, /NAME .* WHEN .* NEXT/);
    assert.match(
      listed,
      /Morning research +library:research +30 7 \* \* mon-fri +\d{4}-\d\d-\d\d 07:30 Europe\/Berlin/,
    );
    assert.match(shown, /○ due {2}Morning research/);
    assert.match(shown, /Next\n {2}\d{4}-\d\d-\d\d 07:30/);
    assert.match(shown, /"question": "What is new\?"/);
    await world().idle();
  });
});
