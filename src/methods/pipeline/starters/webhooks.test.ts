/** Webhooks over real HTTP: what is signed starts something once, everything else nothing, and nobody learns why. */

import assert from "node:assert/strict";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import { rowsOf } from "../../../../tests/scratch/engine-audit.ts";
import { type ScratchServer, scratchServer } from "../../../../tests/scratch/scratch-server.ts";
import { systemClock } from "../../../kernel/base/clock.ts";
import { layOutView } from "../../../kernel/operation/lay-out-view.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { invoke } from "../../../kernel/operation/invoke.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../../kernel/operation/operation-registry.ts";
import { createHandlerRegistry } from "../../../kernel/run/handler.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { insertUser, updateUser } from "../../../kernel/store/users.ts";
import { workflowTables } from "../catalogue/workflow-migration.ts";
import { insertWorkflow } from "../catalogue/workflow-versions.ts";
import { pipelineEffects, pipelineHandlers } from "../running/pipeline-handlers.ts";
import { workflowRunTables } from "../running/run-migration.ts";
import { starterTables } from "./starter-migration.ts";
import { ADMIN, ONE_STEP, OPERATOR, refusal, STRANGER, VIEWER } from "./starter-world.suite.ts";
import { webhookDoor } from "./webhook-door.ts";
import { webhookOperations } from "./webhook-operations.ts";

interface Hook {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
  readonly secretPrint: string;
  readonly version: number;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly retryAfter: string | undefined;
  readonly body: Record<string, unknown>;
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`webhooks, on ${dialect}`, () => webhookTests(dialect));
}

