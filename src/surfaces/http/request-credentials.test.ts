import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type ScratchLogin,
  type ScratchServer,
  scratchServer,
} from "../../../tests/scratch/scratch-server.ts";
import { keptNames, loginCookieNames, setCookieLines } from "./request-credentials.ts";

describe("the login cookie", () => {
  test("has a name per workspace, over plain http on this machine one more that Safari keeps", () => {
    assert.deepEqual(loginCookieNames("abc", { isPlainHere: false }), ["__Host-abc-login"]);
    assert.deepEqual(loginCookieNames("abc", { isPlainHere: true }), [
      "__Host-abc-login",
      "abc-login",
    ]);
  });

  test("without prefix is for Safari alone, whatever else a browser calls itself", () => {
    const names = loginCookieNames("abc", { isPlainHere: true });
    const kept = (userAgent: string | undefined) => keptNames(names, userAgent);
    const webkit = "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko)";

    assert.deepEqual(kept(`${webkit} Version/18.1 Safari/605.1.15`), names);
    assert.deepEqual(kept(`${webkit} Version/18.1 Mobile/15E148 Safari/604.1`), names);
    for (const other of [
      undefined,
      "",
      `${webkit} Chrome/147.0.0.0 Safari/537.36`,
      `${webkit} Version/18.1 Other/1 Safari/605.1.15`,
      "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "node",
    ])
      assert.deepEqual(kept(other), ["__Host-abc-login"], other);
  });

  test("is for this site and no script, and `Secure` where its name says so", () => {
    assert.deepEqual(setCookieLines(["__Host-abc-login", "abc-login"], "xyz", 60), [
      "__Host-abc-login=xyz; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Strict",
      "abc-login=xyz; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
    ]);
  });
});

describe("what a request shows of who sent it", () => {
  let server: ScratchServer;
  let login: ScratchLogin;
  let token: string;
  before(async () => {
    server = await scratchServer();
    login = await server.login("operator");
    token = await server.token("operator");
  });
  after(() => server.close());

  /** Reading needs no header of the page, so that nothing stands before the credentials. */
  async function read(headers: Record<string, string>): Promise<string> {
    const response = await fetch(`${server.url}/api/v1/note/list`, { headers });
    const { code, detail } = (await response.json()) as { code?: string; detail?: string };
    return code === undefined ? String(response.status) : `${response.status} ${code}: ${detail}`;
  }

  test("is a token, in the form everybody sends them", async () => {
    const wrong = "401 authorization_invalid: Send the token as `Authorization: Bearer …`.";

    assert.equal(await read({ authorization: `Bearer ${token}` }), "200");
    assert.equal(await read({ authorization: `bearer ${token}` }), "200");
    for (const line of [
      token,
      `Bearer  ${token}`,
      `Bearer ${token} x`,
      `xBearer ${token}`,
      "Basic YTpi",
      `Bearer ${"x".repeat(201)}`,
    ])
      assert.equal(await read({ authorization: line }), wrong, line);
  });

  test("or a cookie with the secret of the page, and never both or neither", async () => {
    const { cookie, secret } = login;
    const headers = { cookie, "x-login-secret": secret };

    assert.equal(await read(headers), "200");
    assert.equal(await read({ ...headers, cookie: `a=1; ${cookie}` }), "200");
    assert.equal(await read({ cookie }), "401 login_unknown: You are not signed in here.");
    assert.equal(
      await read({ ...headers, authorization: `Bearer ${token}` }),
      "401 credentials_ambiguous: Send a token or a login, not both.",
    );
    const nobody = "401 unauthenticated: Sign in first, or send a token.";
    assert.equal(await read({}), nobody);
    assert.equal(await read({ cookie: "other=1" }), nobody);
    assert.equal(await read({ cookie: `${cookie.split("=")[0]}=` }), nobody);
  });
});
