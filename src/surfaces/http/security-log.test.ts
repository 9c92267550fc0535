import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { createLoginCode, inviteUser } from "../../kernel/operation/start-login.ts";
import type { SecurityEntry } from "./security-log.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer({
    extraRoutes: [
      {
        path: "/quiet",
        handle: async (_request, _who, refused) => {
          refused(new TypeError("a fault of our own"));
          return Response.json({});
        },
      },
    ],
  });
});
after(() => server.close());

/** What was told while something was done. */
async function toldOf(work: () => Promise<unknown>): Promise<readonly SecurityEntry[]> {
  const before = server.logged.length;
  await work();
  return server.logged.slice(before).filter((entry) => entry.level === "security");
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url, "x-app": "1", ...headers },
    body: JSON.stringify(body),
  });

const EMAIL = "noor@example.org";
const PASSWORD = "seven quiet herons";

describe("the security log tells", () => {
  test("of everybody who comes in: when, from where, who, by which way", async () => {
    const { code, user } = await inviteUser(
      server.kernel,
      { email: EMAIL, displayName: "Noor", role: "reviewer" },
      "admin",
    );
    const link = await createLoginCode(server.kernel, { userId: user.id, actor: "test" });
    const told = [
      ...(await toldOf(() => post("/api/v1/login/accept", { code, password: PASSWORD }))),
      ...(await toldOf(() => post("/api/v1/login/password", { email: EMAIL, password: PASSWORD }))),
      ...(await toldOf(() => post("/api/v1/login/exchange", { code: link }))),
    ];

    assert.deepEqual(
      told.map(({ event, way, userId, address }) => [event, way, userId, address]),
      ["invitation", "password", "code"].map((way) => ["login.started", way, user.id, "127.0.0.1"]),
    );
    for (const { at, credential, requestId, method, path } of told) {
      assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.match(credential ?? "", /^login [\w-]{36}$/);
      assert.match(requestId, /^[\w-]{36}$/);
      assert.match(`${method} ${path}`, /^POST \/api\/v1\/login\/\w+$/);
    }
  });

  test("of everybody who is refused, with the reason, and of nothing they sent", async () => {
    const secret = "a-password-that-was-wrong";
    const foreign = `Bearer ${await server.token("admin")}x`;
    const told = await toldOf(async () => {
      await post("/api/v1/login/password", { email: EMAIL, password: secret });
      await post("/api/v1/login/exchange", { code: secret });
      await server.fetch(`/api/v1/note/list?text=${secret}`, {
        headers: { authorization: foreign },
      });
    });

    assert.deepEqual(
      told.map(({ event, code, path }) => [event, code, path]),
      [
        ["login.refused", "password_wrong", "/api/v1/login/password"],
        ["login.refused", "login_code_invalid", "/api/v1/login/exchange"],
        ["caller.refused", "token_invalid", "/api/v1/note/list"],
      ],
    );
    assert.doesNotMatch(JSON.stringify(server.logged), new RegExp(secret));
    assert.ok(!JSON.stringify(server.logged).includes(foreign.slice(7, -1)));
  });

  test("of what somebody was not allowed, and of what did not fit: who, with what, which operation", async () => {
    const token = await server.token("viewer");
    const told = await toldOf(async () => {
      await server.fetch("/api/v1/note/add", { method: "POST", body: '{"text":"x"}', token });
      await server.fetch("/api/v1/note/show?id=nothing", { token });
      await server.fetch("/api/v1/note/list?nothing=1", { token });
    });

    assert.deepEqual(
      told.map(({ event, code, userId, path }) => [event, code, userId, path]),
      [
        ["access.refused", "permission_missing", "viewer", "/api/v1/note/add"],
        ["access.refused", "note_not_found", "viewer", "/api/v1/note/show"],
        ["input.refused", "input_invalid", "viewer", "/api/v1/note/list"],
      ],
    );
    for (const { credential } of told) assert.match(credential ?? "", /^token [\w-]{36}$/);
  });

  test("of requests that the guard turned away before anything else", async () => {
    const told = await toldOf(async () => {
      await post("/api/v1/login/exchange", { code: "x" }, { origin: "http://evil.example" });
      await fetch(`${server.url}/api/v1/note/list`, { method: "OPTIONS" });
    });

    assert.deepEqual(
      told.map(({ event, code, method }) => [event, code, method]),
      [
        ["request.refused", "origin_refused", "POST"],
        ["request.refused", "method_not_allowed", "OPTIONS"],
      ],
    );
  });

  test("of limits that were reached, of signing out, and of another password", async () => {
    const login = async () => {
      const entered = await post("/api/v1/login/password", { email: EMAIL, password: PASSWORD });
      const { secret } = (await entered.json()) as { secret: string };
      const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      return { cookie, "x-login-secret": secret };
    };
    const [first, second] = [await login(), await login()];
    const told = await toldOf(async () => {
      await post("/api/v1/login/logout", {}, first);
      const change = { current: PASSWORD, next: "eleven loud herons" };
      await post("/api/v1/login/change-password", change, second);
      for (let times = 0; times < 6; times += 1)
        await post("/api/v1/login/password", { email: "x@example.org", password: "wrong" });
    });
    const events = told.map(({ event }) => event);

    assert.deepEqual(events.slice(0, 3), ["login.ended", "password.changed", "login.refused"]);
    assert.equal(events.at(-1), "limit.reached");
  });

  test("of who stands behind a proxy that was named, and of the proxy where nobody named it", async () => {
    const headers = { "x-forwarded-for": "127.0.0.1, 198.51.100.7" };
    const ask = () => post("/api/v1/login/exchange", { code: "x" }, headers);
    const [plain] = await toldOf(ask);
    assert.equal(plain?.address, "127.0.0.1");

    const behind = await scratchServer({ proxies: ["127.0.0.1"] });
    const guess = (client: string) =>
      fetch(`${behind.url}/api/v1/login/exchange`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: behind.url,
          "x-app": "1",
          "x-forwarded-for": `203.0.113.${Math.trunc(Math.random() * 250)}, ${client}`,
        },
        body: JSON.stringify({ code: "x" }),
      }).then(({ status }) => status);
    const guesses: number[] = [];
    for (let times = 0; times < 6; times += 1) guesses.push(await guess("198.51.100.7"));
    assert.deepEqual(guesses, [401, 401, 401, 401, 401, 429], "whatever it put in front");
    assert.equal(await guess("198.51.100.8"), 401, "somebody else behind it need not wait");
    const told = behind.logged.filter((entry) => entry.level === "security");
    assert.deepEqual(
      [...new Set(told.map(({ address }) => address))],
      ["198.51.100.7", "198.51.100.8"],
    );
    await behind.close();
  });

  test("of nothing where all went well, and of faults of our own in the other log", async () => {
    const told = await toldOf(async () => {
      assert.equal((await server.fetch("/api/v1/note/list")).status, 200);
      assert.equal((await server.fetch("/quiet")).status, 200);
    });
    assert.deepEqual(told, []);
  });
});
