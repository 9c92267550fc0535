import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Server, scratchFolder } from "../scratch/program.ts";

describe("bringing conversations in", () => {
  const home = scratchFolder();
  let server: Server;
  after(() => home.remove());
  const file = (name: string, content: string) => {
    const place = path.join(home.folder, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, content);
    return place;
  };

  test("from the command line: alone and beside a server, from a file, a folder and standard input", async () => {
    await home.run(["init"]);
    file("export.json", chats(3));
    file("sessions/one/a.jsonl", session("5e55c0de-0000-4000-8000-0000000000aa"));
    file("sessions/two/b.jsonl", session("5e55c0de-0000-4000-8000-0000000000bb"));
    file("sessions/two/picture.png", "no text");

    const alone = await home.run(["import", "export.json"]);
    server = await home.serve(["serve"]);
    const again = await home.run(["import", "export.json", "--json"]);
    const folder = await home.run(["import", "sessions"]);
    const piped = await home.run(["import", "-", "--dry-run"], "User: Hi\nAssistant: Hello\n");
    const missing = await home.run(["import", "nowhere.zip"]);

    assert.match(alone.stdout, /Imported export\.json: 3 conversations/);
    assert.match(alone.stdout, /3 new conversations\n {2}6 new messages/);
    const { data } = JSON.parse(again.stdout) as {
      data: { totals: object; progress: { unchanged: number } };
    };
    assert.deepEqual([data.progress.unchanged, again.stderr], [3, ""]);
    assert.match(folder.stdout, /Imported sessions\.zip: 2 conversations/);
    assert.match(folder.stderr, /^Reading sessions\.zip .*2 conversations/);
    assert.match(piped.stdout, /stdin holds 1 conversation .*Nothing was written/);
    assert.equal(missing.code, 3);
    assert.match((await home.run(["conversation", "list"])).stdout, /Conversation 2/);
  });

  test("over HTTP: sent in parts, looked at, imported with progress, and read back", async () => {
    const body = Buffer.from(chats(400, "http"));
    const { id } = await call<{ id: string }>(server, "uploads", {
      name: "export.json",
      bytes: body.length,
    });
    const half = Math.floor(body.length / 2);
    await put(server, id, body.subarray(0, half), 0, body.length);
    await assert.rejects(call(server, "import/start", { file: id }), /upload_incomplete/);
    await put(server, id, body.subarray(half), half, body.length);

    const planned = await call<Result>(server, "import/start", { file: id, dryRun: true });
    const events = await stream(server, "import/start", { file: id });

    assert.deepEqual([planned.state, planned.totals.added], ["planned", 400]);
    const progress = events.filter(({ event }) => event === "progress");
    assert.ok(progress.length > 0);
    const { data } = events.at(-1) as { data: Result };
    assert.deepEqual([data.state, data.totals.added], ["completed", 400]);
    const shown = await call<{ import: { state: string } }>(server, "import/show", {
      importId: data.importId,
    });
    assert.equal(shown.import.state, "completed");
  });

  test("a server that is killed in the middle goes on by itself when it is back", async () => {
    const count = 20_000;
    const body = Buffer.from(chats(count, "kill"));
    const { id } = await call<{ id: string }>(server, "uploads", {
      name: "kill.json",
      bytes: body.length,
    });
    await put(server, id, body, 0, body.length);
    const started = call(server, "import/start", { file: id }).catch(() => "broken");
    const state = () => found(server, "kill.json");
    await until(async () => ((await state())?.totals.added ?? 0) > 0, 5);
    await server.kill();
    assert.equal(await started, "broken");

    server = await home.serve(["serve"]);
    const before = await state();
    await until(async () => (await state())?.state === "completed");

    const { totals } = (await state()) ?? {};
    assert.ok((before?.totals.added ?? count) < count, "it was killed too late");
    assert.deepEqual([totals?.added, totals?.messagesAdded], [count, count * 2]);
    const { code } = await home.run(["doctor"]);
    assert.equal(code, 0);
  });
});

interface Result {
  readonly name: string;
  readonly importId?: string;
  readonly state: string;
  readonly totals: { readonly added: number; readonly messagesAdded: number };
}

async function found(server: Server, name: string): Promise<Result | undefined> {
  const { items } = await call<{ items: readonly Result[] }>(server, "import/list", {});
  return items.find((item) => item.name === name);
}

async function until(isSo: () => Promise<boolean>, everyMs = 100): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (await isSo()) return;
    await sleep(everyMs);
  }
  assert.fail("It did not come to that.");
}

async function call<Answer>(server: Server, route: string, body: object): Promise<Answer> {
  const response = await send(server, "POST", route, JSON.stringify(body), {
    "content-type": "application/json",
  });
  const answer = (await response.json()) as Answer & { code?: string };
  if (!response.ok) throw new Error(answer.code);
  return answer;
}

async function put(
  server: Server,
  id: string,
  chunk: Uint8Array<ArrayBuffer>,
  at: number,
  total: number,
): Promise<void> {
  const response = await send(server, "PUT", `uploads/${id}`, chunk, {
    "content-type": "application/octet-stream",
    "content-range": `bytes ${at}-${at + chunk.length - 1}/${total}`,
  });
  assert.equal(response.status, 200, await response.text());
}

async function stream(server: Server, route: string, body: object) {
  const response = await send(server, "POST", route, JSON.stringify(body), {
    "content-type": "application/json",
    accept: "text/event-stream",
  });
  return [...(await response.text()).matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(
    ([, event, data]) => ({
      event,
      data: JSON.parse(data ?? "null") as unknown,
    }),
  );
}

function send(
  { url, token }: Server,
  method: string,
  route: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(`${url}/api/v1/${route}`, {
    method,
    body,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
}

function chats(count: number, prefix = "c"): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, n) => ({
      uuid: `${prefix}${n}`,
      name: `Conversation ${n}`,
      chat_messages: [
        { uuid: "a", sender: "human", text: `Question ${n} ${"about the tide ".repeat(80)}` },
        { uuid: "b", sender: "assistant", text: `Answer ${n} ${"about the quay ".repeat(80)}` },
      ],
    })),
  );
}

function session(id: string): string {
  const step = (uuid: string, parentUuid: string | null, type: string, content: string) =>
    JSON.stringify({ uuid, parentUuid, type, sessionId: id, message: { role: type, content } });
  return [step("1", null, "user", "Fix it."), step("2", "1", "assistant", "Fixed.")].join("\n");
}
