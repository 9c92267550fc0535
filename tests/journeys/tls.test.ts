/** A workspace that is served beyond this machine: with a certificate, or behind a proxy that has one. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { initWorkspace } from "../../src/app/first-minute.ts";
import { type Serving, serve } from "../../src/app/serve.ts";

let home: string;
let folder: string;
before(async () => {
  home = mkdtempSync(path.join(tmpdir(), "throughline-tls-"));
  await initWorkspace(home, { hasSample: false });
  folder = path.join(home, ".throughline");
  execFileSync(
    "openssl",
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout own.key -out own.crt -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1".split(
      " ",
    ),
    { cwd: folder, stdio: "ignore" },
  );
});
after(() => rmSync(home, { recursive: true, force: true }));

async function serveWith(settings: object, options: object = {}): Promise<Serving> {
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(settings), { mode: 0o600 });
  return serve(folder, { port: 0, ...options });
}

const TLS = { cert: "own.crt", key: "own.key" };

describe("with a certificate", () => {
  test("answers over TLS 1.2 and newer alone, tells browsers to stay with it, and never in the clear", async (t) => {
    chmodSync(path.join(folder, "own.key"), 0o600);
    const serving = await serveWith({ tls: TLS });
    t.after(() => serving.stop());
    const { protocol, port } = new URL(serving.url);
    assert.equal(protocol, "https:");

    const page = await get(serving.url);
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers["strict-transport-security"], "max-age=31536000; includeSubDomains");
    const code = serving.loginUrl.split("#code=")[1] ?? "";
    const entered = await get(`${serving.url}/api/v1/login/exchange`, { code });
    const cookies = entered.headers["set-cookie"] ?? [];
    assert.equal(entered.statusCode, 200);
    assert.equal(cookies.length, 1);
    assert.match(
      cookies[0] ?? "",
      /^__Host-\w+-login=[\w-]{43}; .* Secure; HttpOnly; SameSite=Strict$/,
    );

    assert.deepEqual(
      [await shake(port, "TLSv1.3"), await shake(port, "TLSv1.2"), await shake(port, "TLSv1.1")],
      ["TLSv1.3", "TLSv1.2", "refused"],
    );
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });

  test("speaks only ciphers that keep and vouch for what is said, the strongest first", async (t) => {
    chmodSync(path.join(folder, "own.key"), 0o600);
    const serving = await serveWith({ tls: TLS });
    t.after(() => serving.stop());
    const { port } = new URL(serving.url);
    const strong = "ECDHE-ECDSA-AES256-GCM-SHA384";
    const weak = ["ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-CCM8"];

    assert.equal(await cipherOf(port, `ECDHE-ECDSA-AES128-GCM-SHA256:${strong}`), strong);
    assert.equal(
      await cipherOf(port, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:DEFAULT", "TLSv1.3"),
      "TLS_AES_256_GCM_SHA384",
    );
    for (const cipher of weak) assert.equal(await cipherOf(port, cipher), "refused", cipher);
  });

  test("a key that others can read, or that is not there, is refused with the file's name", async () => {
    chmodSync(path.join(folder, "own.key"), 0o644);
    await assert.rejects(serveWith({ tls: TLS }), { code: "tls_key_exposed", message: /own\.key/ });
    chmodSync(path.join(folder, "own.key"), 0o600);
    await assert.rejects(serveWith({ tls: { ...TLS, cert: "other.crt" } }), {
      code: "tls_unreadable",
      message: /other\.crt/,
    });
  });
});

describe("behind a proxy", () => {
  test("answers to the name people use, once somebody has a password", async (t) => {
    const publicOrigin = "https://work.example.org";
    await assert.rejects(serveWith({ publicOrigin }), { code: "bind_without_users" });

    const alone = await serveWith({});
    const { hostname, port } = new URL(alone.url);
    const home = { code: alone.loginUrl.split("#code=")[1] };
    assert.equal(hostname, "127.0.0.1");
    const own = (at: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${alone.url}${at}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: alone.url,
          "x-app": "1",
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const entered = await own("/api/v1/login/exchange", home);
    const { secret } = (await entered.json()) as { secret: string };
    const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const invited = await own(
      "/api/v1/user/invite",
      { email: "noor@example.org", displayName: "Noor" },
      { cookie, "x-login-secret": secret },
    );
    const { code } = (await invited.json()) as { code: string };
    const password = "eleven loud herons";
    assert.equal((await own("/api/v1/login/accept", { code, password })).status, 200);
    await alone.stop();

    await assert.rejects(serveWith({ publicOrigin }), { code: "bind_without_tls" });
    const serving = await serveWith({ publicOrigin }, { allowRemote: true, port: Number(port) });
    t.after(() => serving.stop());
    assert.equal(serving.url, publicOrigin);
    const asked = (host: string, origin: string) =>
      plainly(port, host, { origin, email: "noor@example.org", password });
    const answers = [
      await asked("work.example.org", publicOrigin),
      await asked("work.example.org", "http://work.example.org"),
      await asked("work.example.org.evil.example", publicOrigin),
    ];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 403, 421],
    );
    assert.match(answers[0]?.headers["set-cookie"]?.[0] ?? "", /^__Host-.* Secure;/);
    assert.match(answers[0]?.headers["strict-transport-security"] ?? "", /includeSubDomains/);
  });
});

function get(url: string, body?: object): Promise<IncomingMessage> {
  const headers = { "content-type": "application/json", origin: new URL(url).origin, "x-app": "1" };
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        ca: readFileSync(path.join(folder, "own.crt")),
        ...(body === undefined ? {} : { method: "POST", headers }),
      },
      (response) => resolve(response.resume()),
    );
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** As the proxy hands it on. */
function plainly(
  port: string,
  host: string,
  {
    origin,
    ...body
  }: { readonly origin: string; readonly email: string; readonly password: string },
): Promise<IncomingMessage> {
  const headers = { host, origin, "content-type": "application/json", "x-app": "1" };
  return new Promise((resolve, reject) => {
    const asked = plainRequest(
      { host: "127.0.0.1", port, path: "/api/v1/login/password", method: "POST", headers },
      (response) => resolve(response.resume()),
    );
    asked.on("error", reject);
    asked.end(JSON.stringify(body));
  });
}

type Version = "TLSv1.1" | "TLSv1.2" | "TLSv1.3";

function shake(port: string, version: Version): Promise<string> {
  const told = (socket: TLSSocket) => socket.getProtocol() ?? "none";
  return shaken(port, version, "DEFAULT@SECLEVEL=0", told);
}

function cipherOf(port: string, ciphers: string, version: Version = "TLSv1.2"): Promise<string> {
  return shaken(port, version, `${ciphers}:@SECLEVEL=0`, (socket) => socket.getCipher().name);
}

function shaken(
  port: string,
  version: Version,
  ciphers: string,
  told: (socket: TLSSocket) => string,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      host: "127.0.0.1",
      port: Number(port),
      ca: readFileSync(path.join(folder, "own.crt")),
      minVersion: version,
      maxVersion: version,
      ciphers,
    });
    socket.on("secureConnect", () => {
      resolve(told(socket));
      socket.destroy();
    });
    socket.on("error", () => resolve("refused"));
  });
}
