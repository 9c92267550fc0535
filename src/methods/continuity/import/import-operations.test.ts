import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { execute, query } from "../../../kernel/store/database-work.ts";
import { putProjectMember } from "../../../kernel/store/project-members.ts";
import { insertProject } from "../../../kernel/store/projects.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { zipOf } from "./bytes/zip-samples.suite.ts";
import type { ImportResult } from "./import-shape.ts";
import { claimImport } from "./import-work.ts";
import {
  caller,
  type ImportWorld,
  OPERATOR,
  openImportWorld,
  STRANGER,
} from "./import-world.suite.ts";
import { fixture } from "./read-sample.suite.ts";
import { resumeImports } from "./resume-imports.ts";

const CHATGPT = fixture("chatgpt-conversations.export");
const CLAUDE_CODE = "claude-code-5e55c0de-0000-4000-8000-00000000c0de.jsonl";

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`importing into ${dialect}`, () => {
    test("every format comes in, and importing it again adds nothing", async (t) => {
      const world = await open(t, dialect);
      const samples: readonly (readonly [string, Buffer, number, number])[] = [
        ["conversations.json", CHATGPT, 3, 18],
        ["conversations.json", fixture("claude-conversations.export"), 2, 9],
        [CLAUDE_CODE, fixture(CLAUDE_CODE), 1, 9],
        [
          "rollout-x.jsonl",
          fixture("rollout-2026-04-02T10-00-00-0196c0de-1111-7222-8333-444455556666.jsonl"),
          1,
          7,
        ],
        ["headings.md", fixture("headings.md"), 1, 4],
        ["chat.txt", fixture("chatgpt-copied.txt"), 1, 3],
        ["bold.md", fixture("bold.md"), 1, 3],
        ["messages.jsonl", fixture("messages.jsonl"), 1, 5],
        ["conversations.jsonl", fixture("conversations.jsonl"), 2, 4],
      ];
      for (const [name, content, conversations, messages] of samples) {
        const { totals } = await world.import(name, content);
        assert.deepEqual([totals.added, totals.messagesAdded], [conversations, messages], name);
      }
      const before = await world.stored();

      for (const [name, content, conversations] of samples) {
        const { totals, progress } = await world.import(name, content);
        assert.deepEqual(
          [totals.added, totals.extended, totals.messagesAdded, progress.unchanged],
          [0, 0, 0, conversations],
          name,
        );
      }

      assert.deepEqual(await world.stored(), before);
      assert.deepEqual(await world.examine(), []);
      assert.equal((await world.list()).length, samples.length * 2);
    });

    test("a conversation that grew gets only what is new; changed words are told and left", async (t) => {
      const world = await open(t, dialect);
      const chat = (turns: readonly string[], extra = {}) =>
        JSON.stringify([
          {
            uuid: "c1",
            name: "Quay",
            ...extra,
            chat_messages: turns.map((text, i) => ({
              uuid: `m${i}`,
              sender: i % 2 ? "assistant" : "human",
              text,
            })),
          },
        ]);
      await world.import("a.json", chat(["One?", "One."]));

      const grown = await world.import("a.json", chat(["One?", "One.", "Two?"]));
      const edited = await world.import("a.json", chat(["One!", "One.", "Two?"]));
      const renamed = await world.import(
        "a.json",
        chat(["One?", "One.", "Two?"], { name: "Quay 4" }),
      );

      assert.deepEqual([grown.totals.extended, grown.totals.messagesAdded], [1, 1]);
      assert.deepEqual([edited.totals.edited, edited.totals.messagesEdited], [1, 1]);
      assert.equal(renamed.progress.unchanged, 1);
      const [conversation] = await world.stored();
      assert.equal(conversation?.title, "Quay 4");
      assert.deepEqual(conversation?.said, ["user: One?", "assistant: One.", "user: Two?"]);
      const { changed } = await world.show(edited.importId);
      assert.deepEqual(
        changed.map(({ conversationId, outcome, messagesEdited }) => [
          conversationId,
          outcome,
          messagesEdited,
        ]),
        [[conversation?.id, "edited", 1]],
      );
      assert.deepEqual(await world.examine(), []);
    });

    test("branches come as conversations of their own, also when they are asked for later", async (t) => {
      const world = await open(t, dialect);
      await world.import("c.json", CHATGPT);

      const all = await world.import("c.json", CHATGPT, { branch: "all" });
      const again = await world.import("c.json", CHATGPT, { branch: "all" });

      assert.deepEqual(
        [all.totals.added, all.totals.messagesAdded, all.progress.unchanged],
        [1, 2, 2],
      );
      assert.equal(again.totals.messagesAdded, 0);
      const branch = (await world.stored()).find(({ title }) => title.includes("another branch"));
      assert.deepEqual(branch?.said, [
        "assistant: Show the yearly table.",
        "user: No, that is too long.",
      ]);
    });

    test("a long session in parts is one conversation, and grows at its end", async (t) => {
      const world = await open(t, dialect);
      const line = (n: number) =>
        JSON.stringify({
          type: n % 2 ? "user" : "assistant",
          uuid: `m${n}`,
          parentUuid: n > 1 ? `m${n - 1}` : null,
          sessionId: "long",
          message: { role: n % 2 ? "user" : "assistant", content: `${n} ${"x".repeat(100_000)}` },
        });
      const session = (length: number) => Array.from({ length }, (_, i) => line(i + 1)).join("\n");

      const first = await world.import("long.jsonl", session(50));
      const second = await world.import("long.jsonl", session(53));

      assert.deepEqual([first.totals.added, first.totals.messagesAdded], [1, 50]);
      assert.deepEqual([second.totals.extended, second.totals.messagesAdded], [1, 3]);
      const [conversation, another] = await world.stored();
      assert.equal(another, undefined);
      assert.deepEqual(
        conversation?.said.map((text) => Number(text.split(" ")[1])),
        Array.from({ length: 53 }, (_, i) => i + 1),
      );
    });

    test("a project gets the conversations, also those that were here before", async (t) => {
      const world = await open(t, dialect);
      await project(world, "quay", OPERATOR.userId);
      await world.import("c.json", CHATGPT, { branch: "all" });

      const linked = await world.import("c.json", CHATGPT, { branch: "all", project: "quay" });
      const again = await world.import("c.json", CHATGPT, { branch: "all", project: "quay" });

      assert.equal(linked.totals.added, 0);
      assert.equal(again.progress.unchanged, 3);
      const stored = await world.stored();
      assert.equal(stored.length, 4);
      for (const { projects } of stored) assert.deepEqual(projects, ["quay"]);
      assert.deepEqual(await world.examine(), []);
    });

    test("what somebody imported for themselves is neither shown to nor touched by another", async (t) => {
      const world = await open(t, dialect);
      await world.import("c.json", CHATGPT);
      const mine = await world.stored();

      const theirs = await world.import("c.json", CHATGPT, {}, STRANGER);
      const again = await world.import("c.json", CHATGPT, {}, STRANGER);

      assert.equal(theirs.totals.added, 3);
      assert.equal(again.progress.unchanged, 3);
      const stored = await world.stored();
      assert.equal(stored.length, 6);
      for (const conversation of mine)
        assert.ok(stored.some((each) => each.id === conversation.id));
      await assert.rejects(world.show((await world.list())[0]?.id, STRANGER), {
        code: "import_not_found",
      });
    });

    test("where a conversation is redacted, a branch of it that comes later is, too", async (t) => {
      const world = await open(t, dialect);
      await project(world, "quay", OPERATOR.userId);
      await world.import("c.json", CHATGPT, { project: "quay" });
      const [tide] = await world.stored();
      const act = { actor: "test", now: world.kernel.clock.now() };
      await world.kernel.store.write(() =>
        insertRedaction(
          {
            id: world.kernel.ids.next(),
            projectId: "quay",
            conversationId: tide?.id,
            reason: "private",
          },
          act,
        ),
      );

      await world.import("c.json", CHATGPT, { project: "quay", branch: "all" });

      const branch = (await world.stored()).find(({ title }) => title.includes("another branch"));
      const redacted = await world.kernel.store.read(() =>
        query(db.selectFrom("redaction").select(["conversation_id", "reason"]).orderBy("id")),
      );
      assert.deepEqual(
        redacted.map((row) => [row.conversation_id, row.reason]),
        [
          [tide?.id, "private"],
          [branch?.id, "private"],
        ],
      );
    });

    test("a ZIP is read as it was downloaded: shards, other files, and what cannot be read", async (t) => {
      const world = await open(t, dialect);
      const all = JSON.parse(CHATGPT.toString()) as unknown[];
      const zip = zipOf([
        { name: "conversations-000.json", content: JSON.stringify(all.slice(0, 2)) },
        { name: "conversations-001.json", content: JSON.stringify(all.slice(2)) },
        { name: "user.json", content: '{"id":"user-1","email":"ann@example.org"}' },
        { name: "chat.html", content: "<html></html>" },
        { name: "file-8sTideChart-chart.png", content: Buffer.from([0x89, 0x50, 0x4e, 0x47]) },
        { name: "notes/README.md", content: "Nobody speaks here." },
        { name: "locked.json", content: "[]", flags: 1 },
        { name: "../../etc/sessions/climb.jsonl", content: fixture("messages.jsonl") },
        { name: "damaged.json", content: CHATGPT, claims: { checksum: 1 } },
        { name: "__MACOSX/._x", content: "" },
      ]);

      const { importId, totals, progress, problems } = await world.import("export.zip", zip);

      assert.deepEqual([totals.added, totals.messagesAdded], [4, 23]);
      assert.deepEqual(
        progress.files.map(({ name, format, conversations }) => [name, format, conversations]),
        [
          ["conversations-000.json", "chatgpt", 2],
          ["conversations-001.json", "chatgpt", 1],
          ["../../etc/sessions/climb.jsonl", "jsonl", 1],
          ["damaged.json", "chatgpt", 3],
        ],
      );
      assert.deepEqual(
        progress.skipped.map(({ name }) => name),
        ["user.json", "chat.html", "file-8sTideChart-chart.png", "notes/README.md"],
      );
      assert.deepEqual(
        problems.map(({ file, code }) => [file, code]),
        [
          ["locked.json", "zip_encrypted"],
          ["damaged.json", "zip_damaged"],
        ],
      );
      assert.deepEqual((await world.show(importId)).problems, problems);
    });

    test("a broken record is reported with its place and the rest comes in", async (t) => {
      const world = await open(t, dialect);
      const [one, two, three] = (JSON.parse(CHATGPT.toString()) as unknown[]).map((each) =>
        JSON.stringify(each),
      );
      const broken = `${two?.slice(0, 400)}\u0000 tru }`;
      const file = `[\n${one},\n${broken},\n${three}]`;

      const { importId, totals, problems, progress } = await world.import("c.json", file);

      assert.equal(totals.added, 2);
      assert.equal(progress.problems, 1);
      assert.deepEqual(
        problems.map(({ file: name, offset, line, code }) => [name, offset, line, code]),
        [["c.json", Buffer.byteLength(`[\n${one},\n`), 3, "record_broken"]],
      );
      assert.deepEqual((await world.show(importId)).problems, problems);
    });

    test("an import that is interrupted stays where it was, and goes on to the same end", async (t) => {
      const world = await open(t, dialect);
      const reference = await open(t, dialect);
      const exported = manyConversations(250);
      await reference.import("c.json", exported);
      const file = await world.upload("c.json", exported);
      const leaving = new AbortController();
      const started = world.as(
        OPERATOR,
        "import.start",
        { file },
        {
          signal: leaving.signal,
          report: () => leaving.abort(),
        },
      );
      await assert.rejects(started, { name: "AbortError" });
      const [left] = await world.list();
      const partly = (await world.stored()).length;
      assert.equal(left?.state, "interrupted");
      assert.ok(partly > 0 && partly < 250, String(partly));

      const resumed = (await world.as(OPERATOR, "import.resume", {
        importId: left?.id,
      })) as ImportResult;

      assert.deepEqual([resumed.totals.added, resumed.totals.messagesAdded], [250, 750]);
      const words = async (each: ImportWorld) =>
        new Map((await each.stored()).map(({ sourceId, said }) => [sourceId, said]));
      assert.deepEqual(await words(world), await words(reference));
      assert.deepEqual(await world.examine(), []);
      await assert.rejects(world.as(OPERATOR, "import.resume", { importId: left?.id }), {
        code: "import_completed",
      });
    });
  });
}

