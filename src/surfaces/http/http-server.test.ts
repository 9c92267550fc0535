import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { sampleWorld } from "../../../tests/scratch/sample-operations.ts";
import { scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { hashPassword } from "../../kernel/operation/password.ts";
import { updateUser } from "../../kernel/store/users.ts";
import { startHttpServer } from "./http-server.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer({
    extraRoutes: [
      { path: "/other", handle: async (_, { caller }) => Response.json({ hello: caller.name }) },
    ],
  });
});
after(() => server.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  server.fetch(path, { method: "POST", body: JSON.stringify(body), headers });
interface Answer {
  readonly [name: string]: unknown;
}
const json = async (response: Response) => (await response.json()) as Answer;

/** The value inside an answer, however deep. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, name) => (inside as Answer | undefined)?.[name], value);
}

describe("operations over HTTP", () => {
  test("a change is a POST with JSON, a reading also a GET with parameters", async () => {
    const added = await json(await post("/api/v1/note/add", { text: "milk", urgency: "high" }));
    const query = new URLSearchParams({
      urgency: "high",
      limit: "10",
      where: '{"textContains":"mil"}',
    });
    const listed = await json(
      await server.fetch(`/api/v1/note/list?${query.toString()}&tags=a&tags=b`),
    );
    const same = await json(await post("/api/v1/note/list", { urgency: "high" }));

    assert.deepEqual(listed, { items: [added] });
    assert.deepEqual(same, listed);
  });

  test("an alias behaves like the operation", async () => {
    const response = await post("/api/start-note/generate", { text: "by alias" });

    assert.equal((await json(response))["text"], "by alias");
  });

  test("a change does not answer GET", async () => {
    const response = await server.fetch("/api/v1/note/add?text=x");

    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "POST");
  });

  test("refuses what the schema refuses, with a pointer to it", async () => {
    const response = await post("/api/v1/note/add", { text: "", urgencyy: "high" });
    const problem = await json(response);

    assert.equal(response.status, 400);
    assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
    assert.equal(problem["type"], "urn:throughline:problem:input_invalid");
    assert.deepEqual(
      (problem["errors"] as { pointer: string }[]).map(({ pointer }) => pointer),
      ["/text", "/urgencyy"],
    );
    assert.equal(problem["requestId"], response.headers.get("x-request-id"));
    for (const query of ["limit=ten", "limit=1&limit=2", "where={bad", "nothing=1"]) {
      assert.equal((await server.fetch(`/api/v1/note/list?${query}`)).status, 400, query);
    }
  });

  test("kinds of failure have their statuses", async () => {
    const viewer = await server.token("viewer");
    const statuses = await Promise.all([
      server.fetch("/api/v1/note/show?id=none"),
      server.fetch("/api/v1/note/shoe?id=none"),
      server.fetch("/nowhere"),
      server.fetch("/api/v1/note/add", { method: "POST", body: '{"text":"x"}', token: viewer }),
      server.fetch("/api/v1/note/list", { token: "tl_wrong" }),
      post("/api/v1/work/count", { to: 3, failAt: 1 }),
      server.fetch("/api/openapi.json", { token: "" }),
    ]);

    assert.deepEqual(
      statuses.map(({ status }) => status),
      [404, 404, 404, 403, 401, 502, 401],
    );
    for (const response of statuses) {
      assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
      assert.equal((await json(response))["status"], response.status);
    }
  });

  test("an unforeseen failure tells its id and nothing else; the log has the rest", async () => {
    const response = await server.fetch("/api/v1/workspace/explode", {
      token: await server.token("admin"),
    });
    const text = await response.text();

    assert.equal(response.status, 500);
    assert.doesNotMatch(text, /secret|select|TypeError|\.ts/);
    const { requestId } = JSON.parse(text) as { requestId: string };
    const entries = server.logged.filter((logged) => logged.level === "error");
    const entry = entries.find((logged) => logged.requestId === requestId);
    assert.match(entry?.error ?? "", /TypeError: secret/);
  });

  test("a version is an ETag, and If-Match refuses a stale change", async () => {
    const id = String((await json(await post("/api/v1/note/add", { text: "first" })))["id"]);
    const shown = await server.fetch(`/api/v1/note/show?id=${id}`);
    const etag = shown.headers.get("etag") ?? "";

    const unchanged = await server.fetch(`/api/v1/note/show?id=${id}`, {
      headers: { "if-none-match": etag },
    });
    const edited = await post("/api/v1/note/edit", { id, text: "second" }, { "if-match": etag });
    const stale = await post("/api/v1/note/edit", { id, text: "third" }, { "if-match": etag });
    const plain = await post("/api/v1/note/edit", { id, text: "third", expectedVersion: 1 });
    const odd = await post("/api/v1/note/edit", { id, text: "x" }, { "if-match": "*" });
    const pointless = await post("/api/v1/note/delete", { id }, { "if-match": etag });

    assert.equal(etag, '"1"');
    assert.equal(unchanged.status, 304);
    assert.deepEqual([edited.status, edited.headers.get("etag")], [200, '"2"']);
    assert.deepEqual([stale.status, (await json(stale))["code"]], [412, "precondition_failed"]);
    assert.equal(plain.status, 409);
    assert.equal((await json(odd))["code"], "if_match_invalid");
    assert.equal((await json(pointless))["code"], "if_match_unsupported");
  });

  test("the same Idempotency-Key: same answer, one effect; another body: 422; still running: 409", async () => {
    const before = server.effects();
    const key = { "idempotency-key": "only-once" };

    const first = await json(await post("/api/v1/note/add", { text: "once" }, key));
    const second = await json(await post("/api/v1/note/add", { text: "once" }, key));
    const other = await post("/api/v1/note/add", { text: "twice" }, key);
    const slow = post("/api/v1/work/count", { to: 20 }, { "idempotency-key": "slow" });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const meanwhile = await post("/api/v1/work/count", { to: 20 }, { "idempotency-key": "slow" });

    assert.deepEqual(second, first);
    assert.deepEqual([other.status, (await json(other))["code"]], [422, "idempotency_key_reused"]);
    assert.deepEqual(
      [meanwhile.status, (await json(meanwhile))["code"]],
      [409, "idempotency_key_running"],
    );
    assert.equal((await slow).status, 200);
    assert.equal(server.effects(), before + 2);
  });

  test("tells progress as events, then the result or the problem", async () => {
    const accept = { accept: "text/event-stream" };
    const done = await (await post("/api/v1/work/count", { to: 60 }, accept)).text();
    const failed = await (await post("/api/v1/work/count", { to: 60, failAt: 50 }, accept)).text();
    const refused = await post("/api/v1/work/count", { to: 0 }, accept);

    assert.match(done, /event: progress\ndata: \{"message":"Counting","done":\d+,"total":60\}/);
    assert.match(done, /event: result\ndata: \{"counted":60\}\n\n$/);
    assert.match(
      failed,
      /event: problem\ndata: \{"type":"urn:throughline:problem:count_stuck".*\n\n$/,
    );
    assert.equal(refused.status, 400);
  });

  test("work stops when its caller goes away", async () => {
    const before = server.effects();
    const going = new AbortController();
    const request = server.fetch("/api/v1/work/count", {
      method: "POST",
      body: JSON.stringify({ to: 100, pauseMs: 5 }),
      signal: going.signal,
    });
    setTimeout(() => going.abort(), 50);

    await assert.rejects(request);
    await new Promise((resolve) => setTimeout(resolve, 700));

    assert.equal(server.effects(), before);
  });

  test("other routes share the guard and the callers", async () => {
    assert.deepEqual(await json(await server.fetch("/other")), { hello: "operator" });
    assert.equal((await server.fetch("/other", { token: "" })).status, 401);
  });
});

describe("bodies and limits", () => {
  const send = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    const response = await server.fetch("/api/v1/note/add", { method: "POST", body, headers });
    return [response.status, (await json(response))["code"]];
  };

  test("broken, doubled, reserved, deep and huge JSON is refused without effect", async () => {
    const before = server.effects();
    const huge = JSON.stringify({ text: "x".repeat(5 * 1024 * 1024) });

    assert.deepEqual(await send("{"), [400, "json_invalid"]);
    assert.deepEqual(await send(""), [400, "json_invalid"]);
    assert.deepEqual(await send("[]"), [400, "input_invalid"]);
    assert.deepEqual(await send('{"text":"a","text":"b"}'), [400, "json_duplicate_key"]);
    assert.deepEqual(await send('{"text":"a","__proto__":{}}'), [400, "json_reserved_key"]);
    assert.deepEqual(await send(`{"text":${"[".repeat(5000)}${"]".repeat(5000)}}`), [
      400,
      "json_too_deep",
    ]);
    assert.deepEqual(await send(`{"tags":[${"1,".repeat(150_000)}1]}`), [
      400,
      "json_too_many_values",
    ]);
    assert.deepEqual(await send(new Uint8Array([0x7b, 0xff, 0x7d])), [400, "json_invalid"]);
    assert.deepEqual(await send(huge), [413, "body_too_large"]);
    assert.deepEqual(await send("{}", { "content-encoding": "gzip" }), [415, "encoding_refused"]);
    assert.equal(server.effects(), before);
  });

  test("a body without announced length is counted while it comes", async () => {
    const chunk = Buffer.alloc(64 * 1024, " ");
    async function* endless() {
      for (let i = 0; i < 100; i += 1) yield chunk;
    }
    const init = { method: "POST", body: endless(), duplex: "half" };

    const response = await server.fetch("/api/v1/note/add", init as RequestInit);

    assert.equal(response.status, 413);
  });

  test("long addresses, large headers, odd targets and nonsense are refused as problems", async () => {
    const host = `Host: 127.0.0.1:${server.port}\r\n`;
    const answers = await Promise.all([
      raw(`GET /${"x".repeat(9000)} HTTP/1.1\r\n${host}\r\n`),
      raw(`GET / HTTP/1.1\r\n${host}X-Big: ${"x".repeat(20_000)}\r\n\r\n`),
      raw(`GET http://127.0.0.1:${server.port}/healthz HTTP/1.1\r\n${host}\r\n`),
      raw(`GET //evil HTTP/1.1\r\n${host}\r\n`),
      raw(`GET /healthz HTTP/1.1\r\n${host}Host: evil\r\n\r\n`),
      raw("GET /healthz HTTP/1.0\r\n\r\n"),
      raw("nonsense\r\n\r\n"),
      raw(
        `OPTIONS /api/v1/note/add HTTP/1.1\r\n${host}Origin: http://evil\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
      ),
      raw(`GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
    ]);

    assert.deepEqual(
      answers.map((text) => Number(text.slice(9, 12))),
      [414, 431, 400, 400, 400, 421, 400, 405, 200],
    );
    for (const text of answers) {
      assert.match(text, /\r\nx-content-type-options: nosniff\r\n/i);
      assert.match(text, /\r\ncontent-security-policy: default-src 'none'/i);
      assert.doesNotMatch(text, /access-control/i);
      if (!text.includes(" 200 ")) assert.match(text, /application\/problem\+json/);
    }
  });

  test("where a request ends is beyond doubt: two lengths, a length beside chunks and odd chunks are refused", async () => {
    const head = `POST /api/v1/note/add HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${await server.token("operator")}\r\n`;
    const inner = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`;
    const before = server.effects();
    const answers = await Promise.all([
      raw(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ${inner}`),
      raw(`${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`),
      raw(`${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`),
      raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${inner}`),
      raw(`${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`),
      raw(`${head}Content-Length: -1\r\n\r\n${inner}`),
      raw(`${head}X-Header: a\nContent-Length: 0\r\n\r\n${inner}`),
    ]);

    for (const text of answers) {
      assert.match(text, /^HTTP\/1\.1 400 /);
      assert.doesNotMatch(text, /"status":"ok"/, "what came behind is no request of its own");
    }
    assert.equal(server.effects(), before);
  });

  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
      const chunks: Buffer[] = [];
      socket.on("data", (chunk) => chunks.push(chunk));
      socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
      socket.on("error", reject);
    });
  }
});

describe("state, page and description", () => {
  test("health, readiness and version need no login and say nothing else", async () => {
    for (const [path, body] of [
      ["/healthz", { status: "ok" }],
      ["/readyz", { status: "ready" }],
      ["/version", { name: "Sample", version: "1.2.3" }],
    ] as const) {
      assert.deepEqual(await json(await fetch(server.url + path)), body);
    }
  });

  test("every answer with something in it names its type, and texts their encoding", async () => {
    const answers = await Promise.all([
      fetch(server.url),
      fetch(`${server.url}/healthz`),
      fetch(`${server.url}/nothing`),
      fetch(`${server.url}/api/v1/note/list`),
      fetch(`${server.url}/api/v1/note/list`, { method: "OPTIONS" }),
      server.fetch("/api/v1/note/list"),
      server.fetch("/api/v1/events"),
      server.fetch("/api/openapi.json"),
      server.fetch("/api/v1/note/add", {
        method: "POST",
        body: '{"text":"x"}',
        headers: { accept: "text/event-stream" },
      }),
    ]);
    const types = answers.map(({ headers }) => headers.get("content-type") ?? "none");
    await Promise.all(answers.map(async ({ body }) => body?.cancel()));

    for (const type of types)
      assert.match(
        type,
        /^(application\/json|(text\/(html|event-stream)|application\/problem\+json); charset=utf-8)$/,
      );
    assert.equal(new Set(types).size, 4);
  });

  test("a browser that asks for a place gets the page, also where its name has dots; for a file it does not", async () => {
    const headers = { accept: "text/html,application/xhtml+xml" };
    const place = "/dialectic/01a1f067/document/antithesis/risk_register/s2.l1";
    const statusOf = async (address: string) =>
      (await fetch(server.url + address, { headers })).status;

    assert.deepEqual(
      await Promise.all([place, "/runs", "/runs/v1.2"].map(statusOf)),
      [200, 200, 200],
    );
    assert.deepEqual(
      await Promise.all(["/missing.js", "/assets/a.css", "/.env"].map(statusOf)),
      [404, 404, 404],
    );
    assert.equal((await fetch(server.url + place)).status, 404, "programs are not given a page");
  });

  test("serves the page under a strict policy, without inline script or style", async () => {
    const page = await fetch(server.url);
    const html = await page.text();

    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    const etag = page.headers.get("etag") ?? "";
    const unchanged = await fetch(server.url, { headers: { "if-none-match": etag } });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.headers.get("content-security-policy"), policy);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\son\w+=|style=/);
    for (const [, file = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const response = await fetch(server.url + file);
      assert.equal(response.status, 200, file);
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    }
    assert.match(html, /not built yet/);
  });

  test("describes every operation in OpenAPI 3.1", async () => {
    const document = await json(await server.fetch("/api/openapi.json"));

    assert.equal(document["openapi"], "3.1.0");
    assert.deepEqual(Object.keys(at(document, "paths") as object), [
      "/api/v1/note/add",
      "/api/start-note/generate",
      "/api/v1/note/list",
      "/api/v1/note/show",
      "/api/v1/note/edit",
      "/api/v1/note/delete",
      "/api/v1/work/count",
      "/api/v1/work/start",
      "/api/v1/workspace/check",
      "/api/v1/workspace/explode",
      "/api/v1/events",
      "/api/v1/replies",
    ]);
    assert.deepEqual(at(document, "paths", "/api/v1/note/show", "get"), {
      operationId: "note.show",
      tags: ["note"],
      summary: "Shows one note.",
      "x-permission": "read",
      "x-effect": "reads",
      parameters: [{ name: "id", in: "query", required: true, schema: { type: "string" } }],
      responses: {
        "200": {
          description: "Done.",
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  id: { type: "string" },
                  text: { type: "string" },
                  urgency: { type: "string", enum: ["low", "high"] },
                  version: { type: "number" },
                },
                required: ["id", "text", "urgency", "version"],
                additionalProperties: false,
              },
            },
          },
        },
        default: { $ref: "#/components/responses/Problem" },
      },
    });
    const body = at(document, "paths", "/api/v1/note/add", "post", "requestBody", "content");
    assert.deepEqual(at(body, "application/json", "schema", "required"), ["text"]);
    assert.equal(at(body, "application/json", "schema", "additionalProperties"), false);
    assert.deepEqual(at(document, "tags", "0"), {
      name: "note",
      description: "Things to remember.",
    });
    const ids = JSON.stringify(document).match(/"operationId":"[^"]+"/g) ?? [];
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe("listening", () => {
  const start = async (
    listen: Parameters<typeof startHttpServer>[0]["listen"],
    withPassword = false,
  ) => {
    const kernel = await scratchKernel();
    if (withPassword) {
      const passwordHash = await hashPassword("correct horse", kernel.random);
      await kernel.store.write(() =>
        updateUser("admin", { passwordHash }, { actor: "test", now: 0 }),
      );
    }
    const { registry } = sampleWorld();
    try {
      const started = await startHttpServer({
        kernel,
        registry,
        program: { name: "Sample", version: "1" },
        log: () => undefined,
        listen,
        instance: "test",
      });
      await started.close();
      return started.url;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await kernel.remove();
    }
  };

  test("takes the next free port when its own is taken", async () => {
    const url = await start({ host: "127.0.0.1", port: server.port });

    const port = Number(new URL(url).port);
    assert.ok(port > server.port && port < server.port + 20, url);
  });

  test("listens beyond this machine only with people and with TLS or a clear word", async () => {
    assert.equal(await start({ host: "0.0.0.0", port: 0 }), "bind_without_users");
    assert.equal(await start({ host: "0.0.0.0", port: 0 }, true), "bind_without_tls");
    assert.equal(
      await start({ host: "0.0.0.0", port: 0, allowRemote: true }, true),
      "bind_without_name",
    );
    const publicOrigin = "https://work.example.org";
    assert.equal(await start({ host: "127.0.0.1", port: 0, publicOrigin }), "bind_without_users");
    assert.equal(
      await start({ host: "127.0.0.1", port: 0, publicOrigin: "work" }, true),
      "public_origin_invalid",
    );
    assert.equal(
      await start({ host: "127.0.0.1", port: 0, publicOrigin, allowRemote: true }, true),
      publicOrigin,
    );
  });

  test("closing ends open event streams and leaves nothing behind", async () => {
    const other = await scratchServer();
    const stream = await other.fetch("/api/v1/events");

    const startedAt = performance.now();
    await other.close();
    await stream.text();

    assert.ok(performance.now() - startedAt < 1500);
    await assert.rejects(fetch(`${other.url}/healthz`));
  });
});
