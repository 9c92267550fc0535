import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import {
  manualClock,
  type ScratchKernel,
  scratchKernel,
} from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../base/errors.ts";
import { hashJson } from "../base/hash.ts";
import { type DatabaseWork, runSql } from "../store/database-work.ts";
import { appendEvents } from "../store/events.ts";
import { beginIdempotent, expireIdempotent } from "../store/idempotency.ts";
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
    if (text === "away") throw new ProductError("note_away", "Later.", { kind: "unavailable" });
    await kernel.store.write(() => appendNote(kernel.clock.now(), caller.userId));
    if (text === "fail") throw new ProductError("note_refused", "No.", { kind: "conflict" });
    if (text === "busy") throw new ProductError("note_busy", "Later.", { kind: "unavailable" });
    return { text, tags, secret: "not in the schema" };
  },
});

function* appendNote(now: number, actor: string): DatabaseWork<void> {
  const note = { stream: "workspace", type: "note.added", projectId: null, actor, data: {} };
  yield* appendEvents([note], now);
}

/** Writes, and then does not come back: as far as others can see, its process died. */
const die = defineOperation({
  name: "note.die",
  summary: "Writes a note and dies.",
  effect: "writes",
  permission: "edit",
  input: z.object({ given: z.string(), isPatient: z.boolean().default(true) }),
  output: z.object({ text: z.string() }),
  run: async ({ kernel, caller, signal }, { given, isPatient }) => {
    const result = await kernel.store.write(function* () {
      yield* appendNote(kernel.clock.now(), caller.userId);
      return JSON.parse(given) as { text: string };
    });
    if (isPatient) await once(signal, "abort");
    return result;
  },
});

/** Those who let the operations that wait go on, in the order they came. */
const waiting: (() => void)[] = [];
const wait = defineOperation({
  name: "note.wait",
  summary: "Waits, and then writes a note.",
  effect: "writes",
  permission: "edit",
  input: z.object({}),
  output: z.object({}),
  run: async ({ kernel, caller }) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await kernel.store.write(() => appendNote(kernel.clock.now(), caller.userId));
    return {};
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
  die,
  wait,
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
        { pointer: "/text", message: "is needed" },
        { pointer: "/tags/1", message: "must be a text" },
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

    test("a refusal is repeated from memory, a passing failure is tried again unless it had an effect", async () => {
      const before = await notes();
      const codes: string[] = [];

      for (const text of ["fail", "fail", "away", "away", "busy", "busy"]) {
        codes.push((await failure(call("note.add", { text }, { idempotencyKey: text }))).code);
      }

      assert.deepEqual(codes, [
        "note_refused",
        "note_refused",
        "note_away",
        "note_away",
        "note_busy",
        "idempotency_answer_lost",
      ]);
      assert.equal(await notes(), before + 2);
    });

    test("after its process died before it wrote anything, a request is done by the next one", async () => {
      const before = await notes();
      const now = kernel.clock.now();
      const dead = { principal: "operator", route: "note.add", key: "dead", owner: "dead" };
      const requestHash = hashJson({ text: "later" });
      const again = () => call("note.add", { text: "later" }, { idempotencyKey: "dead" });
      await kernel.store.write(() =>
        beginIdempotent({ ...dead, requestHash }, { now, until: now + 8000 }),
      );

      const early = await failure(again());
      await kernel.store.write(() => expireIdempotent());
      const answers = [await again(), await again()];

      assert.equal(early.code, "idempotency_key_running");
      assert.ok([7, 8].includes(Number(early.details["retryAfterSeconds"])));
      assert.deepEqual(answers, [
        { text: "later", tags: [] },
        { text: "later", tags: [] },
      ]);
      assert.equal(await notes(), before + 1);
    });

    test("after its process died having written, a request is answered or said to have taken effect, never repeated", async () => {
      const before = await notes();
      const burial = new AbortController();
      const dead: Promise<unknown>[] = [];
      const diesAfter = (given: object | string) => {
        const options = { idempotencyKey: `dies-${typeof given}`, signal: burial.signal };
        const again = () => call("note.die", { given: JSON.stringify(given) }, options);
        dead.push(again());
        return again;
      };

      const answered = diesAfter({ text: "kept" });
      const unanswered = diesAfter("no answer");
      while ((await notes()) < before + 2) await kernel.clock.sleep(5);
      await kernel.store.write(() => expireIdempotent());

      assert.deepEqual(await answered(), { text: "kept" });
      assert.equal((await failure(unanswered())).code, "idempotency_answer_lost");
      assert.equal(await notes(), before + 2);
      burial.abort();
      await Promise.allSettled(dead);
    });

    test("a request that stood still finds its key taken and writes nothing", async () => {
      const before = await notes();
      const options = { idempotencyKey: "frozen" };
      const frozen = call("note.wait", {}, options);
      while (waiting.length === 0) await kernel.clock.sleep(5);
      const [goOn] = waiting.splice(0);

      await kernel.store.write(() => expireIdempotent());
      const second = call("note.wait", {}, options);
      while (waiting.length === 0) await kernel.clock.sleep(5);
      waiting.splice(0)[0]?.();
      assert.deepEqual(await second, {});
      goOn?.();

      assert.equal((await failure(frozen)).code, "idempotency_key_lost");
      assert.deepEqual(await call("note.wait", {}, options), {});
      assert.equal(await notes(), before + 1);
    });

    test("work that takes its time keeps its key", async () => {
      const clock = manualClock();
      const slow = { ...kernel, clock };
      const options = { idempotencyKey: "slow" };
      const first = invoke(slow, registry, "note.wait", operator, {}, options);
      while (waiting.length === 0) await kernel.clock.sleep(5);
      for (let step = 0; step < 10; step += 1) {
        clock.advance(3000);
        await kernel.clock.sleep(20);
      }

      const error = await failure(invoke(slow, registry, "note.wait", operator, {}, options));
      waiting.splice(0)[0]?.();

      assert.equal(error.code, "idempotency_key_running");
      assert.deepEqual(await first, {});
    });

    test("when the database does not say whether it committed, the key knows", async () => {
      const before = await notes();
      const { store } = kernel;
      let writes = 0;
      const write: typeof store.write = async (work) => {
        const result = await store.write(work);
        writes += 1;
        if (writes !== 2) return result;
        throw new ProductError("store_outcome_unknown", "It broke.", { kind: "unavailable" });
      };
      const shaky = { ...kernel, store: { ...store, write } };
      const options = { idempotencyKey: "unknown" };
      const input = { given: '{"text":"once"}', isPatient: false };

      const error = await failure(invoke(shaky, registry, "note.die", operator, input, options));

      assert.equal(error.code, "store_outcome_unknown");
      assert.deepEqual(await call("note.die", input, options), { text: "once" });
      assert.equal(await notes(), before + 1);
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
