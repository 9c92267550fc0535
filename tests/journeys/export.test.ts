/** Everything out and in again: the workspace made of an export holds the same, to the last hash, on either database. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { insertArtifact } from "../../src/kernel/store/artifacts.ts";
import { executeSql, runSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { makeRepository } from "../scratch/mcp-loop.ts";
import { findPostgres } from "../scratch/postgres-server.ts";
import { type ScratchFolder, scratchFolder } from "../scratch/program.ts";

interface Exported {
  readonly path: string;
  readonly rows: number;
  readonly artifacts: number;
  readonly digest: string;
}

async function ok(home: ScratchFolder, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args);
  assert.equal(code, 0, `${args.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

async function exportOf(home: ScratchFolder, name: string): Promise<Exported> {
  return exportedOf(await ok(home, ["export", "--name", name, "--with-redacted", "--json"]));
}

function exportedOf(said: string): Exported {
  return (JSON.parse(said) as { data: Exported }).data;
}

function wordsOf({ path: folder }: Exported): string {
  return readFileSync(path.join(folder, "workspace.jsonl"), "utf8");
}

function contentOf({ path: folder }: Exported): unknown {
  const file = path.join(folder, "workspace.jsonl.manifest.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { content: unknown }).content;
}

describe("an export", () => {
  const homes: ScratchFolder[] = [];
  const fresh = () => {
    const home = scratchFolder();
    homes.push(home);
    return home;
  };
  const origin = fresh();
  let first: Exported;
  before(async () => {
    await ok(origin, ["init", "--sample"]);
    await ok(origin, ["ask", "What is worth keeping?"]);
    await ok(origin, [
      "packet",
      "compile",
      "project",
      "Tidepool (sample)",
      "--intent",
      "stress_test_direction",
    ]);
    mkdirSync(path.join(origin.folder, ".throughline/library/continuity/intents"), {
      recursive: true,
    });
    writeFileSync(
      path.join(origin.folder, ".throughline/library/continuity/intents/mine.json"),
      '{ "label": "Mine", "instruction": "Do it my way." }\n',
    );
    await useEveryMethod(origin);
    await leaveArtifact(path.join(origin.folder, ".throughline/workspace.db"));
    first = await exportOf(origin, "first");
  });
  after(async () => {
    for (const home of homes) await home.remove();
  });

  test("can be read without the program: lines of JSON, artifacts as files, the library", () => {
    assert.ok(first.rows > 20);
    assert.ok(first.artifacts > 20);
    const lines = readFileSync(path.join(first.path, "workspace.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    for (const line of lines) JSON.parse(line);
    const index = readFileSync(path.join(first.path, "artifacts.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { file: string; path: string });
    const tide = index.find((artifact) => artifact.path === "reports/../tide.md");
    assert.ok(tide);
    assert.equal(readFileSync(path.join(first.path, tide.file), "utf8"), "# The tide\n");
    assert.equal(readdirSync(path.join(first.path, "artifacts")).length, index.length);
    assert.ok(existsSync(path.join(first.path, "library/continuity/intents/mine.json")));
  });

  test("has rows of every table that any method keeps, so that the copy below is one of all of them", () => {
    const { tables } = contentOf(first) as { tables: Record<string, { rows: number }> };
    const lines = readFileSync(path.join(first.path, "workspace.jsonl"), "utf8").split("\n");
    const known = lines.flatMap((line) => /^\{"table":"(\w+)"/.exec(line)?.[1] ?? []);
    assert.ok(known.length > 60, String(known.length));
    const empty = known.filter((table) => (tables[table]?.rows ?? 0) === 0);
    assert.deepEqual(
      empty.filter((table) => !EMPTY.includes(table)),
      [],
    );
  });

  test("makes the same workspace in an empty folder; doctor finds nothing, and it exports to the same hashes", async () => {
    const copy = fresh();
    const made = await ok(copy, ["init", "--from", first.path, "--json"]);
    const { digest } = (JSON.parse(made) as { data: { digest: string } }).data;

    assert.equal(digest, first.digest);
    const second = await exportOf(copy, "second");
    assert.deepEqual(contentOf(second), contentOf(first));
    assert.equal(second.digest, first.digest);
    await ok(copy, ["doctor"]);
    assert.match(
      await ok(copy, ["packet", "preview", "project", "Tidepool (sample)", "--intent", "mine"]),
      /my way/,
    );
    const again = await copy.run(["init", "--from", first.path, "--json"]);
    assert.equal(again.code, 4);
    assert.match(again.stderr, /workspace_exists/);
  });

  test("goes to PostgreSQL and back, and is still the same", async () => {
    const database = await findPostgres();
    const schema = `t_${randomBytes(8).toString("hex")}`;
    const server = fresh();
    const config = path.join(server.folder, ".throughline/config.json");
    mkdirSync(path.dirname(config), { mode: 0o700 });
    writeFileSync(config, JSON.stringify({ database, schema }), { mode: 0o600 });
    try {
      await ok(server, ["init", "--from", first.path]);
      await ok(server, ["doctor"]);
      const there = await exportOf(server, "there");
      assert.deepEqual(contentOf(there), contentOf(first));
      const back = fresh();
      await ok(back, ["init", "--from", there.path]);
      const home = await exportOf(back, "home");
      assert.deepEqual(contentOf(home), contentOf(first));
      const again = await server.run(["init", "--from", first.path, "--json"]);
      assert.match(again.stderr, /workspace_exists/);
    } finally {
      const store = openPostgres({ connectionString: database, schema });
      for (const name of [schema, `${schema}_queue`])
        await store.write(() => executeSql(sqlText(`drop schema if exists ${name} cascade`), []));
      await store.close();
    }
  });

  test("leaves redacted words out and makes no workspace then; with them it does, and the redaction holds there", async () => {
    const home = fresh();
    const secret = "never compare wall clocks of two devices";
    await ok(home, ["init", "--sample"]);
    await ok(home, [
      "packet",
      "compile",
      "project",
      "Tidepool (sample)",
      "--intent",
      "custom",
      "--custom-intent",
      "Go on.",
    ]);
    const found = JSON.parse(
      await ok(home, ["search", secret, "--kinds", "message", "--json"]),
    ) as {
      data: { items: readonly { id: string }[] };
    };
    const message = found.data.items[0]?.id ?? "";
    const plain = exportedOf(await ok(home, ["export", "--name", "plain", "--json"]));
    await ok(home, [
      "redact",
      "--project",
      "Tidepool (sample)",
      "--message",
      message,
      "--text",
      secret,
    ]);

    const covered = exportedOf(await ok(home, ["export", "--name", "covered", "--json"]));
    const whole = await exportOf(home, "whole");
    const refused = await fresh().run(["init", "--from", covered.path, "--json"]);
    const copy = fresh();
    await ok(copy, ["init", "--from", whole.path]);

    assert.ok(wordsOf(plain).includes(secret) && wordsOf(whole).includes(secret));
    assert.ok(!wordsOf(covered).includes(secret) && wordsOf(covered).includes("[redacted]"));
    assert.deepEqual(
      [refused.code, /dump_covered/.test(refused.stderr)],
      [4, true],
      refused.stderr,
    );
    assert.match(
      await ok(home, ["export", "--name", "told"]),
      /Redacted words are left out.*--with-redacted/,
    );
    assert.doesNotMatch(
      await ok(copy, ["search", "compare wall clocks", "--json"]),
      new RegExp(secret),
    );
  });

  test("that was changed, or is none, makes nothing", async () => {
    const copy = fresh();
    const changed = path.join(copy.folder, "changed");
    cpSync(first.path, changed, { recursive: true });
    appendFileSync(path.join(changed, "workspace.jsonl"), "[]\n");
    const refused = await copy.run(["init", "--from", changed, "--json"]);
    const none = await copy.run(["init", "--from", copy.folder, "--json"]);

    assert.equal(refused.code, 9, refused.stderr);
    assert.match(refused.stderr, /backup_damaged/);
    assert.match(none.stderr, /export_not_found/);
    assert.ok(!existsSync(path.join(copy.folder, ".throughline/workspace.db")));
    const twice = await origin.run(["export", "--name", "first", "--json"]);
    assert.match(twice.stderr, /export_exists/);
    rmSync(changed, { recursive: true });
  });
});

/** What no ordinary day fills: leftovers of work under way, and what is gone when it is done. */
const EMPTY: readonly string[] = [
  "batch_slice",
  "delta",
  "join_arrival",
  "join_mark",
  "login",
  "team_halt",
  "team_refusal",
  "timer",
];

