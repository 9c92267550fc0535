import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../base/errors.ts";
import { runSql } from "../store/database-work.ts";
import { appendEvents } from "../store/events.ts";
import { sqlText } from "../store/sql-text.ts";
import { authorisationMatrix, callerOf } from "./authorisation-matrix.ts";
import type { Permission, Role } from "./caller.ts";
import { type InvokeOptions, invoke } from "./invoke.ts";
import { defineOperation, type Operation } from "./operation.ts";
import { createOperationRegistry } from "./operation-registry.ts";

const add = defineOperation({
  name: "note.add",
  summary: "Adds a note.",
  effect: "writes",
  permission: "edit",
  input: z.object({ text: z.string().min(1), tags: z.array(z.string()).default([]) }),
  output: z.object({ text: z.string(), tags: z.array(z.string()) }),
  run: async ({ kernel, caller, report }, { text, tags }) => {
    report({ message: "Writing", done: 1, total: 1 });
    const event = {
      stream: "workspace",
      type: "note.added",
      projectId: null,
      actor: caller.userId,
      data: { text },
    };
    await kernel.store.write(() => appendEvents([event], kernel.clock.now()));
    if (text === "fail") throw new ProductError("note_refused", "No.", { kind: "conflict" });
    if (text === "busy") throw new ProductError("note_busy", "Later.", { kind: "unavailable" });
    return { text, tags, secret: "not in the schema" };
  },
});

const mint = defineOperation({
  name: "note.mint",
  summary: "Makes a secret that is shown once.",
  effect: "writes",
  permission: "edit",
  isAnswerSecret: true,
  input: z.object({}),
  output: z.object({ secret: z.string() }),
  run: async () => ({ secret: "canary-3f9a" }),
});

