/**
 * Every operation's route with requests made from its own schema: right, nearly right, wrong in kind, hostile, and no
 * JSON at all. Whatever comes, the answer comes soon, is no failure of ours, and says why in a problem of our own form.
 * `FUZZ=10000` sends as many to each route.
 */

import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { hashText } from "../../src/kernel/base/hash.ts";
import { createDice, type Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import { inputFields } from "../../src/kernel/operation/input-fields.ts";
import { issueToken } from "../../src/kernel/operation/issue-token.ts";
import type { Operation } from "../../src/kernel/operation/operation.ts";
import { startEngine } from "../../src/kernel/run/engine.ts";
import { startHttpServer } from "../../src/surfaces/http/http-server.ts";
import { operationPath } from "../../src/surfaces/http/operation-routes.ts";
import { HOSTILE_VALUES, hostileTexts } from "../hostile/corpus.ts";
import {
  ADMIN,
  type Furniture,
  furnish,
  inputOf,
  openEverything,
  OPERATOR,
  WAITING,
} from "./every-operation.ts";

const FUZZ = Number(process.env["FUZZ"] ?? 12);
const SLOWEST_MS = 2000;
const AT_ONCE = 4;

/** They take away what the others are asked with. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...WAITING,
  "user.archive",
  "user.delete",
  "workspace.clear-sample",
  // Says by a failure of its own that it could not look: without a repository it never can.
  "session.check",
]);

const TEXTS = hostileTexts().map((each) => each.text);

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly ms: number;
}

test(`${FUZZ} requests to every route: none fails, none is slow, every refusal says why`, async (t) => {
  const everything = await openEverything();
  const { kernel, registry } = everything;
  const unforeseen: string[] = [];
  // Some wait for the run that they start.
  const engine = startEngine({
    ...kernel.engine,
    store: kernel.store,
    clock: kernel.clock,
    models: kernel.models,
    worker: "fuzz",
    concurrency: 4,
    pollMs: 100,
    random: () => 0.5,
    onTrouble: (error) => unforeseen.push(String(error)),
  });
  const server = await startHttpServer({
    kernel,
    registry,
    program: { name: "Fuzzed", version: "1.0.0" },
    log: (entry) => {
      if (entry.level === "error") unforeseen.push(JSON.stringify(entry).slice(0, 400));
    },
    listen: { host: "127.0.0.1", port: 0 },
    instance: "fuzz",
  });
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  t.after(async () => {
    agent.destroy();
    await server.close();
    await engine.stop();
    await kernel.remove();
  });
  const { text: token } = await issueToken(kernel, {
    userId: ADMIN.userId,
    name: "fuzz",
    scopes: undefined,
    actor: "test",
  });
  const furniture = await furnish(everything, OPERATOR, "private");
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  let slowest = { ms: 0, where: "" };
  const operations = registry.operations.filter(({ name }) => !LEFT_OUT.has(name));

  const attempt = async (operation: Operation, number: number) => {
    const dice = createDice(hashText(`${operation.name} ${number}`));
    const sent = requestFor(dice, operation, furniture, `${operation.name} ${number}`);
    const answered = await send(agent, server.port, token, sent);
    const fault = faultOf(answered);
    const where = `${operation.name} no ${number}`;
    if (answered.ms > slowest.ms) slowest = { ms: answered.ms, where };
    const kind = `${Math.floor(answered.status / 100)}xx`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (fault !== undefined)
      wrong.push(
        `${where}: ${fault}: ${answered.status} ${answered.body.slice(0, 200)} to ${sent.method} ${sent.path.slice(0, 120)} ${String(sent.body).slice(0, 200)}`,
      );
  };
  for (const operation of operations) {
    for (let from = 0; from < FUZZ && wrong.length < 20; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, FUZZ - from) }, (_, n) => from + n);
      await Promise.all(numbers.map((number) => attempt(operation, number)));
    }
  }

  assert.deepEqual(unforeseen, []);
  assert.deepEqual(wrong, []);
  for (const kind of ["2xx", "4xx"])
    assert.ok((counts.get(kind) ?? 0) > operations.length, `${kind}: ${counts.get(kind)}`);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  t.diagnostic(
    `${total} requests to ${operations.length} routes: ${counts.get("2xx")} done, ${counts.get("4xx")} refused, 0 failed; the slowest took ${Math.round(slowest.ms)} ms (${slowest.where})`,
  );
});

function faultOf({ status, type, body, ms }: Answered): string | undefined {
  if (ms > SLOWEST_MS) return `took ${Math.round(ms)} ms`;
  if (status >= 500) return "failed";
  if (status < 400) return undefined;
  if (!type.startsWith("application/problem+json")) return `refused as ${type}`;
  const problem = JSON.parse(body) as { code?: unknown; title?: unknown };
  return typeof problem.code === "string" ? undefined : "refused without a code";
}

function requestFor(dice: Dice, operation: Operation, furniture: Furniture, unique: string): Sent {
  const input = inputOf(operation, furniture, unique) as Record<string, unknown>;
  const path = operationPath(operation);
  const headers: Record<string, string> = { "content-type": "application/json" };
  const fields = inputFields(operation.input).map(({ name }) => name);
  switch (dice.below(8)) {
    case 0:
      break;
    case 1:
      return { method: "POST", path, headers, body: brokenBody(dice, JSON.stringify(input)) };
    case 2:
      return { method: "POST", path, headers: oddHeaders(dice), body: JSON.stringify(input) };
    case 3:
      if (operation.effect === "reads") {
        const query = new URLSearchParams();
        for (const name of fields)
          if (dice.below(2) === 0) query.append(name, anyText(dice).toWellFormed());
        return {
          method: "GET",
          path: `${path}?${query.toString().slice(0, 6000)}`,
          headers: {},
          body: undefined,
        };
      }
      return {
        method: dice.pick(["PUT", "PATCH", "DELETE", "GET"]) ?? "PUT",
        path,
        headers: {},
        body: undefined,
      };
    default:
      for (let changes = 1 + dice.below(3); changes > 0; changes -= 1) {
        const field = dice.below(10) === 0 ? anyText(dice) : (dice.pick(fields) ?? "unknown");
        if (dice.below(8) === 0) delete input[field];
        else input[field] = anyValue(dice, 0);
      }
  }
  return { method: "POST", path, headers, body: JSON.stringify(input) ?? "null" };
}

function anyText(dice: Dice): string {
  return dice.pick(TEXTS) ?? "";
}

function anyValue(dice: Dice, depth: number): unknown {
  switch (dice.below(depth > 3 ? 7 : 10)) {
    case 0:
      return dice.pick(HOSTILE_VALUES);
    case 1:
      return dice.pick([0, -1, 1e308, -0.5, 2 ** 53, 2 ** 31, 1e-9, 4_294_967_296]);
    case 2:
      return dice.pick([true, false, null, "", " ", "null", "true", "0"]);
    case 3:
      return `0199a000-000${dice.below(10)}-7000-8000-${String(dice.below(1e9)).padStart(12, "0")}`;
    case 4:
    case 5:
    case 6:
      return anyText(dice);
    case 7:
      return Array.from({ length: dice.below(5) }, () => anyValue(dice, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.below(5) }, () => [anyText(dice), anyValue(dice, depth + 1)]),
      );
  }
}

function brokenBody(dice: Dice, whole: string): string | Buffer {
  switch (dice.below(8)) {
    case 0:
      return whole.slice(0, dice.below(whole.length + 1));
    case 1:
      return `[${whole}]`;
    case 2:
      return whole.replace("{", '{"__proto__":{"isAdmin":true},');
    case 3:
      return "[".repeat(2 + dice.below(5000));
    case 4:
      return whole.replace(/("[^"]+":)/, '$1"first",$1');
    case 5:
      return Buffer.concat([
        Buffer.from(whole.slice(0, -1)),
        Buffer.from([0xff, 0xfe, 0xc0]),
        Buffer.from('"}'),
      ]);
    case 6:
      return dice.pick(["", "null", "true", "0", '"text"', "\u0000", "NaN", "{}", "[]"]) ?? "";
    default:
      return `{"a":${"9".repeat(1 + dice.below(4000))}}`;
  }
}

function oddHeaders(dice: Dice): Record<string, string> {
  const type = dice.pick([
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "",
  ]);
  return {
    "content-type": type ?? "",
    ...(dice.below(2) === 0
      ? { "if-match": dice.pick(['"1"', "*", '"x"', "W/1", '""']) ?? "" }
      : {}),
    ...(dice.below(2) === 0 ? { "idempotency-key": "k".repeat(1 + dice.below(400)) } : {}),
    ...(dice.below(2) === 0
      ? { accept: dice.pick(["*/*", "text/event-stream", "text/html", "q"]) ?? "" }
      : {}),
    ...(dice.below(2) === 0 ? { "x-view": dice.pick(["terminal", "page", "1"]) ?? "" } : {}),
    ...(dice.below(3) === 0 ? { "x-request-id": "r".repeat(dice.below(3000)) } : {}),
  };
}

function send(agent: Agent, port: number, token: string, sent: Sent): Promise<Answered> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: "127.0.0.1",
        port,
        method: sent.method,
        path: sent.path,
        headers: { ...sent.headers, authorization: `Bearer ${token}` },
      },
      (response) => {
        text(response).then(
          (body) =>
            resolve({
              status: response.statusCode ?? 0,
              type: response.headers["content-type"] ?? "",
              body,
              ms: performance.now() - begun,
            }),
          reject,
        );
      },
    );
    outgoing.once("error", reject);
    outgoing.end(sent.body);
  });
}
