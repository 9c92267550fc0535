/**
 * Canaries: a model's key, tokens, the secrets of webhooks and notices, a dashboard's key and a redacted passage are
 * planted in a real server, and everything that leaves it or stays behind on the disk is searched for them, raw and in
 * the shapes that things are sent in. The model's provider is of the worst kind: it repeats the key it was given.
 * `CANARIES` more of each kind are planted than the one.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { agentOverHttp } from "../scratch/mcp-client.ts";
import { type ScratchFolder, scratchFolder, type Server } from "../scratch/program.ts";
import { startReceiver } from "../scratch/receiver.ts";

/** No pattern finds it: only who knows it can. */
const canary = (name: string) =>
  `canary ${name} `.replaceAll(" ", "x") + randomBytes(18).toString("hex");

const MORE = Array.from({ length: Number(process.env["CANARIES"] ?? 0) }, (_, at) => at + 1);

const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  hex: (secret) => Buffer.from(secret).toString("hex"),
  url: (secret) => encodeURIComponent(secret),
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  reversed: (secret) => secret.split("").toReversed().join(""),
  parted: (secret) => `${secret.slice(0, 20)}\n${secret.slice(20)}`,
};

const REDACTED = "a redacted passage";

const READS: Readonly<Record<string, object>> = {
  "run.list": {},
  "event.list": { limit: 200 },
  "model.list": {},
  "setting.list": {},
  "token.list": {},
  "webhook.list": {},
  "notice.list": {},
  "workspace.show": {},
  "workspace.doctor": {},
  "user.list": { kind: "both" },
  "inbox.list": {},
  "artifact.list": {},
  "packet.list": {},
  "login.list": {},
  "thinking.search": { text: "canary" },
};