const operations: readonly Operation[] = [
  add,
  mint,
  ...(["read", "answer", "edit", "run", "administer"] as const).map((permission) =>
    defineOperation({
      name: `thing.${permission}`,
      summary: "Needs one permission.",
      effect: permission === "read" ? "reads" : "writes",
      permission,
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
    }),
  ),
  defineOperation({
    name: "thing.break",
    summary: "Promises what it does not give.",
    effect: "reads",
    permission: "read",
    input: z
      .object({ a: z.number(), b: z.number() })
      .refine(({ a, b }) => a < b, "a must be below b"),
    output: z.object({ count: z.number() }),
    run: async () => ({ count: "many" as unknown as number }),
  }),
];
const registry = createOperationRegistry(operations);
const COUNT_NOTES = sqlText("select count(*) as count from event where type = 'note.added'");
const operator = callerOf("operator", false, undefined);

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`invoke on ${dialect}`, () => {
    let kernel: ScratchKernel;
    before(async () => {
      kernel = await scratchKernel({ dialect });
    });
    after(() => kernel.remove());
    const call = (name: string, input: unknown, options: InvokeOptions = {}) =>
      invoke(kernel, registry, name, operator, input, options);
    // Counted in the table: readers of the log wait for older transactions, also of other tests.
    const notes = async () => {
      const [row] = await kernel.store.read(() => runSql<{ count: number }>(COUNT_NOTES, []));
      return Number(row?.count);
    };

    test("gives the answer without anything its schema does not name", async () => {
      const seen: string[] = [];

      const answer = await call(
        "note.add",
        { text: "hi" },
        { report: ({ message }) => seen.push(message) },
      );

      assert.deepEqual(answer, { text: "hi", tags: [] });
      assert.deepEqual(seen, ["Writing"]);
    });

    test("says where the input is wrong, and which field was probably meant", async () => {
      const error = await failure(call("note.add", { txt: "hi", tags: ["a", 5] }));

      assert.equal(error.code, "input_invalid");
      assert.deepEqual(error.details["errors"], [
        { pointer: "/text", message: "invalid input: expected string, received undefined" },
        { pointer: "/tags/1", message: "invalid input: expected string, received number" },
        { pointer: "/txt", message: 'there is no such field; did you mean "text"?' },
      ]);
    });

    test("keeps the rules a schema has beyond its fields", async () => {
      const error = await failure(call("thing.break", { a: 2, b: 1 }));

      assert.match(error.message, /a must be below b/);
    });

    test("does not let an answer of the wrong shape out", async () => {
      const error = await failure(call("thing.break", { a: 1, b: 2 }));

      assert.deepEqual([error.code, error.kind], ["output_invalid", "internal"]);
    });

    test("names the nearest operation when there is none of that name", async () => {
      const error = await failure(call("note.ad", {}));

      assert.deepEqual(
        [error.code, error.hint],
        ["operation_not_found", 'Did you mean "note.add"?'],
      );
    });

    test("does nothing once the caller has gone", async () => {
      const before = await notes();

      await assert.rejects(call("note.add", { text: "late" }, { signal: AbortSignal.abort() }));

      assert.equal(await notes(), before);
    });

    test("allows exactly what the role and the scope allow", async () => {
      const allowed: Record<Role, readonly Permission[]> = {
        viewer: ["read"],
        reviewer: ["read", "answer"],
        operator: ["read", "answer", "edit", "run"],
        admin: ["read", "answer", "edit", "run", "administer"],
      };
      const things = createOperationRegistry(
        operations.filter(({ name }) => /^thing\.(?!break)/.test(name)),
      );
      const cells = authorisationMatrix(things);
      assert.equal(cells.length, 5 * 4 * 2 * 6);

      for (const { operation, permission, role, isAgent, scope, isAllowed } of cells) {
        const expected =
          allowed[role].includes(permission) &&
          (scope === undefined || scope === permission) &&
          !(isAgent && permission === "administer");
        assert.equal(isAllowed, expected, `${operation} ${role} ${scope} agent:${isAgent}`);
        const attempt = invoke(kernel, things, operation, callerOf(role, isAgent, scope), {});
        if (expected) assert.deepEqual(await attempt, {});
        else assert.equal((await failure(attempt)).kind, "not_allowed");
      }
    });

    test("the same key and input: done once, answered twice", async () => {
      const before = await notes();

      const first = await call("note.add", { text: "once" }, { idempotencyKey: "k1" });
      const second = await call("note.add", { text: "once" }, { idempotencyKey: "k1" });

      assert.deepEqual(second, first);
      assert.equal(await notes(), before + 1);
    });

    test("a secret answer is given once and kept nowhere", async () => {
      const first = await call("note.mint", {}, { idempotencyKey: "secret" });
      const again = await failure(call("note.mint", {}, { idempotencyKey: "secret" }));
      const kept = await kernel.store.read(() =>
        runSql<{ response: string }>(sqlText("select response from idempotency"), []),
      );

      assert.deepEqual(first, { secret: "canary-3f9a" });
      assert.equal(again.code, "answer_not_kept");
      assert.ok(kept.length > 0 && kept.every(({ response }) => !response?.includes("canary")));
    });

    test("the same key with another input is refused", async () => {
      await call("note.add", { text: "one" }, { idempotencyKey: "k2" });

      const error = await failure(call("note.add", { text: "two" }, { idempotencyKey: "k2" }));

      assert.equal(error.code, "idempotency_key_reused");
    });

    test("a second call while the first runs is told so, and does nothing", async () => {
      const before = await notes();

      const outcomes = await Promise.allSettled(
        Array.from({ length: 5 }, () =>
          call("note.add", { text: "race" }, { idempotencyKey: "k3" }),
        ),
      );

      assert.equal(await notes(), before + 1);
      for (const outcome of outcomes.filter(({ status }) => status === "rejected")) {
        const { reason } = outcome as PromiseRejectedResult;
        assert.equal((reason as ProductError).code, "idempotency_key_running");
      }
    });

    test("a refusal is repeated from memory, a passing failure is tried again", async () => {
      const before = await notes();

      for (const text of ["fail", "fail", "fail", "busy", "busy", "busy"]) {
        const error = await failure(call("note.add", { text }, { idempotencyKey: text }));
        assert.equal(error.code, text === "fail" ? "note_refused" : "note_busy");
      }

      assert.equal(await notes(), before + 1 + 3);
    });

    test("two people may use the same key", async () => {
      const before = await notes();

      for (const role of ["operator", "admin"] as const) {
        const caller = callerOf(role, false, undefined);
        await invoke(
          kernel,
          registry,
          "note.add",
          caller,
          { text: "x" },
          { idempotencyKey: "shared" },
        );
      }

      assert.equal(await notes(), before + 2);
    });
  });

describe("createOperationRegistry", () => {
  test("refuses what surfaces could not render", () => {
    const faults: [Partial<Operation>, RegExp][] = [
      [{ name: "Note.Add" }, /noun\.verb/],
      [{ name: "note.add.more" }, /noun\.verb/],
      [{ permission: undefined as unknown as Permission }, /permission/],
      [{ input: z.string() }, /object/],
      [{ summary: " " }, /summary/],
      [{ surfaces: { cli: { positionals: ["nothing"] } } }, /"nothing"/],
    ];

    for (const [change, message] of faults) {
      assert.throws(() => createOperationRegistry([{ ...(add as Operation), ...change }]), message);
    }
    assert.throws(() => createOperationRegistry([add, add]), /twice/);
  });
});

async function failure(attempt: Promise<unknown>): Promise<ProductError> {
  const error = await attempt.then(
    () => assert.fail("it should have failed"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProductError, String(error));
  return error;
}
