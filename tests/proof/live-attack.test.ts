/**
 * A person is signed in, in a real Chromium, and opens a hostile page: on another port of the same machine, on another
 * site, and on a name that was made to point here after the page was loaded (rebinding). The page tries every way a
 * page has. Nothing may happen, and nothing may be read. Behind `ATTACKS=1`: a browser of its own.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { scratchServer } from "../scratch/scratch-server.ts";
import { findChromium } from "../web/browser.ts";

const skip = process.env["ATTACKS"] === undefined ? "set ATTACKS=1" : false;

test("a hostile page in the browser of someone signed in does nothing and learns nothing", {
  skip,
}, async (t) => {
  const server = await scratchServer();
  const page = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Hello");
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  const { port } = page.address() as AddressInfo;
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP *.example 127.0.0.1"],
  });
  t.after(async () => {
    await browser.close();
    page.close();
    await server.close();
  });
  const { cookie, secret } = await server.login("operator");
  const context = await browser.newContext();
  await signIn(context, cookie);

  // What all of it is held against: the person's own page has an effect, and reads the answer.
  const own = await context.newPage();
  await own.route(`${server.url}/own`, (route) =>
    route.fulfill({ body: "<p>own", contentType: "text/html" }),
  );
  await own.goto(`${server.url}/own`);
  const control = await own.evaluate(
    async ([given]) => {
      const response = await fetch("/api/v1/note/add", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-app": "1",
          "x-login-secret": given ?? "",
        },
        body: JSON.stringify({ text: "own" }),
      });
      return response.status;
    },
    [secret],
  );
  assert.equal(control, 200);
  assert.equal(server.effects(), 1);

  const places = {
    "another port": `http://127.0.0.1:${port}/`,
    "another port of localhost": `http://localhost:${port}/`,
    "another site": `http://attacker.example:${port}/`,
    "a rebound name": `http://rebound.example:${server.port}/`,
    "a rebound name with ours in it": `http://127.0.0.1.example:${server.port}/`,
  };
  let tried = 0;
  for (const [place, address] of Object.entries(places)) {
    const hostile = await context.newPage();
    const isRebound = place.startsWith("a rebound");
    // What a rebound name serves first is the attacker's; everything it asks for later comes to us.
    if (isRebound) {
      await hostile.route(address, (route) =>
        route.fulfill({ body: "<!doctype html><p>Hello", contentType: "text/html" }),
      );
    }
    await hostile.goto(address);
    const ours = [`http://127.0.0.1:${server.port}`, `http://localhost:${server.port}`];
    const targets = isRebound ? [...ours, ""] : ours;
    for (const target of targets) {
      const { ways, read } = await attack(hostile, target);
      tried += ways;
      assert.deepEqual(read, [], `${place} reads from ${target || "its own origin"}`);
    }
    await hostile.waitForTimeout(300);
    assert.equal(server.effects(), 1, `${place} did something`);
    await hostile.close();
  }
  t.diagnostic(
    `${tried} attempts from ${Object.keys(places).length} places in a live Chromium, signed in: 0 effects, 0 answers read`,
  );
});

/** A stronger attacker than there is: the cookie is given to every name, though it belongs to ours alone. */
async function signIn(context: BrowserContext, cookie: string): Promise<void> {
  const at = cookie.indexOf("=");
  const [name, value] = [cookie.slice(0, at), cookie.slice(at + 1)];
  const hosts = ["127.0.0.1", "localhost", "rebound.example", "127.0.0.1.example"];
  await context.addCookies(
    hosts.map((host) => ({ name, value, url: `https://${host}`, secure: true })),
  );
}

/** Runs in the page: every way a page has to send something, and what it could read of the answers. */
const ATTACK = `async (base) => {
    const path = "/api/v1/note/add";
    const body = JSON.stringify({ text: "hostile" });
    const read = [];
    let ways = 0;
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded", ""];
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "GET"]) {
      for (const type of types) {
        for (const mode of ["cors", "no-cors"]) {
          for (const header of [{}, { "x-app": "1" }]) {
            ways += 1;
            try {
              const response = await fetch(base + path, {
                method,
                mode,
                credentials: "include",
                headers: { ...(type ? { "content-type": type } : {}), ...header },
                ...(method === "GET" ? {} : { body }),
              });
              if (response.ok) read.push(\`\${method} \${type} \${mode} \${await response.text()}\`);
            } catch {
              // The browser itself refused: so it should be.
            }
          }
        }
      }
    }
    for (const reading of ["/api/v1/note/list", "/api/v1/events", "/api/v1/operations", "/mcp"]) {
      ways += 1;
      const stopped = AbortSignal.timeout(1000);
      try {
        const response = await fetch(base + reading, { credentials: "include", signal: stopped });
        if (response.ok) read.push(\`\${reading} \${(await response.text()).slice(0, 80)}\`);
      } catch {
        // Not readable.
      }
    }
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      ways += 1;
      const frame = document.createElement("iframe");
      frame.name = \`f\${ways}\`;
      document.body.append(frame);
      const form = document.createElement("form");
      form.method = "post";
      form.enctype = type;
      form.action = base + path;
      form.target = frame.name;
      const field = document.createElement("input");
      field.name = '{"text":"hostile","a":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
    }
    ways += 3;
    navigator.sendBeacon(base + path, new Blob([body], { type: "text/plain" }));
    try {
      navigator.sendBeacon(base + path, new Blob([body], { type: "application/json" }));
    } catch {
      // Not every browser lets it.
    }
    const image = new Image();
    image.src = \`\${base}\${path}?text=hostile\`;
    ways += 2;
    await new Promise((resolve) => {
      const source = new EventSource(\`\${base}/api/v1/events\`, { withCredentials: true });
      source.addEventListener("message", (event) => read.push("event " + event.data));
      source.addEventListener("open", () => read.push("the stream of events opened"));
      setTimeout(() => {
        source.close();
        resolve();
      }, 200);
    });
    await new Promise((resolve) => {
      const address = new URL(path, base || location.href).href.replace("http", "ws");
      const socket = new WebSocket(address);
      socket.addEventListener("open", () => read.push("a socket opened"));
      setTimeout(() => {
        socket.close();
        resolve();
      }, 200);
    });
    return { ways, read };
}`;

async function attack(page: Page, target: string): Promise<Attacked> {
  return page.evaluate<Attacked>(`(${ATTACK})(${JSON.stringify(target)})`);
}

interface Attacked {
  readonly ways: number;
  readonly read: readonly string[];
}