/** A little of everything, as people do it: each method runs, waits or ends, and leaves what it keeps. */
async function useEveryMethod(home: ScratchFolder): Promise<void> {
  makeRepository(home.folder);
  const server = await home.serve(["serve"]);
  const type = async (line: readonly string[], stdin = "", codes: readonly number[] = [0]) => {
    const { code, stdout, stderr } = await home.run([...line, "--json"], stdin);
    assert.ok(codes.includes(code), `${line.join(" ")}: ${stderr}${stdout}`);
    if (stdout === "") return {};
    return (JSON.parse(stdout.split("\n", 1)[0] ?? "") as { data: Record<string, unknown> }).data;
  };
  const SAMPLE = "Tidepool (sample)";
  const dialectic = ["dialectic", "start", "A sign for the door", "--follow"];
  await type(dialectic, "", [6]);
  const on = ["--document", "thesis/business_case/s1", "--text", "Shorter."];
  await type(["dialectic", "feedback", ...on]);
  await type(["team", "start", "lab", "Do walks help?", "--rounds", "2", "--follow"]);
  await type(["team", "add"], JSON.stringify(TEAM));
  await type(["session", "start", "-", "--interpretation", "A file."], "Write a file.");
  writeFileSync(path.join(home.folder, "tide.md"), "The tide comes in.\n");
  await type(["session", "intent", "Write about the tide"]);
  const about = ["--subject", "Tides", "--new-subject", "--no-push"];
  await type(["session", "finish", "There is a file", ...about]);
  await type(["workflow", "copy", "library:translation", "--name", "Ours"]);
  await type(["workflow", "run", "Ours", "--set", "text=Good morning", "--follow"], "", [0, 6]);
  const asked = ["--set", "question=What do we know?", "--follow"];
  await type(["workflow", "run", "library:research", ...asked], "", [0, 6]);
  await type(["session", "start", "-", "--interpretation", "A run."], "Let it run.");
  const { runId } = await type(["dialectic", "start", "A second sign"]);
  await type(["session", "bind", String(runId)]);
  await type(["subject", "set", "Tides", "sea"]);
  await type(["user", "invite", "mara@example.org", "Mara"]);
  await type(["project", "add-member", SAMPLE, "mara@example.org", "--role", "reviewer"]);
  await type(["schedule", "add", "Ours", "@daily"]);
  await type(["webhook", "add", "Ours", "--name", "Door"]);
  await type(["webhook", "deliver", "Door", "--body", '{"text":"Hello"}']);
  await type(["agent", "add", "Reader", "--agent-prompt", "You read."]);
  const task = await type(["task", "add", "Read it", "--assignee", "Reader"]);
  // The server takes it up by itself, perhaps sooner.
  await type(["task", "run", String(task["id"]), "--follow"], "", [0, 4, 6]);
  await type(["view", "save", "mine", "--assignee", "me"]);
  await type(["budget", "set", "--usd", "5"]);
  const told = await type(["notice", "add", "http://127.0.0.1:9/hook", "--on", "run.finished"]);
  await type(["ask", "Is anybody told?"]);
  await type(["import", "-"], "## User\nHow long?\n## Assistant\nTwice as long.\n");
  await type(["import", "-"], '{"role":"user","content":"One"}\n{"role":\n', [9]);
  const { packetId } = await type(
    "packet compile project --intent generate_next_actions".split(" ").toSpliced(3, 0, SAMPLE),
  );
  await type(["harvest", String(packetId), "--accept-all"], "## Tasks\n- Measure it\n");
  await type(["digest", SAMPLE]);
  const { items } = await type(["conversation", "list", "--project", SAMPLE]);
  const [conversation] = items as readonly { readonly id: string }[];
  await type(["redact", "--project", SAMPLE, "--conversation", conversation?.id ?? ""]);
  // The server tells by itself, a moment later.
  const notice = String(told["id"]);
  for (let looks = 0; ; looks += 1) {
    const { messages } = await type(["notice", "show", notice]);
    if ((messages as readonly unknown[]).length > 0) break;
    assert.ok(looks < 100, "nobody was told of a run");
  }
  await server.stop();
}

const TEAM = {
  name: "Kitchen",
  description: "Cooks.",
  field: "Cooking",
  example: "A bread.",
  members: ["chair", "operative", "watchdog", "envoy"].map((role) => ({
    name: role,
    role,
    teamRole: role,
    skills: ["tasting"],
    characteristics: ["calm"],
  })),
};

async function leaveArtifact(file: string): Promise<void> {
  const store = openSqlite({ path: file });
  const [run] = await store.read(() =>
    runSql<{ id: string }>(sqlText("select id from run limit 1"), []),
  );
  assert.ok(run);
  const artifact = {
    id: "artifact-1",
    projectId: null,
    runId: run.id,
    kind: "report",
    identity: "tide",
    path: "reports/../tide.md",
    mediaType: "text/markdown",
    body: "# The tide\n",
  };
  await store.write(() => insertArtifact(artifact, 1000));
  await store.close();
}
