import assert from "node:assert/strict";
import { Agent, type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import {
  type ScratchLogin,
  type ScratchServer,
  scratchServer,
} from "../../../tests/scratch/scratch-server.ts";
import { authenticateToken } from "../../kernel/operation/authenticate.ts";
import { revokeToken } from "../../kernel/store/tokens.ts";

/** How many of the 193,536 combinations are sent; `npm run prove` may send all. */
const SENT = Number(process.env["GUARD_REQUESTS"] ?? 4000);

let server: ScratchServer;
let login: ScratchLogin;
let bearer: string;
let revoked: string;
const agent = new Agent({ keepAlive: true, maxSockets: 20 });

before(async () => {
  server = await scratchServer();
  login = await server.login("operator");
  bearer = await server.token("operator");
  revoked = await server.token("operator");
  const { credential } = await authenticateToken(server.kernel, revoked);
  await server.kernel.store.write(() =>
    revokeToken(credential.id, { actor: "test", now: Date.now() }),
  );
  const body = JSON.stringify({ text: "the note that is edited" });
  await server.fetch("/api/v1/note/add", { method: "POST", body });
});
after(async () => {
  agent.destroy();
  await server.close();
});

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"] as const;
const TYPES = [
  "application/json",
  "text/plain",
  "application/x-www-form-urlencoded",
  undefined,
] as const;
const SITES = ["same-origin", "same-site", "cross-site", "none", undefined, "SAME-ORIGIN"] as const;
const AUTHS = [
  "nothing",
  "cookie",
  "cookie and secret",
  "cookie, secret, no app header",
  "cookie, wrong secret",
  "bearer",
  "bearer and cookie",
  "revoked bearer",
] as const;
const HOSTS = [
  "127.0.0.1:P",
  "localhost:P",
  "[::1]:P",
  "127.0.0.1",
  "127.0.0.1:1",
  "evil.example:P",
  "127.0.0.1:P.evil.example",
  "LOCALHOST:P",
  "127.1:P",
  "0.0.0.0:P",
  "evil@127.0.0.1:P",
  "",
] as const;
const ORIGINS = [
  "http://127.0.0.1:P",
  "http://localhost:P",
  "http://[::1]:P",
  undefined,
  "null",
  "https://127.0.0.1:P",
  "http://127.0.0.1",
  "http://127.0.0.1:1",
  "http://evil.example",
  "http://127.0.0.1:P.evil.example",
  "http://127.0.0.1:P/",
  "HTTP://127.0.0.1:P",
] as const;
const DIMENSIONS = [ORIGINS, HOSTS, METHODS, TYPES, SITES, AUTHS] as const;

interface Shape {
  readonly method: (typeof METHODS)[number];
  readonly type: (typeof TYPES)[number];
  readonly site: (typeof SITES)[number];
  readonly auth: (typeof AUTHS)[number];
  readonly host: string;
  readonly origin: string | undefined;
}

/** Written from the promise, not from the code: who may change something. */
function mayChange({ method, type, site, auth, host, origin }: Shape): boolean {
  if (method !== "POST" || type !== "application/json") return false;
  if (
    ![`127.0.0.1:${server.port}`, `localhost:${server.port}`, `[::1]:${server.port}`].includes(host)
  )
    return false;
  const isOwnOrigin = origin === `http://${host}`;
  if (origin !== undefined && !isOwnOrigin) return false;
  if (site !== undefined && site !== "same-origin") return false;
  if (auth === "bearer") return true;
  return auth === "cookie and secret" && (site === "same-origin" || isOwnOrigin);
}

function mayRead({ method, site, auth, host, origin }: Shape): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (
    ![`127.0.0.1:${server.port}`, `localhost:${server.port}`, `[::1]:${server.port}`].includes(host)
  )
    return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return (
    auth === "bearer" || auth === "cookie and secret" || auth === "cookie, secret, no app header"
  );
}

