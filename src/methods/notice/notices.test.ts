import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  manualClock,
  type ScratchKernel,
  scratchKernel,
} from "../../../tests/scratch/scratch-kernel.ts";
import { whenSeen } from "../../../tests/scratch/scratch-store.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { appendEvents } from "../../kernel/store/events.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { noticeTables } from "./notice-migration.ts";
import { noticeOperations } from "./notice-operations.ts";
import { nextTry } from "./retry-plan.ts";
import { type PostMessage, sendNotices } from "./send-messages.ts";

const ADMIN = callerOf("admin", false, undefined);
const OPERATOR = callerOf("operator", false, undefined);
const KEY = Buffer.alloc(32, 3);
const findKey = async () => KEY;

interface Added {
  readonly id: string;
  readonly secret: string;
}
interface Shown {
  readonly notice: { readonly id: string; readonly isEnabled: boolean };
  readonly messages: readonly {
    readonly id: string;
    readonly kind: string;
    readonly state: string;
    readonly attempts: number;
    readonly nextAt?: number;
    readonly lastNote?: string;
  }[];
}
type Received = Parameters<PostMessage>[0];

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`notices on ${dialect}`, () => {
    const clock = manualClock();
    const registry = createOperationRegistry(noticeOperations(findKey));
    let kernel: ScratchKernel;
    let received: Received[] = [];
    let answers: (number | Error)[] = [];
    before(async () => {
      kernel = await scratchKernel({ clock, dialect, migrations: [noticeTables] });
      await kernel.store.write(() =>
        insertProject(
          { id: "garden", name: "Garden", ownerId: "admin" },
          { actor: "admin", now: 1 },
        ),
      );
    });
    after(() => kernel.remove());

    const as = async <Answer>(caller: Caller, name: string, input: object): Promise<Answer> =>
      (await invoke(kernel, registry, name, caller, input)) as Answer;
    const add = (input: object = {}) =>
      as<Added>(ADMIN, "notice.add", { url: "https://example.org/hook", ...input });
    const show = (noticeId: string) => as<Shown>(ADMIN, "notice.show", { noticeId });
    const remove = (noticeId: string) => as(ADMIN, "notice.delete", { noticeId });
    const happen = async (
      stream: string,
      type: string,
      data = {},
      projectId: string | null = null,
    ) => {
      await kernel.store.write(() =>
        appendEvents([{ stream, type, projectId, actor: "engine", data }], clock.now()),
      );
      await whenSeen(kernel.store);
    };
    const post: PostMessage = async (request) => {
      received.push(request);
      const answer = answers.shift() ?? 200;
      if (answer instanceof Error) throw answer;
      return { status: answer };
    };
    const send = () => sendNotices(kernel, { post, findKey }, new AbortController().signal);
    const reset = () => {
      received = [];
      answers = [];
    };

    test("one is found by its name; two of the same name are told apart by id", async () => {
      const { id } = await add({ name: "Pager" });
      assert.equal((await show("Pager")).notice.id, id);
      const twin = await add({ name: "Pager" });
      await assert.rejects(show("Pager"), { code: "name_ambiguous" });
      assert.equal((await show(twin.id)).notice.id, twin.id);
      for (const each of [id, twin.id]) await remove(each);
    });

    test("an end, a wait and a budget are told, signed, each once; nothing from before, nothing else", async () => {
      reset();
      await happen("run-0", "run.completed");
      const { id, secret } = await add();
      await happen("run-1", "run.completed");
      await happen("run-2", "wait.opened", { wait: "w", kind: "manual_step", title: "Look" });
      await happen("run-3", "wait.opened", { wait: "l", kind: "limit_reached", title: "Turns" });
      await happen("run-3", "turn.completed");

      assert.equal(await send(), 3);
      assert.equal(await send(), 0);
      const bodies = received.map(
        ({ body }) => JSON.parse(body) as { type: string; data: { runId: string } },
      );
      assert.deepEqual(bodies.map(({ type, data }) => `${type} ${data.runId}`).toSorted(), [
        "budget.reached run-3",
        "run.finished run-1",
        "run.waiting run-2",
      ]);
      assert.ok(
        received.every(({ body }) => !body.includes("Look")),
        "no words of people go out",
      );
      for (const { headers, body } of received) {
        const key = Buffer.from(secret.slice("whsec_".length), "base64");
        const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
        const wanted = createHmac("sha256", key).update(signed).digest("base64");
        assert.equal(headers["webhook-signature"], `v1,${wanted}`);
      }
      await remove(id);
    });

    test("what is not taken is sent again under the same id, later and later, and given up at last", async () => {
      reset();
      const { id } = await add({ on: ["run.finished"] });
      await happen("run-4", "run.failed");
      answers = [new Error("nobody there"), 503, ...Array.from({ length: 20 }, () => 500)];
      let pauses = 0;
      for (;;) {
        await send();
        const [message] = (await show(id)).messages;
        assert.ok(message);
        if (message.state === "failed") break;
        assert.equal(await send(), 0, "not before its time");
        assert.ok(message.nextAt !== undefined);
        pauses += 1;
        clock.advance(message.nextAt - clock.now());
      }
      assert.equal(pauses, 9);
      assert.equal(received.length, 10);
      assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1);
      const [given] = (await show(id)).messages;
      assert.match(given?.lastNote ?? "", /answered with 500/);

      answers = [200];
      await as(ADMIN, "notice.redeliver", { noticeId: id, message: given?.id ?? "" });
      await send();
      assert.equal((await show(id)).messages[0]?.state, "delivered");
      assert.equal(received.at(-1)?.headers["webhook-id"], given?.id);
      await remove(id);
    });

    test("a sender that dies with a message in hand leaves it to the next one", async () => {
      reset();
      const { id } = await add();
      await happen("run-5", "run.completed");
      const dying = new AbortController();
      const dies: PostMessage = async (request) => {
        received.push(request);
        dying.abort();
        throw new Error("killed");
      };
      await sendNotices(kernel, { post: dies, findKey }, dying.signal);
      assert.equal((await show(id)).messages[0]?.state, "pending");
      clock.advance(60_000);
      await send();

      assert.equal(received.length, 2);
      assert.equal(received[0]?.headers["webhook-id"], received[1]?.headers["webhook-id"]);
      assert.equal((await show(id)).messages[0]?.state, "delivered");
      await remove(id);
    });

    test("a notice of a project hears only of it; one that is off hears nothing; 410 switches it off", async () => {
      reset();
      const { id } = await add({ project: "Garden" });
      await happen("run-6", "run.completed");
      await happen("run-7", "run.completed", {}, "garden");
      await send();
      assert.deepEqual(
        received.map(({ body }) => (JSON.parse(body) as { data: { runId: string } }).data.runId),
        ["run-7"],
      );

      await as(ADMIN, "notice.update", { noticeId: id, enabled: false });
      await happen("run-8", "run.completed", {}, "garden");
      assert.equal(await send(), 0);
      await as(ADMIN, "notice.update", { noticeId: id, enabled: true });
      await happen("run-9", "run.completed", {}, "garden");
      answers = [410];
      assert.equal(await send(), 1);
      assert.equal((await show(id)).notice.isEnabled, false);
      await remove(id);
    });

    test("only admins add one, and only to addresses that are safe", async () => {
      const refused = (caller: Caller, url: string, code: string) =>
        assert.rejects(as(caller, "notice.add", { url }), { code });

      await refused(OPERATOR, "https://example.org", "permission_missing");
      await refused(ADMIN, "http://example.org", "notice_url_refused");
      await refused(ADMIN, "https://me:secret@example.org", "notice_url_refused");
      await refused(ADMIN, "file:///etc/passwd", "notice_url_refused");
    });
  });

test("a receiver that asks for more time gets it, within a day", () => {
  const id = "msg_x";
  assert.equal(nextTry({ id, attempts: 1, retryAfterMs: 3_600_000 }), 3_600_000);
  assert.equal(nextTry({ id, attempts: 1, retryAfterMs: 1e12 }), 86_400_000);
  const usual = nextTry({ id, attempts: 1 }) ?? 0;
  assert.ok(usual >= 5000 && usual <= 6000);
  assert.equal(nextTry({ id, attempts: 10 }), undefined);
});
