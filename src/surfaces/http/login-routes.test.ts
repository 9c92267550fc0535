import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { emailOf } from "../../../tests/scratch/scratch-kernel.ts";
import {
  type ScratchLogin,
  type ScratchServer,
  scratchServer,
} from "../../../tests/scratch/scratch-server.ts";
import { createLoginCode, inviteUser } from "../../kernel/operation/start-login.ts";
import { updateUser } from "../../kernel/store/users.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer();
});
after(() => server.close());

const enter = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v1/login/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url, "x-app": "1", ...headers },
    body: JSON.stringify(body),
  });
const as = ({ cookie, secret }: ScratchLogin) => ({
  cookie,
  "x-login-secret": secret,
  "x-app": "1",
  origin: server.url,
  "content-type": "application/json",
});
const look = (login: ScratchLogin) =>
  fetch(`${server.url}/api/v1/note/list`, { headers: as(login) });

async function loginOf(response: Response): Promise<ScratchLogin> {
  const { secret } = (await response.json()) as { secret: string };
  return { cookie: response.headers.getSetCookie()[0]?.split(";")[0] ?? "", secret };
}

describe("signing in over HTTP", () => {
  test("a code becomes a cookie no script can read and a secret no other origin can", async () => {
    const code = await createLoginCode(server.kernel, { userId: "operator", actor: "test" });

    const response = await enter("exchange", { code });
    const again = await enter("exchange", { code });

    const { secret, user } = (await response.json()) as { secret: string; user: unknown };
    const lines = response.headers.getSetCookie();
    assert.deepEqual(user, { id: "operator", displayName: "operator", role: "operator" });
    assert.match(
      lines[0] ?? "",
      /^__Host-test-login=[\w-]{43}; Path=\/; Max-Age=604\d{3}; Secure; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(lines.length, 1);
    assert.equal(again.status, 401);
    const cookie = lines[0]?.split(";")[0] ?? "";
    assert.equal((await look({ cookie, secret })).status, 200);
    assert.equal((await look({ cookie, secret: "another" })).status, 401);
  });

  test("only Safari, which keeps no Secure cookie over plain http, gets one without", async () => {
    const lines = async (agent: string) => {
      const code = await createLoginCode(server.kernel, { userId: "operator", actor: "test" });
      const response = await enter("exchange", { code }, { "user-agent": agent });
      return response.headers.getSetCookie();
    };
    const safari = await lines(
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
    );
    const others = [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36",
      "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
      "",
    ];

    assert.match(
      safari[1] ?? "",
      /^test-login=[\w-]{43}; Path=\/; Max-Age=604\d{3}; HttpOnly; SameSite=Strict$/,
    );
    for (const agent of others) {
      const [only, ...more] = await lines(agent);
      assert.match(only ?? "", /^__Host-test-login=.* Secure;/);
      assert.deepEqual(more, []);
    }
  });

  test("a password is changed with the old one, which ends every login and the old password; a token cannot", async () => {
    const { code } = await inviteUser(
      server.kernel,
      { email: "noor@example.org", displayName: "Noor", role: "reviewer" },
      "admin",
    );
    const [current, next] = ["seven quiet herons", "eleven loud herons"];
    const first = await enter("accept", { code, password: current });
    const second = await enter("password", { email: "noor@example.org", password: current });
    const logins = await Promise.all([first, second].map(loginOf));
    const change = (body: object, headers: Record<string, string> = as(logins[0]!)) =>
      fetch(`${server.url}/api/v1/login/change-password`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });

    const wrong = await change({ current: "not that one", next });
    const common = await change({ current, next: "password1" });
    const byToken = await change(
      { current, next },
      {
        authorization: `Bearer ${await server.token("admin")}`,
        "content-type": "application/json",
      },
    );
    const done = await change({ current, next });

    assert.deepEqual(
      [wrong.status, common.status, byToken.status, done.status],
      [401, 400, 403, 200],
    );
    assert.match(done.headers.getSetCookie()[0] ?? "", /Max-Age=0/);
    for (const login of logins) assert.equal((await look(login)).status, 401);
    const email = "noor@example.org";
    assert.equal((await enter("password", { email, password: current })).status, 401);
    assert.equal((await enter("password", { email, password: next })).status, 200);
  });

  test("signing out, revoking and deactivating end a login at once", async () => {
    const first = await server.login("viewer");
    const second = await server.login("viewer");
    const me = (await (
      await fetch(`${server.url}/api/v1/login/me`, { headers: as(second) })
    ).json()) as {
      userId: string;
      credential: { kind: string };
    };

    const out = await fetch(`${server.url}/api/v1/login/logout`, {
      method: "POST",
      headers: as(first),
      body: "{}",
    });

    assert.deepEqual([me.userId, me.credential.kind], ["viewer", "login"]);
    assert.equal(out.status, 200);
    assert.match(out.headers.getSetCookie()[0] ?? "", /Max-Age=0/);
    assert.equal(out.headers.get("clear-site-data"), '"cache", "storage"');
    assert.equal((await look(first)).status, 401);
    assert.equal((await look(second)).status, 200);
    await server.kernel.store.write(() =>
      updateUser("viewer", { isActive: false }, { actor: "test", now: 1 }),
    );
    assert.equal((await look(second)).status, 401);
  });

  test("signing in again in the same browser ends the login before; with one half of it nothing is ended", async () => {
    const again = async (headers: Record<string, string>) => {
      const code = await createLoginCode(server.kernel, { userId: "operator", actor: "test" });
      return loginOf(await enter("exchange", { code }, headers));
    };
    const first = await server.login("operator");
    await again({ cookie: first.cookie });
    await again({ cookie: first.cookie, "x-login-secret": "another" });
    assert.equal((await look(first)).status, 200);

    const second = await again({ cookie: first.cookie, "x-login-secret": first.secret });
    assert.equal((await look(first)).status, 401);
    assert.equal((await look(second)).status, 200);

    const refused = await enter("exchange", { code: "login_none" }, as(second));
    assert.equal(refused.status, 401);
    assert.equal((await look(second)).status, 200, "who is refused is not signed out");
  });

  test("an invited person comes in with a password of their own", async () => {
    const { code } = await inviteUser(
      server.kernel,
      { email: "ann@example.org", displayName: "Ann", role: "reviewer" },
      "admin",
    );
    const password = "a long enough phrase";

    const short = await enter("accept", { code, password: "short" });
    const accepted = await enter("accept", { code, password });
    const back = await enter("password", { email: "ann@example.org", password });
    const wrong = await enter("password", { email: emailOf("admin"), password });

    assert.deepEqual(
      [short.status, accepted.status, back.status, wrong.status],
      [400, 200, 200, 401],
    );
  });

  test("guessing is slowed down, and says when to come back", async () => {
    let response = await enter("password", { email: "x@example.org", password: "wrong" });
    for (let i = 0; i < 6 && response.status === 401; i += 1) {
      response = await enter("password", { email: "x@example.org", password: "wrong" });
    }

    assert.equal(response.status, 429);
    assert.match(response.headers.get("retry-after") ?? "", /^[1-9]$/);
  });

  test("a page of another origin cannot exchange a code", async () => {
    const code = await createLoginCode(server.kernel, { userId: "operator", actor: "test" });

    const foreign = await enter("exchange", { code }, { origin: "http://127.0.0.1:1" });
    const withoutHeader = await enter("exchange", { code }, { "x-app": "" });

    assert.deepEqual([foreign.status, withoutHeader.status], [403, 403]);
  });
});