describe("the guard, over generated requests to a real server", () => {
  test(`${SENT} shapes: effects and readings only inside the allowed set`, async () => {
    const shapes = generateShapes(SENT);
    let changes = 0;
    let readings = 0;

    for (let at = 0; at < shapes.length; at += 50) {
      const batch = shapes.slice(at, at + 50);
      const before = server.effects();
      const statuses = await Promise.all(batch.map((shape) => send(shape)));
      const expected = batch.filter((shape) => mayChange(shape)).length;
      assert.equal(server.effects() - before, expected, `among shapes ${at}–${at + 49}`);
      batch.forEach((shape, i) => {
        const isAllowed = mayChange(shape) || mayRead(shape);
        const status = statuses[i] ?? 0;
        assert.ok(status < 500, `${status} for ${JSON.stringify(shape)}`);
        assert.equal(status === 200, isAllowed, `${status} for ${JSON.stringify(shape)}`);
        changes += mayChange(shape) ? 1 : 0;
        readings += mayRead(shape) ? 1 : 0;
      });
    }

    assert.ok(changes >= 10 && readings >= 10, `too few allowed shapes: ${changes}, ${readings}`);
  });

  test("refuses for the reason that applies first", async () => {
    const good: Shape = {
      method: "POST",
      type: "application/json",
      site: "same-origin",
      auth: "cookie and secret",
      host: `127.0.0.1:${server.port}`,
      origin: server.url,
    };
    const cases: readonly [Partial<Shape>, number][] = [
      [{}, 200],
      [{ host: "evil.example", origin: undefined }, 421],
      [{ origin: "http://evil.example" }, 403],
      [{ site: "same-site" }, 403],
      [{ type: "text/plain" }, 415],
      [{ auth: "cookie" }, 401],
      [{ auth: "cookie, wrong secret" }, 401],
      [{ auth: "cookie, secret, no app header" }, 403],
      [{ auth: "bearer and cookie" }, 401],
      [{ auth: "revoked bearer" }, 401],
      [{ site: undefined, origin: undefined }, 403],
      [{ site: undefined, origin: undefined, auth: "nothing" }, 401],
      [{ method: "PATCH" }, 405],
    ];

    for (const [change, status] of cases) {
      assert.equal(await send({ ...good, ...change }), status, JSON.stringify(change));
    }
  });

  test("another site may link to the page, and may not frame, fetch or read anything", async () => {
    const foreign = { host: `127.0.0.1:${server.port}`, "sec-fetch-site": "cross-site" };
    const link = { ...foreign, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

    const page = await exchange("GET", "/", link);
    const image = await exchange("GET", "/", { ...foreign, "sec-fetch-mode": "no-cors" });
    const data = await exchange("GET", "/api/v1/note/list", { ...link, cookie: login.cookie });

    assert.deepEqual([page.statusCode, image.statusCode, data.statusCode], [200, 403, 403]);
    assert.equal(page.headers["x-frame-options"], "DENY");
  });
});

/** Spread evenly over all combinations by a stride that shares no factor with their number; the same every time. */
function generateShapes(count: number): readonly Shape[] {
  const total = DIMENSIONS.reduce((product, values) => product * values.length, 1);
  const stride = 7_919;
  const shapes = Array.from({ length: Math.min(count, total) }, (_, i) =>
    shapeAt((i * stride) % total),
  );
  // Most combinations are refused; half of the tries go where at most one thing is wrong.
  return shapes.map((shape, i) => (i % 2 === 0 ? shape : nearGood(shape, i)));
}

function shapeAt(index: number): Shape {
  let rest = index;
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[rest % values.length] as Value;
    rest = Math.floor(rest / values.length);
    return value;
  };
  const atOurPort = (text: string) => text.replace(":P", `:${server.port}`);
  const origin = pick(ORIGINS);
  return {
    origin: origin === undefined ? undefined : atOurPort(origin),
    host: atOurPort(pick(HOSTS)),
    method: pick(METHODS),
    type: pick(TYPES),
    site: pick(SITES),
    auth: pick(AUTHS),
  };
}

function nearGood(shape: Shape, i: number): Shape {
  const good: Shape = {
    method: i % 4 === 1 ? "POST" : "GET",
    type: "application/json",
    site: i % 3 === 0 ? undefined : "same-origin",
    auth: i % 5 === 0 ? "bearer" : "cookie and secret",
    host: `127.0.0.1:${server.port}`,
    origin: i % 11 < 5 ? undefined : `http://127.0.0.1:${server.port}`,
  };
  const names = Object.keys(good) as (keyof Shape)[];
  const odd = names[i % (names.length + 1)];
  return odd === undefined ? good : { ...good, [odd]: shape[odd] };
}

async function send(shape: Shape): Promise<number> {
  const { method, type, site, auth, host, origin } = shape;
  const isReading = method === "GET" || method === "HEAD";
  const body = isReading ? "" : JSON.stringify({ id: "n1", text: "edited" });
  const headers: Record<string, string> = {
    host,
    ...(type === undefined ? {} : { "content-type": type }),
    ...(site === undefined ? {} : { "sec-fetch-site": site }),
    ...(origin === undefined ? {} : { origin }),
    ...(isReading ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    ...credentials(auth),
  };
  const path = isReading ? "/api/v1/note/show?id=n1" : "/api/v1/note/edit";
  return (await exchange(method, path, headers, body)).statusCode ?? 0;
}

/** Not `fetch`: that writes headers of its own. */
function exchange(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: server.port, method, path, headers, agent, setHost: false },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function credentials(auth: Shape["auth"]): Record<string, string> {
  const app = { "x-app": "1" };
  const cookie = { cookie: login.cookie };
  const secret = { "x-login-secret": login.secret };
  switch (auth) {
    case "nothing":
      return app;
    case "cookie":
      return { ...app, ...cookie };
    case "cookie and secret":
      return { ...app, ...cookie, ...secret };
    case "cookie, secret, no app header":
      return { ...cookie, ...secret };
    case "cookie, wrong secret":
      return { ...app, ...cookie, "x-login-secret": "A".repeat(43) };
    case "bearer":
      return { authorization: `Bearer ${bearer}` };
    case "bearer and cookie":
      return { ...app, ...cookie, ...secret, authorization: `Bearer ${bearer}` };
    case "revoked bearer":
      return { authorization: `Bearer ${revoked}` };
  }
}
