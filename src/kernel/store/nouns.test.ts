import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { createIdSource } from "../base/ids.ts";
import type { Act } from "./audited-rows.ts";
import { linkConversation, unlinkConversation } from "./conversation-links.ts";
import {
  archiveConversation,
  deleteConversation,
  findConversationBySource,
  getConversation,
  insertConversation,
  listConversations,
  restoreConversation,
  updateConversation,
} from "./conversations.ts";
import { type DatabaseWork, query } from "./database-work.ts";
import {
  archiveDecision,
  deleteDecision,
  getDecision,
  insertDecision,
  listDecisions,
  restoreDecision,
  updateDecision,
} from "./decisions.ts";
import { engineTables } from "./engine-migration.ts";
import { listAllEvents } from "./furnished-store.suite.ts";
import {
  archiveHighlight,
  deleteHighlight,
  getHighlight,
  insertHighlight,
  listHighlights,
  restoreHighlight,
  updateHighlight,
} from "./highlights.ts";
import { appendMessages, listMessages, listMessagesNear } from "./messages.ts";
import { nounTables } from "./noun-migration.ts";
import type { Page } from "./page.ts";
import {
  archiveProject,
  deleteProject,
  getProject,
  insertProject,
  listProjects,
  restoreProject,
  updateProject,
} from "./projects.ts";
import { db } from "./query-builder.ts";
import { deleteRedaction, getRedaction, insertRedaction, listRedactions } from "./redactions.ts";
import { resolveId } from "./resolve-id.ts";
import { countTasks, getTask, listTasks } from "./task-lists.ts";
import {
  archiveTask,
  deleteTask,
  insertTask,
  insertTasks,
  restoreTask,
  updateTask,
} from "./tasks.ts";
import {
  archiveTeam,
  deleteTeam,
  getTeam,
  insertTeam,
  listTeams,
  restoreTeam,
  updateTeam,
} from "./teams.ts";
import { deleteUser, insertUser } from "./users.ts";

interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** One noun as every noun must behave. */
interface Noun {
  readonly name: string;
  insert(id: string, act: Act): DatabaseWork<Versioned>;
  get(id: string): DatabaseWork<Versioned>;
  list(page: { cursor?: string | undefined; limit: number }): DatabaseWork<Page<Versioned>>;
  rename(id: string, words: string, act: Act, version?: number): DatabaseWork<Versioned>;
  archive(id: string, act: Act, version?: number): DatabaseWork<Versioned>;
  restore(id: string, act: Act, version?: number): DatabaseWork<Versioned>;
  delete(id: string, act: Act, version?: number): DatabaseWork<void>;
}