describe("canaries", () => {
  const planted = new Map<string, string>([
    ["the model's key", canary("model key")],
    ["the dashboard's key", canary("dashboard key")],
    [REDACTED, "the heron under the third bridge at dawn"],
  ]);
  /** What was said by whom, by the name of the way out. */
  const sinks = new Map<string, string>();
  const say = (sink: string, words: string) =>
    sinks.set(sink, `${sinks.get(sink) ?? ""}\n${words}`);
  let home: ScratchFolder;
  let server: Server;
  const closing: (() => void)[] = [];

  before(async () => {
    const key = planted.get("the model's key") ?? "";
    for (const at of MORE) planted.set(`the key of model ${at}`, canary(`model key ${at}`));
    const provider = createServer((request, response) => {
      void textOf(request).then((body) => {
        say("prompts", body);
        const told = `You sent ${request.headers.authorization}, ${request.headers.authorization?.replace("Bearer ", "")}.`;
        const isRefused = body.includes("refuse me");
        response.writeHead(isRefused ? 401 : 200, {
          "content-type": "application/json",
          "x-key": key,
        });
        const message = { role: "assistant", content: told };
        response.end(
          JSON.stringify(
            isRefused
              ? { error: { message: told, code: "invalid_api_key" } }
              : {
                  id: "1",
                  object: "chat.completion",
                  created: 1,
                  model: "m",
                  choices: [{ index: 0, message, finish_reason: "stop" }],
                },
          ),
        );
      });
    });
    provider.listen(0, "127.0.0.1");
    await once(provider, "listening");
    const collector = await startReceiver((body) => {
      say("traces and metrics", body);
      return 200;
    });
    const listener = await startReceiver((body) => {
      say("notices", body);
      return 204;
    });
    closing.push(() => provider.close(), collector.close, listener.close);
    home = scratchFolder({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${planted.get("the dashboard's key")}`,
      WORST_KEY: key,
      ...Object.fromEntries(
        MORE.map((at) => [`WORST_KEY_${at}`, planted.get(`the key of model ${at}`)]),
      ),
    });
    const place = path.join(home.folder, ".throughline");
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const { port } = provider.address() as AddressInfo;
    const worst = {
      kind: "openai-compatible",
      baseUrl: `http://127.0.0.1:${port}/v1`,
      keyVariable: "WORST_KEY",
      models: ["m"],
    };
    const others = MORE.map((at) => [`worst${at}`, { ...worst, keyVariable: `WORST_KEY_${at}` }]);
    const config = {
      rateLimit: { perSecond: 0 },
      providers: { worst, ...Object.fromEntries(others) },
    };
    writeFileSync(path.join(place, "config.json"), JSON.stringify(config));
    server = await home.serve();

    const project = await call<{ id: string }>("project.add", { name: "Reeds" });
    const told = await call<{ text: string }>("token.add", { name: "program", scopes: ["read"] });
    planted.set("a token", told.text);
    const workflow = await call<{ id: string }>("workflow.create", {
      name: "W",
      source: "graph TD\n  A[Plan] --> B[End]\n",
      project: project.id,
    });
    const hook = await call<{ secret: string }>("webhook.add", {
      workflow: workflow.id,
      project: project.id,
    });
    planted.set("a webhook's secret", hook.secret);
    const notice = await call<{ secret: string }>("notice.add", {
      url: `${listener.url}/x`,
      on: ["run.finished", "run.waiting"],
    });
    planted.set("a notice's secret", notice.secret);
    for (const at of MORE) await plantMore(at, project.id, workflow.id, `${listener.url}/x`);
    for (const [name, value] of planted) assert.ok(value?.length > 20, name);
    const passage = planted.get(REDACTED) ?? "";
    const talk = await call<{ id: string }>("conversation.add", {
      title: "At the water",
      project: project.id,
      messages: [{ role: "user", content: `We saw ${passage}. The lease ends in June.` }],
    });
    const { messages } = await call<{ messages: { id: string }[] }>("conversation.show", {
      conversationId: talk.id,
    });
    await call("redaction.add", { project: project.id, message: messages[0]?.id, text: passage });
    const model = "worst/m";
    for (const request of ["What is known?", "refuse me"])
      await call("ask.start", { request, model, project: project.id });
    for (const at of MORE)
      await call("ask.start", { request: "And you?", model: `worst${at}/m`, project: project.id });
    await call("model.test", { model }).catch(() => undefined);
    await call("distill.start", { conversationId: talk.id, model, wait: false });
    const packet = await call<{ packetId: string }>("packet.compile", {
      originType: "project",
      originId: project.id,
      intent: "generate_next_actions",
    });
    await call("packet.send", { packetId: packet.packetId, model, wait: false });
    await untilAtRest();
  });
  after(async () => {
    for (const close of closing) close();
    await home?.remove();
  });

  async function plantMore(at: number, project: string, workflow: string, url: string) {
    const token = await call<{ text: string }>("token.add", { name: `t${at}`, scopes: ["read"] });
    planted.set(`token ${at}`, token.text);
    const hook = await call<{ secret: string }>("webhook.add", { workflow, project });
    planted.set(`the secret of webhook ${at}`, hook.secret);
    const notice = await call<{ secret: string }>("notice.add", { url, on: ["run.finished"] });
    planted.set(`the secret of notice ${at}`, notice.secret);
    const passage = `${["heron", "otter", "crane"][at % 3]} number ${at * 7919} behind the weir at noon`;
    planted.set(`${REDACTED} ${at}`, passage);
    const talk = await call<{ id: string }>("conversation.add", {
      title: `At the weir ${at}`,
      project,
      messages: [{ role: "user", content: `We saw ${passage}. It rained.` }],
    });
    const { messages } = await call<{ messages: { id: string }[] }>("conversation.show", {
      conversationId: talk.id,
    });
    await call("redaction.add", { project, message: messages[0]?.id, text: passage });
  }

  async function call<Answer>(name: string, input: object, token = server.token): Promise<Answer> {
    const response = await fetch(new URL(`/api/v1/${name.replace(".", "/")}`, server.url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    const body = await response.text();
    if (!response.ok) {
      say("errors", body);
      throw new Error(`${name}: ${body}`);
    }
    return JSON.parse(body) as Answer;
  }

  async function untilAtRest(): Promise<void> {
    for (let looks = 0; looks < 600; looks += 1) {
      const { items } = await call<{ items: { state: string }[] }>("run.list", { limit: 100 });
      if (
        items.length >= 4 + MORE.length &&
        items.every(({ state }) => !/^(?:queued|running)$/.test(state))
      )
        return;
      await sleep(100);
    }
    assert.fail("the runs do not come to rest");
  }

  test("are in nothing that is said, sent, logged, shown, exported or kept", async (t) => {
    for (const [name, input] of Object.entries(READS))
      say("answers", JSON.stringify(await call(name, input)));
    const { items: runs } = await call<{ items: { id: string }[] }>("run.list", { limit: 100 });
    for (const { id: runId } of runs) {
      say("answers", JSON.stringify(await call("run.show", { runId })));
      say("answers", JSON.stringify(await call("run.events", { runId })));
      const { items } = await call<{ items: { id: string }[] }>("exchange.list", { runId });
      for (const { id } of items)
        say("answers", JSON.stringify(await call("exchange.show", { exchangeId: id })));
    }
    const token = planted.get("a token") ?? "";
    await call("task.add", { title: "x" }, token).catch(() => undefined);
    await call("no.such", {}, token).catch(() => undefined);
    for (const format of ["", "--json"])
      for (const words of [
        ["run", "list"],
        ["token", "list"],
        ["model", "list"],
        ["status"],
        ["event", "list"],
        ["doctor"],
      ]) {
        const { stdout, stderr } = await home.run([...words, ...(format ? [format] : [])]);
        say("command line", stdout + stderr);
      }
    const agent = await agentOverHttp(server, "current", "?tools=full");
    const { tools } = await agent.client.listTools();
    for (const { name } of tools.filter(({ name: each }) => /(?:list|show|status)$/.test(each)))
      say("MCP", await agent.call(name).catch(String));
    await agent.close();
    const events = await fetch(`${server.url}/api/v1/events?after=0.0`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    for await (const chunk of events.body ?? []) {
      say("event stream", Buffer.from(chunk).toString());
      if ((sinks.get("event stream")?.length ?? 0) > 8000) break;
    }
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    say("metrics", await metrics.text());
    await call("workspace.export", { name: "out" });
    await call("backup.make", { name: "copy.db" });
    for (let looks = 0; !sinks.has("notices") && looks < 100; looks += 1) await sleep(100);
    await server.stop();
    say("log", server.said());
    for (const file of filesIn(path.join(home.folder, ".throughline")))
      say(sinkOfFile(path.relative(home.folder, file)), readFileSync(file, "latin1"));

    const leaks: string[] = [];
    let searched = 0;
    for (const [sink, words] of sinks) {
      for (const [secret, value] of planted) {
        // Its own words stay in the conversation: redaction keeps them from being shown, purging forgets them.
        if (secret.startsWith(REDACTED) && KEEPING.has(sink)) continue;
        for (const [encoding, encode] of Object.entries(ENCODINGS)) {
          searched += 1;
          if (words.includes(encode(value))) leaks.push(`${secret} (${encoding}) in ${sink}`);
        }
      }
    }
    assert.deepEqual(leaks, []);
    for (const sink of EXPECTED)
      assert.ok((sinks.get(sink)?.length ?? 0) > 50, `${sink} said something`);
    t.diagnostic(
      `${planted.size * Object.keys(ENCODINGS).length} forms (${planted.size} canaries × ${Object.keys(ENCODINGS).length} shapes) × ${sinks.size} ways out: ${searched} searches, 0 found`,
    );
  });
});

const KEEPING: ReadonlySet<string> = new Set(["store", "backups"]);
const EXPECTED = [
  "answers",
  "prompts",
  "command line",
  "MCP",
  "event stream",
  "errors",
  "log",
  "traces and metrics",
  "metrics",
  "notices",
  "store",
  "backups",
  "exports",
];

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) yield* filesIn(file);
    else yield file;
  }
}

function sinkOfFile(file: string): string {
  if (file.includes("backup")) return "backups";
  if (file.includes("export")) return "exports";
  return file.includes("workspace.db") ? "store" : `file ${path.basename(file)}`;
}
