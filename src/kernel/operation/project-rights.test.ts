/** A role in a project narrows what the own role allows, for every operation that says what it names. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../base/errors.ts";
import { insertConversation } from "../store/conversations.ts";
import { query } from "../store/database-work.ts";
import { insertHighlight } from "../store/highlights.ts";
import { appendMessages } from "../store/messages.ts";
import type { UserRole } from "../store/noun-tables.ts";
import { putProjectMember } from "../store/project-members.ts";
import { getProject, insertProject } from "../store/projects.ts";
import { db } from "../store/query-builder.ts";
import { deleteTask, insertTask } from "../store/tasks.ts";
import { getUser, type User } from "../store/users.ts";
import { callerOf } from "./authorisation-matrix.ts";
import type { Caller, Permission } from "./caller.ts";
import { type InvokeOptions, invoke } from "./invoke.ts";
import { defineOperation, type Operation } from "./operation.ts";
import { createOperationRegistry } from "./operation-registry.ts";
import { isBarred, requireOwner, requireSeeing } from "./project-rights.ts";

const someId = z.string().optional();

function touching(permission: Permission): Operation {
  return defineOperation({
    name: `thing.${permission}`,
    summary: "Deals with whatever it is given.",
    effect: permission === "read" ? "reads" : "writes",
    permission,
    projectScope: {
      project: "project",
      tasks: "task",
      highlightId: "highlight",
      conversationId: "conversation",
      messageId: "message",
    },
    input: z.object({
      project: z.string().nullable().optional(),
      tasks: z.array(z.string()).optional(),
      highlightId: someId,
      conversationId: someId,
      messageId: someId,
    }),
    output: z.object({ isDone: z.boolean() }),
    run: async () => ({ isDone: true }),
  });
}

const remove = defineOperation({
  name: "task.drop",
  summary: "Deletes a task.",
  effect: "destroys",
  permission: "edit",
  projectScope: { taskId: "task" },
  input: z.object({ taskId: z.string() }),
  output: z.object({}),
  run: async ({ kernel, caller }, { taskId }) => {
    const act = { actor: caller.userId, now: kernel.clock.now() };
    await kernel.store.write(() => deleteTask(taskId, act));
    return {};
  },
});

const seek = defineOperation({
  name: "thing.seek",
  summary: "Deals with a thing that the operation itself looks for.",
  effect: "writes",
  permission: "edit",
  projectScope: {
    *place(given) {
      return { projectId: given, createdBy: "admin" };
    },
  },
  input: z.object({ place: z.string() }),
  output: z.object({ isDone: z.boolean() }),
  run: async () => DONE,
});

const registry = createOperationRegistry([
  touching("read"),
  touching("answer"),
  touching("edit"),
  touching("run"),
  remove,
  seek,
]);
const OPERATOR = callerOf("operator", false, undefined);
const DONE = { isDone: true };

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`rights in a project on ${dialect}`, () => {
    let kernel: ScratchKernel;

    before(async () => {
      kernel = await scratchKernel({ dialect });
      await kernel.store.write(function* () {
        const act = { actor: "admin", now: kernel.clock.now() };
        for (const [id, ownerId] of [
          ["watched", "admin"],
          ["own", "operator"],
          ["shared", "admin"],
        ] as const) {
          const visibility = id === "shared" ? ("workspace" as const) : ("private" as const);
          yield* insertProject({ id, name: `The ${id} one`, ownerId, visibility }, act);
          yield* insertTask({ id: `task-${id}`, projectId: id, title: id }, act);
        }
        yield* insertProject({ id: "hidden", name: "The hidden one", ownerId: "admin" }, act);
        const talk = { id: "talk", title: "Talk", source: "test", projectIds: ["watched"] };
        yield* insertConversation(talk, act);
        const said = { id: "word", role: "user" as const, content: "Ship it.", position: 0 };
        yield* appendMessages("talk", [said], act);
        const wide = { projectIds: ["hidden", "own", "watched"], title: "Wide", source: "test" };
        yield* insertConversation({ ...wide, id: "wide" }, act);
        yield* insertConversation(
          { ...wide, id: "narrow", projectIds: ["hidden", "watched"] },
          act,
        );
        const kept = { content: "Ship it.", conversationId: "talk", messageId: "word" };
        yield* insertHighlight({ ...kept, id: "theirs" }, act);
        yield* insertHighlight({ ...kept, id: "mine" }, { ...act, actor: "operator" });
      });
      await memberAs("viewer");
    });
    after(() => kernel.remove());

    const memberAs = (role: UserRole) =>
      kernel.store.write(() =>
        putProjectMember(
          { projectId: "watched", userId: "operator", role },
          { actor: "admin", now: kernel.clock.now() },
        ),
      );
    const call = (name: string, input: unknown, options: InvokeOptions = {}, caller = OPERATOR) =>
      invoke(kernel, registry, name, caller, input, options);

    test("a viewer of a project looks there and does nothing else, however the thing is named", async () => {
      const inputs = [
        { project: "watched" },
        { project: "The watched one" },
        { tasks: ["task-own", "task-watched"] },
        { conversationId: "talk" },
        { messageId: "word" },
        { highlightId: "theirs" },
      ];

      for (const input of inputs) {
        assert.deepEqual(await call("thing.read", input), DONE);
        for (const name of ["thing.answer", "thing.edit", "thing.run"]) {
          const error = await failure(call(name, input));
          assert.deepEqual([error.code, error.kind], ["project_role_lacks_it", "not_allowed"]);
        }
      }
    });

    test("the role in the project decides, up to what the own role allows", async () => {
      await memberAs("reviewer");
      assert.deepEqual(await call("thing.answer", { project: "watched" }), DONE);
      assert.equal((await failure(call("thing.run", { project: "watched" }))).kind, "not_allowed");

      await memberAs("admin");
      assert.deepEqual(await call("thing.run", { project: "watched" }), DONE);
      await memberAs("viewer");
    });

    test("the owner, an admin, the maker and who sees it with the workspace are not narrowed", async () => {
      const admin = callerOf("admin", false, undefined);

      assert.deepEqual(await call("thing.edit", { project: "own", tasks: ["task-own"] }), DONE);
      assert.deepEqual(await call("thing.edit", { project: "watched" }, {}, admin), DONE);
      assert.deepEqual(await call("thing.edit", { highlightId: "mine" }), DONE);
      assert.deepEqual(await call("thing.edit", { project: "shared" }), DONE);
    });

    test("the right in one of the projects of a conversation is enough, and one that is not seen gives none", async () => {
      assert.deepEqual(await call("thing.edit", { conversationId: "wide" }), DONE);

      const error = await failure(call("thing.edit", { conversationId: "narrow" }));
      assert.deepEqual(
        [error.code, error.details?.["projectId"]],
        ["project_role_lacks_it", "watched"],
      );
    });

    test("what the operation itself looks for is judged by the place it finds", async () => {
      assert.deepEqual(await call("thing.seek", { place: "own" }), DONE);

      const error = await failure(call("thing.seek", { place: "watched" }));
      assert.equal(error.code, "project_role_lacks_it");
    });

    test("what is the owner's business is also that of admins, of the project and of the workspace", async () => {
      const ask = (caller: Caller, projectId: string) =>
        kernel.store.read(function* () {
          const admin = callerOf("admin", false, undefined);
          return yield* requireOwner(caller, yield* getProject(projectId, admin));
        });

      await ask(OPERATOR, "own");
      await ask(callerOf("admin", false, undefined), "own");
      for (const role of ["viewer", "operator"] as const) {
        await memberAs(role);
        const error = await failure(ask(OPERATOR, "watched"));
        assert.deepEqual([error.code, error.kind], ["project_owner_needed", "not_allowed"]);
        assert.match(error.message, /^Only the owner of "The watched one"/);
      }
      assert.equal((await failure(ask(OPERATOR, "shared"))).code, "project_owner_needed");
      await memberAs("admin");
      await ask(OPERATOR, "watched");
      await memberAs("viewer");
    });

    test("work is handed to whoever is active and sees its project, and to agents", async () => {
      const hand = (more: Partial<User>, projectId: string | undefined) =>
        kernel.store.read(function* () {
          return yield* requireSeeing({ ...(yield* getUser("operator")), ...more }, projectId);
        });

      for (const seen of [undefined, "own", "watched", "shared"]) await hand({}, seen);
      await hand({ isAgent: true }, "hidden");
      const outside = await failure(hand({}, "hidden"));
      assert.deepEqual(
        [outside.code, outside.kind, outside.message, outside.details],
        [
          "assignee_outside",
          "conflict",
          "operator does not see this project.",
          { projectId: "hidden", userId: "operator" },
        ],
      );
      const gone = await failure(hand({ isActive: false, isAgent: true }, undefined));
      assert.deepEqual(
        [gone.code, gone.kind, gone.message],
        ["assignee_inactive", "conflict", "operator is not active any more."],
      );
    });

    test("naming nothing is no trespass, and what is not seen is not there", async () => {
      assert.deepEqual(await call("thing.edit", { project: null }), DONE);
      assert.deepEqual(await call("thing.edit", {}), DONE);

      const error = await failure(call("thing.edit", { project: "hidden" }));
      assert.deepEqual([error.code, error.kind], ["project_not_found", "not_found"]);
    });

    test("the answer under a key is repeated although what it named is gone", async () => {
      const options = { idempotencyKey: "drop-1" };

      assert.deepEqual(await call("task.drop", { taskId: "task-own" }, options), {});
      assert.deepEqual(await call("task.drop", { taskId: "task-own" }, options), {});
    });

    test("lists leave out what the role in the project bars", async () => {
      const barred = async (permission: Permission) => {
        const rows = await kernel.store.read(() =>
          query(
            db
              .selectFrom("task")
              .select("task.id")
              .where(isBarred(OPERATOR, "task.project_id", permission)),
          ),
        );
        return rows.map(({ id }) => id);
      };

      assert.deepEqual(await barred("edit"), ["task-watched"]);
      assert.deepEqual(await barred("read"), []);
    });
  });

describe("an operation that names things in projects", () => {
  test("must say so, unless it only reads", () => {
    const { projectScope, ...silent } = remove;

    assert.throws(() => createOperationRegistry([silent]), {
      code: "operation_malformed",
      message: /takes "taskId"/,
    });
    createOperationRegistry([{ ...silent, permission: "read" }]);
    assert.deepEqual(projectScope, { taskId: "task" });
  });

  test("must have the fields it says", () => {
    const boastful = { ...remove, projectScope: { taskId: "task", planId: "run" } } as const;

    assert.throws(() => createOperationRegistry([boastful]), { code: "operation_malformed" });
  });
});

async function failure(attempt: Promise<unknown>): Promise<ProductError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}