const viewer = "everything";
const NOUNS: readonly Noun[] = [
  {
    name: "project",
    insert: (id, act) => insertProject({ id, name: "first words", ownerId: "owner" }, act),
    get: (id) => getProject(id, viewer),
    list: (page) => listProjects({ viewer, ...page }),
    rename: (id, description, act, version) => updateProject(id, { description }, act, version),
    archive: archiveProject,
    restore: restoreProject,
    delete: deleteProject,
  },
  {
    name: "conversation",
    insert: (id, act) => insertConversation({ id, title: "first words", source: "test" }, act),
    get: (id) => getConversation(id, viewer),
    list: (page) => listConversations({ viewer, ...page }),
    rename: (id, title, act, version) => updateConversation(id, { title }, act, version),
    archive: archiveConversation,
    restore: restoreConversation,
    delete: deleteConversation,
  },
  {
    name: "highlight",
    insert: (id, act) => insertHighlight({ id, content: "first words" }, act),
    get: (id) => getHighlight(id, viewer),
    list: (page) => listHighlights({ viewer, ...page }),
    rename: (id, content, act, version) => updateHighlight(id, { content }, act, version),
    archive: archiveHighlight,
    restore: restoreHighlight,
    delete: deleteHighlight,
  },
  {
    name: "task",
    insert: (id, act) => insertTask({ id, title: "first words" }, act),
    get: (id) => getTask(id, viewer),
    list: (page) => listTasks({ viewer, ...page }),
    rename: (id, title, act, expectedVersion) =>
      updateTask(id, { title }, act, { expectedVersion }),
    archive: archiveTask,
    restore: restoreTask,
    delete: deleteTask,
  },
  {
    name: "decision",
    insert: (id, act) => insertDecision({ id, title: "first words" }, act),
    get: (id) => getDecision(id, viewer),
    list: (page) => listDecisions({ viewer, ...page }),
    rename: (id, title, act, version) => updateDecision(id, { title }, act, version),
    archive: archiveDecision,
    restore: restoreDecision,
    delete: deleteDecision,
  },
  {
    name: "team",
    insert: (id, act) => insertTeam({ id, name: "first words" }, act),
    get: (id) => getTeam(id, viewer),
    list: (page) => listTeams({ viewer, ...page }),
    rename: (id, description, act, version) => updateTeam(id, { description }, act, version),
    archive: archiveTeam,
    restore: restoreTeam,
    delete: deleteTeam,
  },
];

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`nouns on ${dialect}`, async () => {
    const { store, reopen, remove } = await scratchStore(dialect, [engineTables, nounTables]);
    const ids = createIdSource({ now: () => 1_700_000_000_000 });
    const act: Act = { actor: "ann", now: 1000 };
    await store.write(() => insertUser({ id: "owner", displayName: "o", role: "admin" }, act));
    const newProject = async () => {
      const id = ids.next();
      await store.write(() => insertProject({ id, name: "p", ownerId: "owner" }, act));
      return id;
    };
    const newConversation = async (projectIds: readonly string[] = [], count = 0) => {
      const id = ids.next();
      await store.write(() =>
        insertConversation({ id, title: "c", source: "test", projectIds }, act),
      );
      const messages = Array.from({ length: count }, (_, position) => ({
        id: ids.next(),
        role: "user" as const,
        position,
        content: `message ${position}`,
      }));
      await store.write(() => appendMessages(id, messages, act));
      return { id, messageIds: messages.map((message) => message.id) };
    };
    const countEvents = async () => (await listAllEvents(store)).length;

    for (const noun of NOUNS) {
      test(`${noun.name}: made, changed, archived, restored, deleted, and each told once`, async () => {
        const id = ids.next();
        const from = await countEvents();
        const because = { ...act, because: "the test says so" };

        const made = await store.write(() => noun.insert(id, act));
        assert.deepEqual(await store.read(() => noun.get(id)), made);
        const changed = await store.write(() => noun.rename(id, "second words", because, 1));
        assert.deepEqual(await store.read(() => noun.get(id)), changed);
        const isListed = async () =>
          (await store.read(() => noun.list({ limit: 200 }))).items.some((each) => each.id === id);
        assert.equal(await isListed(), true);
        await store.write(() => noun.archive(id, act, 2));
        assert.equal(await isListed(), false);
        await store.write(() => noun.restore(id, act, 3));
        assert.equal(await isListed(), true);
        await assert.rejects(
          store.write(() => noun.delete(id, act, 3)),
          {
            code: "version_conflict",
          },
        );
        await store.write(() => noun.delete(id, act, 4));
        await assert.rejects(
          store.read(() => noun.get(id)),
          { code: `${noun.name}_not_found` },
        );
        await assert.rejects(
          store.write(() => noun.delete(id, act)),
          {
            code: `${noun.name}_not_found`,
          },
        );

        const told = (await listAllEvents(store)).slice(from);
        assert.deepEqual(
          told.map(({ type, actor }) => [type, actor]),
          ["created", "changed", "archived", "restored", "deleted"].map((verb) => [
            `${noun.name}.${verb}`,
            "ann",
          ]),
        );
        assert.equal((told[1]!.data as { because: string }).because, "the test says so");
        assert.ok(!JSON.stringify(told).includes("second words"));
      });

      test(`${noun.name}: of ten who change the same version, one wins`, async () => {
        const id = ids.next();
        const second = reopen();
        await store.write(() => noun.insert(id, act));

        const outcomes = await Promise.allSettled(
          Array.from({ length: 10 }, (_, i) =>
            (i % 2 ? store : second).write(() => noun.rename(id, `words ${i}`, act, 1)),
          ),
        );

        const refused = outcomes.filter((outcome) => outcome.status === "rejected");
        assert.equal(refused.length, 9);
        for (const { reason } of refused) {
          assert.equal(reason.code, "version_conflict");
          assert.equal(reason.kind, "conflict");
        }
        await second.close();
      });
    }

    test("pages neither skip nor repeat while things made in the same millisecond are added", async () => {
      const made = Array.from({ length: 12 }, () => ids.next());
      const projectId = await newProject();
      await store.write(() =>
        insertTasks(
          made.map((id) => ({ id, title: "t", projectId })),
          act,
        ),
      );

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.read(() => listTasks({ viewer, projectId, limit: 5, cursor }));
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        await store.write(() => insertTask({ id: ids.next(), title: "late", projectId }, act));
      } while (cursor !== undefined);

      assert.deepEqual(seen, made.toReversed());
    });

    test("a shortened id finds the only one it can mean, and says so when there are several", async () => {
      const early = createIdSource({ now: () => 5_000_000_000 }, () => new Uint8Array(8).fill(1));
      const [one, two] = [early.next(), early.next()];
      await store.write(() =>
        insertTasks(
          [one, two].map((id) => ({ id, title: "t" })),
          act,
        ),
      );

      const full = await store.read(() =>
        resolveId("task", one.toUpperCase().slice(0, 18), viewer),
      );

      assert.equal(full, one);
      assert.equal(await store.read(() => resolveId("task", two, viewer)), two);
      await assert.rejects(
        store.read(() => resolveId("task", one.slice(0, 13), viewer)),
        {
          code: "id_ambiguous",
          details: { noun: "task", given: one.slice(0, 13), candidates: [one, two] },
        },
      );
      for (const unknown of ["ffff", "%", "", "' or 1=1 --", one.slice(0, 3)]) {
        await assert.rejects(
          store.read(() => resolveId("task", unknown, viewer)),
          {
            code: "task_not_found",
          },
        );
      }
    });

    test("what others are built on is not deleted, and the refusal counts them", async () => {
      const projectId = await newProject();
      const { id: conversationId, messageIds } = await newConversation([projectId], 3);
      const [highlightId, parentId, decisionId] = [ids.next(), ids.next(), ids.next()];
      await store.write(function* () {
        yield* insertHighlight({ id: highlightId, content: "h", messageId: messageIds[0] }, act);
        const source = { type: "highlight", id: highlightId, quote: "q" } as const;
        yield* insertTask(
          { id: parentId, title: "t", projectId, source, assigneeId: "owner" },
          act,
        );
        yield* insertTask({ id: ids.next(), title: "child", parentId }, act);
        yield* insertDecision({ id: decisionId, title: "old" }, act);
        yield* insertDecision({ id: ids.next(), title: "new", supersedesId: decisionId }, act);
      });

      const refused = (work: () => DatabaseWork<unknown>, code: string, message: RegExp) =>
        assert.rejects(store.write(work), (error: Error & { code: string }) => {
          assert.equal(error.code, code);
          assert.match(error.message, message);
          return true;
        });
      await refused(() => deleteProject(projectId, act), "project_in_use", /1 tasks/);
      await refused(
        () => deleteConversation(conversationId, act),
        "conversation_in_use",
        /1 highl/,
      );
      await refused(() => deleteHighlight(highlightId, act), "highlight_in_use", /1 tasks drawn/);
      await refused(() => deleteTask(parentId, act), "task_in_use", /1 child/);
      await refused(() => deleteDecision(decisionId, act), "decision_in_use", /1 decisions that/);
      await refused(() => deleteUser("owner", act), "last_admin", /only active admin/);
      await store.write(() => updateTask(parentId, { status: "in_progress" }, act));
      await refused(() => deleteTask(parentId, act), "task_at_work", /in_progress/);
    });

    test("a decision that supersedes another puts it to rest", async () => {
      const projectId = await newProject();
      const [old, next] = [ids.next(), ids.next()];
      await store.write(() => insertDecision({ id: old, title: "old", projectId }, act));

      await store.write(() =>
        insertDecision({ id: next, title: "n", projectId, supersedesId: old }, act),
      );

      const listed = await store.read(() => listDecisions({ viewer, projectId }));
      assert.deepEqual(
        listed.items.map(({ id }) => id),
        [next],
      );
      assert.equal((await store.read(() => getDecision(old, viewer))).isInactive, true);
    });

    test("thoughts belong to their project, else to every project of their conversation", async () => {
      const [a, b] = [await newProject(), await newProject()];
      const { id: conversationId } = await newConversation([a]);
      const [loose, direct] = [ids.next(), ids.next()];
      const of = async (projectId: string) => {
        const work = function* () {
          const decisions = yield* listDecisions({ viewer, projectId });
          const highlights = yield* listHighlights({ viewer, projectId });
          return [...decisions.items, ...highlights.items].map(({ id }) => id);
        };
        return new Set(await store.read(work));
      };

      await store.write(() => insertDecision({ id: loose, title: "d", conversationId }, act));
      await store.write(() =>
        insertHighlight(
          { id: direct, content: "h", conversationId, projectId: a, label: "l" },
          act,
        ),
      );
      assert.deepEqual([await of(a), await of(b)], [new Set([loose, direct]), new Set()]);
      await store.write(() => linkConversation(conversationId, b, act));
      assert.deepEqual([await of(a), await of(b)], [new Set([loose, direct]), new Set([loose])]);
      await store.write(() => unlinkConversation(conversationId, a, act));
      assert.deepEqual([await of(a), await of(b)], [new Set([direct]), new Set([loose])]);
      await store.write(() => archiveDecision(loose, act));
      assert.deepEqual(await of(b), new Set());
      await store.write(() => restoreDecision(loose, act));
      await store.write(() => updateDecision(loose, { projectId: a }, act));
      assert.deepEqual([await of(a), await of(b)], [new Set([direct, loose]), new Set()]);
    });

    test("a thought added while its conversation is linked is not lost between the two", async () => {
      const projectId = await newProject();
      const second = reopen();
      const { id: conversationId } = await newConversation();
      const made = Array.from({ length: 20 }, () => ids.next());

      await Promise.all([
        ...made.map((id) =>
          second.write(() => insertDecision({ id, title: "d", conversationId }, act)),
        ),
        store.write(() => linkConversation(conversationId, projectId, act)),
      ]);

      const listed = await store.read(() => listDecisions({ viewer, projectId }));
      assert.deepEqual(new Set(listed.items.map(({ id }) => id)), new Set(made));
      await second.close();
    });

    test("messages come once per source id, in order, and the conversation counts them", async () => {
      const id = ids.next();
      const startedAt = 77;
      const source = { source: "chatgpt", sourceId: `x-${id}` };
      await store.write(() => insertConversation({ id, title: "c", ...source, startedAt }, act));
      const message = (position: number, content = `m${position}`) => ({
        id: ids.next(),
        role: "user" as const,
        position,
        content,
        sourceId: `s${position}`,
      });

      const first = [message(2), message(0, "nul \0 and \uDFFF"), message(1)];
      await store.write(() => appendMessages(id, first, act));
      const added = await store.write(() =>
        appendMessages(id, [message(1, "again"), message(3)], act),
      );

      const listed = await store.read(() => listMessages({ viewer, conversationId: id }));
      assert.equal(added.length, 1);
      assert.deepEqual(
        listed.map(({ content }) => content),
        ["nul \uFFFD and \uFFFD", "m1", "m2", "m3"],
      );
      assert.equal((await store.read(() => getConversation(id, viewer))).messageCount, 4);
      assert.equal(
        (await store.read(() => findConversationBySource("chatgpt", `x-${id}`)))?.id,
        id,
      );
      await assert.rejects(
        store.write(() => insertConversation({ id: ids.next(), title: "c", ...source }, act)),
        { code: "conversation_known", details: { id } },
      );
      const rest = await store.read(() =>
        listMessages({ viewer, conversationId: id, after: listed[1], limit: 200 }),
      );
      assert.deepEqual(rest, listed.slice(2));
      const near = await store.read(() => listMessagesNear(id, 2, 3, viewer));
      assert.deepEqual(
        near.map(({ position }) => position),
        [1, 2, 3],
      );
    });

    test("a project's conversations come newest first by when they were held", async () => {
      const projectId = await newProject();
      const held = [50, 10, 40, 30, 20];
      for (const startedAt of held) {
        const conversation = { id: ids.next(), title: `${startedAt}`, source: "test" };
        await store.write(() =>
          insertConversation({ ...conversation, startedAt, projectIds: [projectId] }, act),
        );
      }

      const first = await store.read(() => listConversations({ viewer, projectId, limit: 3 }));
      const second = await store.read(() =>
        listConversations({ viewer, projectId, limit: 3, cursor: first.nextCursor }),
      );

      assert.deepEqual(
        [...first.items, ...second.items].map(({ title }) => title),
        ["50", "40", "30", "20", "10"],
      );
    });

    test("a task keeps every field of the specification, and empties what is set to null", async () => {
      const projectId = await newProject();
      const [id, parentId] = [ids.next(), ids.next()];
      await store.write(() => insertTask({ id: parentId, title: "parent" }, act));
      const task = {
        id,
        title: "t",
        summary: "s",
        description: "see [Blocker] here, [OPEN LOOP] there",
        extraPrompt: "e",
        additionalInfo: "plain text",
        urgency: "urgent" as const,
        parentId,
        projectId,
        runId: "r",
        workflowId: "w",
        workflowVersion: 3,
        stage: "A",
        assigneeId: "owner",
        tags: ["foreach:1", 'a"b', "x,y"],
        input: { n: 1.5, list: [null, true] },
        output: ["o"],
        confidence: 0.25,
        questions: [{ kind: "confirm" }],
        source: { type: "packet" as const, id: "p", quote: "q" },
      };

      const made = await store.write(() => insertTask(task, act));
      const emptied = await store.write(() =>
        updateTask(id, { summary: null, output: null, assigneeId: null, description: "calm" }, act),
      );

      assert.partialDeepStrictEqual(made, {
        ...task,
        hasBlocker: true,
        isBlocker: false,
        hasOpenLoop: true,
        status: "pending",
        createdBy: "ann",
      });
      assert.deepEqual(await store.read(() => getTask(id, viewer)), emptied);
      assert.deepEqual(
        [emptied.summary, emptied.output, emptied.assigneeId, emptied.hasBlocker],
        [undefined, undefined, undefined, false],
      );
      await assert.rejects(
        store.write(() => updateTask(parentId, { parentId: id }, act)),
        {
          code: "task_parent_loop",
        },
      );
    });

    test("tasks are found by every filter, and tags by whole words only", async () => {
      const projectId = await newProject();
      const find = async (filter: object) =>
        (await store.read(() => listTasks({ viewer, projectId, order: "oldest", ...filter }))).items
          .map(({ title }) => title)
          .join("");
      const add = (title: string, more: object) =>
        store.write(() => insertTask({ id: ids.next(), title, projectId, ...more }, act));
      await add("a", { tags: ["red", 'q"b'], urgency: "high" });
      await add("b", { tags: ["b", "reddish"], assigneeId: "owner", isBlocker: true });
      await add("c", { tags: ['x,"b",y'], status: "on_hold", holdReason: "r", stage: "S" });
      await add("d", { tags: ["Red"], runId: "run-1", workflowId: "w-1", summary: "100 % Äpfel" });
      await add("e", { tags: [], description: "Pears,\nand 100_percent of them" });

      assert.equal(await find({ tags: ["red"] }), "a");
      assert.equal(await find({ tags: ["b"] }), "b");
      assert.equal(await find({ tags: ['q"b'] }), "a");
      assert.equal(await find({ tags: ['q"b', "red"] }), "a");
      assert.equal(await find({ tags: ['q"b', "b"] }), "");
      assert.equal(await find({ text: "PEARS and" }), "e");
      assert.equal(await find({ text: "Äpfel" }), "d");
      assert.equal(await find({ text: "%" }), "d");
      assert.equal(await find({ text: "0_p" }), "e");
      assert.equal(await find({ text: "pears Äpfel" }), "");
      assert.equal(await find({ text: "!" }), "");
      assert.equal(await find({ text: "  " }), "abcde");
      assert.equal(await find({ statuses: ["on_hold"] }), "c");
      assert.equal(await find({ statuses: [] }), "");
      assert.equal(await find({ urgencies: ["high", "urgent"] }), "a");
      assert.equal(await find({ assigneeId: "owner" }), "b");
      assert.equal(await find({ assigneeId: null }), "acde");
      assert.equal(await find({ hasBlocker: true }), "b");
      assert.equal(await find({ runId: "run-1" }), "d");
      assert.equal(await find({ workflowId: "w-1", stage: "S" }), "");
      assert.deepEqual(await store.read(() => countTasks({ viewer, projectId })), {
        pending: 4,
        on_hold: 1,
      });
    });

    test("a redaction names what it covers, and covers only what is there", async () => {
      const projectId = await newProject();
      const { id: conversationId, messageIds } = await newConversation([projectId], 2);
      const [messageId] = messageIds;
      const add = (what: object) =>
        store.write(() =>
          insertRedaction({ id: ids.next(), projectId, reason: "private", ...what }, act),
        );

      const kinds = [
        await add({ conversationId }),
        await add({ messageId }),
        await add({ messageId, span: { start: 0, end: 7 } }),
      ];

      assert.deepEqual(
        kinds.map(({ kind, createdBy }) => [kind, createdBy]),
        [
          ["conversation", "ann"],
          ["message", "ann"],
          ["span", "ann"],
        ],
      );
      await assert.rejects(add({ messageId, span: { start: 3, end: 400 } }), {
        code: "span_outside",
      });
      await assert.rejects(add({ span: { start: 0, end: 1 } }), { code: "span_outside" });
      await assert.rejects(add({}), { code: "redaction_of_nothing" });
      await assert.rejects(add({ messageId, conversationId: "elsewhere" }), {
        code: "message_elsewhere",
      });
      await store.write(() => deleteRedaction(kinds[0]!.id, act));
      await assert.rejects(
        store.read(() => getRedaction(kinds[0]!.id, viewer)),
        {
          code: "redaction_not_found",
        },
      );
      const listed = await store.read(() => listRedactions({ viewer, projectId }));
      assert.equal(listed.items.length, 2);
    });

    test("pointing at what is not there is refused by name", async () => {
      const add = (more: object) =>
        store.write(() => insertTask({ id: ids.next(), title: "t", ...more }, act));

      await assert.rejects(add({ projectId: "nowhere" }), { code: "project_not_found" });
      await assert.rejects(add({ assigneeId: "nobody" }), { code: "user_not_found" });
      await assert.rejects(add({ parentId: "nothing" }), { code: "task_not_found" });
      await assert.rejects(add({ source: { type: "message", id: "none" } }), {
        code: "message_not_found",
      });
      await assert.rejects(add({ status: "on_hold" }), { code: "hold_reason_missing" });
    });

    test("a deleted conversation takes its messages, links and redactions along", async () => {
      const projectId = await newProject();
      const { id: conversationId, messageIds } = await newConversation([projectId], 2);
      await store.write(() =>
        insertRedaction({ id: ids.next(), projectId, messageId: messageIds[1], reason: "r" }, act),
      );

      await store.write(() => deleteConversation(conversationId, act));

      for (const table of ["message", "conversation_project", "redaction"] as const) {
        const rows = await store.read(() =>
          query(
            db
              .selectFrom(table)
              .select("conversation_id")
              .where("conversation_id", "=", conversationId),
          ),
        );
        assert.deepEqual(rows, []);
      }
      await store.write(() => deleteProject(projectId, act));
    });

    test("closing", remove);
  });
}