describe("importing", () => {
  test("a server goes on by itself with what was interrupted, and says so when it cannot", async (t) => {
    const world = await open(t, "sqlite");
    const file = await world.upload("c.json", manyConversations(150));
    const gone = await world.upload("c.json", manyConversations(150), STRANGER);
    for (const [who, id] of [
      [OPERATOR, file],
      [STRANGER, gone],
    ] as const) {
      const leaving = new AbortController();
      const started = world.as(
        who,
        "import.start",
        { file: id },
        { signal: leaving.signal, report: () => leaving.abort() },
      );
      await assert.rejects(started);
    }
    await world.kernel.store.write(() =>
      execute(db.updateTable("user").set({ is_active: 0 }).where("id", "=", "stranger")),
    );

    await resumeImports(world.kernel, new AbortController().signal);

    const [[mine], [theirs]] = [await world.list(), await world.list(STRANGER)];
    assert.deepEqual([mine?.state, mine?.totals.added], ["completed", 150]);
    assert.equal(theirs?.state, "failed");
    assert.match(theirs?.reason ?? "", /not active/);
  });
  test("an import can be stopped by whoever began it, and what came in stays", async (t) => {
    const world = await open(t, "sqlite");
    const file = await world.upload("c.json", manyConversations(250));
    let stopping: Promise<unknown> | undefined;
    const started = world.as(
      OPERATOR,
      "import.start",
      { file },
      {
        report: () => {
          stopping ??= world
            .list()
            .then(([running]) => world.as(OPERATOR, "import.stop", { importId: running?.id }));
        },
      },
    );

    await assert.rejects(started, { code: "import_stopped" });
    await stopping;

    const [stopped] = await world.list();
    assert.equal(stopped?.state, "stopped");
    assert.equal((await world.stored()).length, stopped?.totals.added);
    await assert.rejects(
      world.as(caller("admin", "admin"), "import.stop", { importId: stopped?.id }),
      { code: "import_of_another" },
    );
    const resumed = (await world.as(OPERATOR, "import.resume", {
      importId: stopped?.id,
    })) as ImportResult;
    assert.equal(resumed.totals.added, 250);
  });
  test("whoever has lost an import to another writes no more of it", async (t) => {
    const world = await open(t, "sqlite");
    const file = await world.upload("c.json", manyConversations(250));
    const { store, clock } = world.kernel;
    let taking: Promise<unknown> | undefined;
    const started = world.as(
      OPERATOR,
      "import.start",
      { file },
      {
        report: () => {
          taking ??= world
            .list()
            .then(([running]) =>
              store.write(() =>
                claimImport({ id: running?.id ?? "", worker: "another" }, clock.now() + 60_000),
              ),
            );
        },
      },
    );

    await assert.rejects(started, { code: "import_stopped" });
    await taking;

    const [taken] = await world.list();
    assert.equal(taken?.state, "running");
    assert.ok((taken?.totals.added ?? 0) < 250);
    assert.equal((await world.stored()).length, taken?.totals.added);
  });
  test("people of one project add to the same conversation; viewers of it may not import into it", async (t) => {
    const world = await open(t, "sqlite");
    await project(world, "quay", OPERATOR.userId);
    const act = { actor: "test", now: world.kernel.clock.now() };
    await world.kernel.store.write(() =>
      putProjectMember({ projectId: "quay", userId: "stranger", role: "operator" }, act),
    );
    await world.import("c.json", CHATGPT, { project: "quay" });

    const theirs = await world.import("c.json", CHATGPT, { project: "quay" }, STRANGER);

    assert.deepEqual([theirs.totals.added, theirs.progress.unchanged], [0, 3]);
    await world.kernel.store.write(() =>
      putProjectMember({ projectId: "quay", userId: "stranger", role: "viewer" }, act),
    );
    await assert.rejects(world.import("c.json", CHATGPT, { project: "quay" }, STRANGER), {
      code: "project_role_lacks_it",
    });
  });
  test("a dry run says what would come and writes nothing", async (t) => {
    const world = await open(t, "sqlite");
    const file = await world.upload("c.json", CHATGPT);
    const events = () => world.kernel.store.read(() => query(db.selectFrom("event").select("id")));
    const before = await events();

    const planned = (await world.as(OPERATOR, "import.start", {
      file,
      dryRun: true,
      branch: "all",
    })) as ImportResult;

    assert.deepEqual(await world.stored(), []);
    assert.deepEqual(await events(), before);
    assert.deepEqual(await world.list(), []);
    const done = (await world.as(OPERATOR, "import.start", {
      file,
      branch: "all",
    })) as ImportResult;
    assert.equal(planned.state, "planned");
    assert.deepEqual(planned.totals, done.totals);
    assert.deepEqual(planned.progress, done.progress);
    const second = await world.import("c.json", CHATGPT, { dryRun: true, branch: "all" });
    assert.deepEqual([second.totals.added, second.progress.unchanged], [0, 3]);
  });

  test("a file without conversations is refused with the reason, and leaves nothing behind", async (t) => {
    const world = await open(t, "sqlite");
    const cases: readonly (readonly [string, string | Buffer, RegExp])[] = [
      ["README.md", "Just words.", /nothing in it says who speaks/],
      ["x.json", '{"a":1}', /holds no conversations \(it has a\)/],
      ["empty", "", /it is empty/],
      ["x.zip", zipOf([]), /No conversations were found in "x.zip"/],
    ];
    for (const [name, content, message] of cases) {
      await assert.rejects(world.import(name, content), { code: "import_nothing", message });
    }
    await assert.rejects(
      world.import("cut.zip", zipOf([{ name: "a", content: "x" }]).subarray(0, 40)),
      {
        code: "zip_damaged",
      },
    );

    assert.deepEqual(await world.stored(), []);
    assert.deepEqual(new Set((await world.list()).map(({ state }) => state)), new Set(["failed"]));
  });

  test("a pasted text needs no file; neither or both are refused", async (t) => {
    const world = await open(t, "sqlite");
    const paste = (text: string) =>
      world.as(OPERATOR, "import.start", { text }) as Promise<ImportResult>;

    const first = await paste("User: Hi\nAssistant: Hello");
    const more = await paste("User: Hi\nAssistant: Hello\nUser: More?");

    assert.deepEqual([first.totals.added, more.totals.added, more.totals.messagesAdded], [1, 0, 1]);
    await assert.rejects(world.as(OPERATOR, "import.start", {}), { code: "import_source" });
    await assert.rejects(world.as(OPERATOR, "import.start", { text: "x", file: "y" }), {
      code: "import_source",
    });
  });

  test("an upload of another, one that is not whole, and a role that may not edit are refused", async (t) => {
    const world = await open(t, "sqlite");
    const file = await world.upload("c.json", CHATGPT);

    await assert.rejects(world.as(STRANGER, "import.start", { file }), {
      code: "upload_not_found",
    });
    await assert.rejects(world.as(caller("viewer", "viewer"), "import.start", { file }), {
      kind: "not_allowed",
    });
  });

  test("the same conversation twice in one file comes once", async (t) => {
    const world = await open(t, "sqlite");
    const [one] = JSON.parse(CHATGPT.toString()) as unknown[];

    const planned = await world.import("c.json", JSON.stringify([one, one, one]), { dryRun: true });
    const { totals } = await world.import("c.json", JSON.stringify([one, one, one]));

    assert.equal(totals.added, 1);
    assert.equal(planned.totals.added, 1);
    assert.equal(totals.messagesAdded, 6);
    assert.equal((await world.stored())[0]?.said.length, 6);
  });

  test("its course is told as events that can be followed", async (t) => {
    const world = await open(t, "sqlite");
    const { importId } = await world.import("c.json", CHATGPT);

    const events = await world.kernel.store.read(() =>
      query(
        db
          .selectFrom("event")
          .select(["type", "actor"])
          .where("stream", "=", importId ?? "")
          .orderBy("seq"),
      ),
    );

    assert.deepEqual(
      events.map(({ type, actor }) => [type, actor]),
      [
        ["import.started", "operator"],
        ["import.advanced", "operator"],
        ["import.completed", "operator"],
      ],
    );
  });
});

async function open(
  t: { after(work: () => Promise<void>): void },
  dialect: Dialect,
): Promise<ImportWorld> {
  const world = await openImportWorld({ dialect });
  t.after(() => world.remove());
  return world;
}

async function project(world: ImportWorld, id: string, ownerId: string): Promise<void> {
  const act = { actor: "test", now: world.kernel.clock.now() };
  await world.kernel.store.write(() =>
    insertProject({ id, name: id, ownerId, visibility: "private" }, act),
  );
}

function manyConversations(count: number): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, n) => ({
      uuid: `c${n}`,
      name: `Conversation ${n}`,
      created_at: new Date(1_760_000_000_000 + n * 1000).toISOString(),
      chat_messages: [0, 1, 2].map((i) => ({
        uuid: `c${n}-m${i}`,
        sender: i % 2 ? "assistant" : "human",
        text: `Message ${i} of conversation ${n}. ${"Tide. ".repeat(20)}`,
      })),
    })),
  );
}
