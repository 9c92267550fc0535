import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { scratchFolder, strainNow } from "../scratch/program.ts";

interface Envelope<Data> {
  readonly schemaVersion: number;
  readonly kind: string;
  readonly data: Data;
}

interface Asked {
  readonly runId: string;
  readonly state: string;
  readonly exchangeId: string;
  readonly answer: { readonly answer: string };
}

describe("the first minute", () => {
  test("start prints an address within 10 s, serves it, and answers a question end to end", async (t) => {
    const home = scratchFolder();
    t.after(() => home.remove());
    const before = await strainNow(home);
    const server = await home.serve();
    const strain = Math.max(before, await strainNow(home));

    assert.ok(server.startedInMs < 10_000 * strain, `${server.startedInMs} ms, strain ${strain}`);
    const page = await fetch(server.url);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    const asked = await home.run([
      "ask",
      "What should the billing team do about the migration?",
      "--json",
    ]);
    const { data } = JSON.parse(asked.stdout) as Envelope<Asked>;

    assert.equal(asked.code, 0, asked.stderr);
    assert.equal(data.state, "completed");
    assert.match(data.answer.answer, /migration|billing/);
  });

  test("the printed code lets one visitor in, once", async (t) => {
    const home = scratchFolder();
    t.after(() => home.remove());
    const server = await home.serve();
    const { origin, hash } = new URL(server.loginUrl);
    const exchange = () =>
      fetch(`${origin}/api/v1/login/exchange`, {
        method: "POST",
        headers: { "content-type": "application/json", origin, "x-app": "1" },
        body: JSON.stringify({ code: hash.slice("#code=".length) }),
      });

    const first = await exchange();
    const second = await exchange();

    assert.equal(first.status, 200);
    assert.match(first.headers.get("set-cookie") ?? "", /HttpOnly/);
    assert.equal(second.status, 401);
  });

  test("without a server the command line does the work itself, and keeps it", async (t) => {
    const home = scratchFolder();
    t.after(() => home.remove());
    await home.run(["init"]);

    const asked = await home.run(["ask", "Summarise the risks"], "The vendor may raise prices.");
    const folder = path.join(home.folder, ".throughline");

    assert.equal(asked.code, 0, asked.stderr);
    assert.match(asked.stdout, /Confidence/);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  test("a second server on the same workspace is told so at once", async (t) => {
    const home = scratchFolder();
    t.after(() => home.remove());
    await home.serve();
    const before = performance.now();

    const second = await home.run(["serve"]);

    assert.equal(second.code, 4);
    assert.match(second.stderr, /workspace_in_use/);
    assert.ok(performance.now() - before < 30_000);
  });

  test("after kill -9 the next server has everything that was accepted", async (t) => {
    const home = scratchFolder();
    t.after(() => home.remove());
    const first = await home.serve();
    const asked = await home.run(["ask", "Which step comes first?", "--json"]);
    const { data } = JSON.parse(asked.stdout) as Envelope<Asked>;

    await first.kill();
    await home.serve(["serve"]);
    const shown = await home.run(["run", "show", data.runId, "--json"]);

    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /completed/);
  });

  test("where there is no workspace, the command says so and what to do", async (t) => {
    const home = scratchFolder({ THROUGHLINE_DIR: path.join("/nonexistent", "nowhere") });
    t.after(() => home.remove());

    const asked = await home.run(["ask", "Anyone there?"]);

    assert.notEqual(asked.code, 0);
    assert.equal(asked.stdout, "");
  });
});