function webhookTests(dialect: Dialect): void {
  let server: ScratchServer;
  let registry: OperationRegistry;
  let key = randomBytes(32);
  let ahead = 0;
  let stoodStillAt: number | undefined;
  let workflow = "";
  const clock = {
    ...systemClock,
    now: () => Date.now() + ahead,
    elapsed: () => stoodStillAt ?? systemClock.elapsed(),
  };

  before(async () => {
    const operations = webhookOperations(async () => key);
    registry = createOperationRegistry(operations);
    let nextId = () => "";
    const handlers = createHandlerRegistry(
      pipelineHandlers(undefined as never, () => nextId()),
      pipelineEffects,
    );
    const migrations = [workflowTables, workflowRunTables, starterTables];
    server = await scratchServer({
      registry,
      workspace: { dialect, clock, handlers, migrations },
      doors: (kernel, own) => [
        webhookDoor(
          kernel,
          (name, caller, input, options) => invoke(kernel, own, name, caller, input, options),
          async () => key,
        ),
      ],
    });
    nextId = () => server.kernel.ids.next();
    workflow = await addWorkflow("Reviews");
    await server.kernel.store.write(() =>
      insertUser({ id: "stranger", displayName: "Stranger", role: "operator" }, act()),
    );
  });
  after(() => server.close());

  const act = () => ({ actor: "admin", now: clock.now() });
  const addWorkflow = async (name: string) => {
    const id = server.kernel.ids.next();
    const version = { source: ONE_STEP, isDraft: false, summary: "" };
    await server.kernel.store.write(() =>
      insertWorkflow({ id, name, description: "" }, version, act()),
    );
    return id;
  };
  const as = async <Output>(caller: Caller, name: string, input: object = {}) =>
    (await invoke(server.kernel, registry, name, caller, input)) as Output;
  const show = async (name: string, input: object = {}) =>
    layOutView(registry.get(name).surfaces?.cli?.render?.(await as(OPERATOR, name, input)) ?? "");
  const addHook = (input: object = {}) => as<Hook>(OPERATOR, "webhook.add", { workflow, ...input });
  const runs = async () =>
    (
      await rowsOf<{ id: string; input: string; started_by: string }>(
        server.kernel.store,
        "select id, input, started_by from run order by id",
      )
    ).map(({ input, ...run }) => ({
      ...run,
      input: (JSON.parse(input) as { input: object }).input,
    }));
  const countRuns = async () => (await runs()).length;

  const signed = (
    { secret }: Pick<Hook, "secret">,
    body: string | Buffer,
    { id = randomUUID() as string, at = Math.floor(clock.now() / 1000) } = {},
  ): Record<string, string> => {
    const own = Buffer.from(secret.slice("whsec_".length), "base64");
    const hmac = createHmac("sha256", own).update(`${id}.${at}.`).update(body);
    return {
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${hmac.digest("base64")}`,
    };
  };
  const send = (
    path: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
    method = "POST",
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        server.url + path,
        { method, headers: { "content-type": "application/json", ...headers } },
        (incoming) => void readAnswer(incoming).then(resolve, reject),
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  const deliver = (hook: Hook, body: object, how: { id?: string; at?: number } = {}) => {
    const text = JSON.stringify(body);
    return send(hook.path, text, signed(hook, text, how));
  };

  test("what is signed starts the workflow, with the body laid over the webhook's own input", async () => {
    const hook = await addHook({ name: "Pushes", input: { branch: "main", depth: 1 } });

    const answer = await deliver(hook, { branch: "next", files: ["a.ts"] });

    assert.equal(answer.status, 202);
    assert.deepEqual(Object.keys(answer.body).toSorted(), ["isNew", "runId"]);
    const run = (await runs()).find(({ id }) => id === answer.body["runId"]);
    assert.deepEqual(run?.input, { branch: "next", depth: 1, files: ["a.ts"] });
    assert.equal(run?.started_by, "operator");
    const listed = await send(hook.path, "[1]", signed(hook, "[1]"));
    const second = (await runs()).find(({ id }) => id === listed.body["runId"]);
    assert.deepEqual(second?.input, { branch: "main", depth: 1, body: [1] });
  });

  test("a delivery counts once: sent again, later, or eight times at the same moment", async () => {
    const hook = await addHook();
    const before = await countRuns();
    const id = randomUUID();

    const many = await Promise.all(
      Array.from({ length: 8 }, () => deliver(hook, { n: 1 }, { id })),
    );
    ahead += 60 * 60_000;
    const later = await deliver(hook, { n: 1 }, { id });
    const other = await deliver(hook, { n: 2 }, { id });

    assert.equal(await countRuns(), before + 1);
    assert.deepEqual(new Set(many.map(({ body }) => body["runId"])).size, 1);
    assert.equal(many.filter(({ body }) => body["isNew"] === true).length, 1);
    assert.deepEqual([later.status, later.body["isNew"]], [202, false]);
    assert.deepEqual([other.status, other.body["code"]], [409, "delivery_id_reused"]);
  });

  test("whoever proves nothing hears the same, whatever is wrong, and starts nothing", async () => {
    const hook = await addHook();
    const shut = await addHook();
    await as(OPERATOR, "webhook.disable", { webhookId: shut.id });
    const other = await addHook();
    const text = JSON.stringify({ n: 1 });
    const now = Math.floor(clock.now() / 1000);
    const before = await countRuns();
    const good = signed(hook, text);
    const stranger = { ...hook, secret: `whsec_${randomBytes(32).toString("base64")}` };
    const bearer = { authorization: `Bearer ${await server.token("admin")}` };

    const answers = [
      await send(hook.path, text),
      await send(hook.path, text, bearer),
      await send(hook.path, text, signed(stranger, text)),
      await send(hook.path, text, signed(other, text)),
      await send(hook.path, `${text} `, good),
      await send(hook.path, text, { ...good, "webhook-id": randomUUID() }),
      await send(hook.path, text, signed(hook, text, { at: now - 400 })),
      await send(hook.path, text, signed(hook, text, { at: now + 400 })),
      await send(hook.path, text, { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }),
      await send(shut.path, text, signed(shut, text)),
      await send(`/hooks/${randomUUID()}`, text, good),
      await send("/hooks/", text, good),
      await send(`${hook.path}/`, text, good),
      await send(`${hook.path}?x=1`, text),
      await send(`/hooks/${"x".repeat(3000)}`, text, good),
      await send("/hooks/' or 1=1 --".replaceAll(" ", "%20"), text, good),
    ];

    assert.equal(await countRuns(), before);
    for (const { status, type, body } of answers) {
      assert.equal(status, 401);
      assert.match(type, /^application\/problem\+json/);
      const { requestId: _, ...said } = body;
      const { requestId: __, ...first } = answers[0]?.body ?? {};
      assert.deepEqual(said, first);
    }
    const stillGood = await send(hook.path, text, good);
    assert.equal(stillGood.status, 202);
  });

  test("only JSON of a reasonable size comes in, and only from programs", async () => {
    const hook = await addHook();
    const before = await countRuns();
    const large = JSON.stringify({ text: "x".repeat(1024 * 1024) });
    const broken = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const polluted = '{"__proto__": {"isAdmin": true}}';
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const ok = "{}";

    const status = async (body: string | Buffer, headers: Record<string, string> = {}) => {
      const answer = await send(hook.path, body, { ...signed(hook, body), ...headers });
      return `${answer.status} ${String(answer.body["code"])}`;
    };

    assert.equal(await status(large), "413 body_too_large");
    assert.equal(await status(large, { "transfer-encoding": "chunked" }), "413 body_too_large");
    assert.equal(await status(ok, { "content-type": "text/plain" }), "415 content_type_refused");
    assert.equal(
      await status(ok, { "content-type": "application/x-www-form-urlencoded" }),
      "415 content_type_refused",
    );
    assert.equal(await status(ok, { "content-encoding": "gzip" }), "415 encoding_refused");
    assert.equal(await status(broken), "400 json_invalid");
    assert.equal(await status("{"), "400 json_invalid");
    assert.match(await status(deep), /^400 /);
    assert.match(await status(polluted), /^400 /);
    assert.equal(await status(ok, { origin: server.url }), "403 page_refused");
    assert.equal(await status(ok, { "sec-fetch-site": "cross-site" }), "403 page_refused");
    const { cookie } = await server.login("operator");
    assert.equal(await status(ok, { cookie }), "403 page_refused");
    assert.equal(await status(ok, { host: "evil.example" }), "421 host_not_served");
    assert.equal(await countRuns(), before);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await send(hook.path, "", signed(hook, ""), method);
      assert.ok(answer.status === 404 || answer.status === 401, `${method} ${answer.status}`);
    }
  });

  test("GitHub's signatures are taken, its event goes along, and its deliveries cannot be replayed under another id", async () => {
    const hook = await addHook();
    const text = JSON.stringify({ action: "opened", number: 7 });
    const hex = createHmac("sha256", hook.secret).update(text).digest("hex");
    const github = (delivery: string) =>
      send(hook.path, text, {
        "x-hub-signature-256": `sha256=${hex}`,
        "x-github-event": "pull_request",
        "x-github-delivery": delivery,
      });
    const before = await countRuns();

    const [first, redelivered, replayed] = [
      await github("d-1"),
      await github("d-1"),
      await github("d-2"),
    ];

    assert.deepEqual([first.status, first.body["isNew"]], [202, true]);
    for (const again of [redelivered, replayed]) {
      assert.deepEqual([again.body["runId"], again.body["isNew"]], [first.body["runId"], false]);
    }
    assert.equal(await countRuns(), before + 1);
    const run = (await runs()).at(-1);
    assert.deepEqual(run?.input, { webhookEvent: "pull_request", action: "opened", number: 7 });
  });

  test("another secret ends the one before, at once or after a while; no secret stands anywhere in the store", async () => {
    const hook = await addHook({ name: "Turning" });
    const rotated = await as<Hook>(OPERATOR, "webhook.rotate", { webhookId: "Turning" });
    const kept = await as<Hook>(OPERATOR, "webhook.rotate", { webhookId: hook.id, keepOld: "1h" });
    const status = async (own: Hook) => (await deliver(own, { n: Math.random() })).status;

    assert.equal(new Set([hook.secret, rotated.secret, kept.secret]).size, 3);
    assert.equal(new Set([hook.secretPrint, rotated.secretPrint, kept.secretPrint]).size, 3);
    assert.deepEqual(
      [await status(hook), await status(rotated), await status(kept)],
      [401, 202, 202],
    );
    ahead += 61 * 60_000;
    assert.deepEqual([await status(rotated), await status(kept)], [401, 202]);
    const shown = JSON.stringify([
      await as(ADMIN, "webhook.show", { webhookId: hook.id }),
      await as(ADMIN, "webhook.list"),
    ]);
    const dump = await dumpOf(server);
    for (const { secret } of [hook, rotated, kept]) {
      assert.ok(!shown.includes(secret.slice(6)) && !dump.includes(secret.slice(6)));
    }
    assert.ok(dump.includes(hook.id));
    assert.ok(!dump.includes(Buffer.from(key).toString("hex")));
  });

  test("an answer with a secret is not repeated for the same key", async () => {
    const once = { idempotencyKey: randomUUID() };
    const add = () =>
      invoke(server.kernel, registry, "webhook.add", OPERATOR, { workflow, name: "Once" }, once);

    const first = (await add()) as Hook;
    const again = await refusal(add);

    assert.match(first.secret, /^whsec_/);
    assert.equal(again.code, "answer_not_kept");
    const { items } = await as<{ items: { name: string }[] }>(OPERATOR, "webhook.list");
    assert.equal(items.filter(({ name }) => name === "Once").length, 1);
  });

  test("what cannot be started is told to those who see the webhook, not to its sender", async () => {
    const userId = server.kernel.ids.next();
    await server.kernel.store.write(() =>
      insertUser({ id: userId, displayName: "Ann Secretname", role: "operator" }, act()),
    );
    const ann = { ...OPERATOR, userId, name: "Ann" };
    const hook = await as<Hook>(ann, "webhook.add", { workflow });
    await server.kernel.store.write(() => updateUser(userId, { isActive: false }, act()));
    const before = await countRuns();

    const answer = await deliver(hook, {});

    assert.deepEqual([answer.status, answer.body["code"]], [409, "webhook_not_started"]);
    assert.doesNotMatch(JSON.stringify(answer.body), /Ann|Secretname/);
    assert.equal(await countRuns(), before);
    const seen = await as<{ lastNote?: string }>(ADMIN, "webhook.show", { webhookId: hook.id });
    assert.match(seen.lastNote ?? "", /Ann Secretname, who set it up, is not active/);
    await as(ADMIN, "webhook.update", { webhookId: hook.id });
    assert.equal((await deliver(hook, { n: 2 })).status, 202);
    assert.equal((await runs()).at(-1)?.started_by, "admin");
  });

  test("where the key is another one nothing is let in, and it says so", async () => {
    const hook = await addHook({ name: "Moved" });
    const before = key;
    key = randomBytes(32);

    const answer = await deliver(hook, {});
    const shown = await show("webhook.show", { webhookId: "Moved" });
    key = before;

    assert.equal(answer.status, 401);
    assert.match(shown, /! Its secret was made with a key that does not lie here/);
    assert.doesNotMatch(await show("webhook.show", { webhookId: "Moved" }), /does not lie here/);
  });

  test("those who may not run things set up nothing, and others' webhooks are not seen", async () => {
    const hook = await addHook({ name: "Mine" });
    const code = async (caller: Caller, name: string, input: object) =>
      (await refusal(() => as(caller, name, input))).code;

    assert.equal(await code(VIEWER, "webhook.add", { workflow }), "permission_missing");
    for (const verb of ["show", "rotate", "disable", "delete", "update"]) {
      const input = { webhookId: hook.id };
      assert.equal(await code(STRANGER, `webhook.${verb}`, input), "webhook_not_found");
    }
    const body = { webhookId: "Mine", body: {} };
    assert.equal(await code(STRANGER, "webhook.deliver", body), "webhook_not_found");
    const { items } = await as<{ items: Hook[] }>(STRANGER, "webhook.list");
    assert.deepEqual(items, []);
    const long = { webhookId: hook.id, keepOld: "31d" };
    assert.equal(await code(OPERATOR, "webhook.rotate", long), "input_invalid");
  });

  test("people see where to send, how to sign, what came in; and may try it out by hand", async () => {
    const made = await show("webhook.add", { workflow, name: "Look" });
    const tried = await show("webhook.deliver", { webhookId: "Look", body: '{"n": 1}' });
    const listed = await show("webhook.list");
    const shown = await show("webhook.show", { webhookId: "Look" });
    const shut = await show("webhook.disable", { webhookId: "Look" });
    const refused = await refusal(() =>
      as(OPERATOR, "webhook.deliver", { webhookId: "Look", body: {} }),
    );
    const gone = await show("webhook.delete", { webhookId: "Look" });

    assert.match(
      made,
      /^✓ Made webhook \S+ "Look"\. Keep its secret now; it is not shown again\.\n\n {2}whsec_\S{44}\n/,
    );
    assert.match(made, /POST \/hooks\/[0-9a-f-]{36}/);
    assert.match(tried, /^✓ Started run /);
    assert.match(listed, /NAME .*STATE .*SECRET/);
    assert.match(shown, /● open {2}Look/);
    assert.match(shown, /Deliveries\n {2}RECEIVED/);
    assert.match(shut, /It lets nothing in\.$/);
    assert.equal(refused.code, "webhook_disabled");
    assert.match(gone, /^✓ Deleted webhook/);
  });

  test("too many that are not believed are told to wait, and those that are get in all the same, until they are too many", async (t) => {
    const hook = await addHook();
    // All at one moment, however long this machine takes: what is refused is not let in again by time passing.
    stoodStillAt = systemClock.elapsed();
    t.after(() => {
      stoodStillAt = undefined;
    });
    const wrong: Answer[] = [];
    for (let number = 0; number < 45; number += 1) wrong.push(await send(hook.path, "{}"));
    const right = await deliver(hook, { n: 0 });
    const flood = await Promise.all(
      Array.from({ length: 120 }, (_, n) => deliver(hook, { flood: n })),
    );

    const waiting = wrong.filter(({ status }) => status === 429);
    assert.ok(waiting.length >= 5, `${waiting.length} were told to wait`);
    assert.equal(waiting[0]?.body["code"], "requests_too_many");
    assert.match(waiting[0]?.retryAfter ?? "", /^\d+$/);
    assert.equal(right.status, 202);
    const statuses = new Set(flood.map(({ status }) => status));
    assert.deepEqual(statuses, new Set([202, 429]));
    assert.ok(flood.filter(({ status }) => status === 202).length >= 90);
  });
}

async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    status: incoming.statusCode ?? 0,
    type: incoming.headers["content-type"] ?? "",
    retryAfter: incoming.headers["retry-after"],
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** Every row of every table that could hold one. */
async function dumpOf({ kernel }: ScratchServer): Promise<string> {
  const tables = ["webhook", "webhook_delivery", "event", "idempotency", "run", "job", "setting"];
  const rows = await Promise.all(
    tables.map((table) => rowsOf(kernel.store, `select * from ${table}`)),
  );
  return JSON.stringify(rows);
}
