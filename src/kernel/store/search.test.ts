import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { systemClock } from "../base/clock.ts";
import { hashText } from "../base/hash.ts";
import { createIdSource } from "../base/ids.ts";
import type { Act } from "./audited-rows.ts";
import {
  archiveConversation,
  deleteConversation,
  insertConversation,
  restoreConversation,
  updateConversation,
} from "./conversations.ts";
import { type DatabaseWork, execute } from "./database-work.ts";
import { insertDecision } from "./decisions.ts";
import { engineTables } from "./engine-migration.ts";
import { insertHighlight } from "./highlights.ts";
import { appendMessages } from "./messages.ts";
import { nounTables } from "./noun-migration.ts";
import { insertProject } from "./projects.ts";
import { db } from "./query-builder.ts";
import { REDACTION_MARK } from "./redacted-text.ts";
import { deleteRedaction, insertRedaction } from "./redactions.ts";
import { countPending, indexPending, refreshSearch } from "./search-index.ts";
import { searchTables } from "./search-migration.ts";
import { parseSearch } from "./search-terms.ts";
import { type SearchRequest, searchThinking } from "./search-thinking.ts";
import { archiveTask, deleteTask, insertTask, updateTask } from "./tasks.ts";
import { insertUser } from "./users.ts";

const act: Act = { actor: "ann", now: 1000 };
const migrations = [engineTables, nounTables, searchTables];

async function furnished(dialect: "sqlite" | "postgres") {
  const scratch = await scratchStore(dialect, migrations);
  const ids = createIdSource({ now: () => 1_700_000_000_000 });
  const write = <Result>(work: () => DatabaseWork<Result>) => scratch.store.write(work);
  await write(() => insertUser({ id: "ann", displayName: "a", role: "operator" }, act));
  await write(() => insertUser({ id: "bob", displayName: "b", role: "operator" }, act));
  for (const id of ["p1", "p2"]) {
    await write(() => insertProject({ id, name: id, ownerId: "ann" }, act));
  }
  const find = async (text: string, more: Partial<SearchRequest> = {}) => {
    await refreshSearch(scratch.store, { clock: systemClock, budgetMs: 10_000 });
    return scratch.store.read(() =>
      searchThinking(dialect, { viewer: "everything", text, ...more }),
    );
  };
  const findIds = async (text: string, more: Partial<SearchRequest> = {}) =>
    (await find(text, more)).hits.map(({ id }) => id).toSorted();
  const converse = async (
    id: string,
    contents: readonly string[],
    projectIds: string[] = ["p1"],
  ) => {
    await write(() =>
      insertConversation({ id, title: `About ${id}`, source: "test", projectIds }, act),
    );
    const messages = contents.map((content, position) => ({
      id: `${id}-${position}`,
      role: "user" as const,
      position,
      content,
    }));
    await write(() => appendMessages(id, messages, act));
  };
  return { ...scratch, dialect, ids, write, find, findIds, converse };
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`search on ${dialect}`, async () => {
    const { store, remove, write, find, findIds, converse, ids } = await furnished(dialect);

    test("every kind of thinking is found, with title, snippet and project", async () => {
      await converse("c1", ["We measured the Aurora cache at dawn."]);
      await write(() =>
        insertHighlight(
          { id: "h1", content: "aurora is quick", label: "speed", messageId: "c1-0" },
          act,
        ),
      );
      await write(() =>
        insertTask({ id: "t1", title: "Tune aurora", projectId: "p1", description: "d" }, act),
      );
      await write(() =>
        insertDecision({ id: "d1", title: "Use Aurora", content: "because", projectId: "p1" }, act),
      );
      const body = "An artifact on aurora.";
      await write(() =>
        execute(
          db.insertInto("artifact").values({
            id: "a1",
            project_id: "p1",
            run_id: null,
            job_id: null,
            exchange_id: null,
            kind: "doc",
            identity: "x",
            path: "notes/light.md",
            media_type: "text/markdown",
            body,
            hash: hashText(body),
            bytes: body.length,
            state: "complete",
            created_at: 5,
          }),
        ),
      );

      const { hits, pending } = await find("AURORA");

      assert.equal(pending, 0);
      assert.deepEqual(
        new Set(hits.map(({ kind, id }) => `${kind} ${id}`)),
        new Set(["message c1-0", "highlight h1", "task t1", "decision d1", "artifact a1"]),
      );
      for (const hit of hits) assert.equal(hit.projectId, "p1", hit.kind);
      const message = hits.find(({ kind }) => kind === "message")!;
      assert.equal(message.title, "About c1");
      const [mark] = message.snippet.marks;
      assert.equal(message.snippet.text.slice(mark!.start, mark!.end), "Aurora");
      assert.deepEqual(await findIds("aurora", { kinds: ["task", "decision"] }), ["d1", "t1"]);
      assert.deepEqual(await findIds("about c1", { kinds: ["conversation"] }), ["c1"]);
    });

    test("all words must occur, the last may be unfinished, accents, case and width do not matter", async () => {
      await converse("c2", [
        "Crème brûlée für Zoë ＡＢＣ",
        "plain creme",
        "東京タワーへ行く",
        "snake_case kebab-case user@example.org 3.14",
      ]);

      assert.deepEqual(await findIds("CREME brul"), ["c2-0"]);
      assert.deepEqual(await findIds("brul "), []);
      assert.deepEqual(await findIds("brulee "), ["c2-0"]);
      assert.deepEqual(await findIds("creme"), ["c2-0", "c2-1"]);
      assert.deepEqual(await findIds("zoe abc"), ["c2-0"]);
      assert.deepEqual(await findIds("タワー"), ["c2-2"]);
      assert.deepEqual(await findIds("京"), ["c2-2"]);
      assert.deepEqual(await findIds("snake example 14"), ["c2-3"]);
      assert.deepEqual(await findIds("case user org"), ["c2-3"]);
    });

    test("no text a person can type is an error of the database", async () => {
      const nasty = [
        '"',
        "'",
        "a'b",
        'AND "OR" NOT',
        "NEAR(a b)",
        "col:x",
        "a*",
        "^x",
        "-x",
        "{x}",
        "x\\",
        "a\0b",
        "\uD800x",
        ":*",
        "&|!<->",
        "%_",
        "'); drop table task; --",
      ];
      for (const text of nasty) {
        if (text.replaceAll(/[^\p{L}\p{N}]/gu, "") === "") {
          await assert.rejects(find(text), { code: "search_empty" });
        } else {
          assert.ok(Array.isArray((await find(text)).hits), text);
        }
      }
      await assert.rejects(find("w ".repeat(25)), { code: "search_too_long" });
      await assert.rejects(find("w", { cursor: "x" }), { code: "cursor_invalid" });
      await assert.rejects(find("w", { limit: 500 }), { code: "page_limit" });
    });

    test("the index follows changes, archiving and deletion", async () => {
      await write(() => insertTask({ id: "t9", title: "quokka" }, act));
      assert.deepEqual(await findIds("quokka"), ["t9"]);
      await write(() => updateTask("t9", { title: "wombat" }, act));
      assert.deepEqual([await findIds("quokka"), await findIds("wombat")], [[], ["t9"]]);
      await write(() => archiveTask("t9", act));
      assert.deepEqual(await findIds("wombat"), []);
      await write(() => deleteTask("t9", act));
      await converse("c9", ["numbat"]);
      assert.deepEqual(await findIds("numbat"), ["c9-0"]);
      await write(() => archiveConversation("c9", act));
      assert.deepEqual(await findIds("numbat"), []);
      await write(() => restoreConversation("c9", act));
      await write(() => updateConversation("c9", { title: "Bilby" }, act));
      assert.deepEqual(await findIds("bilby"), ["c9"]);
      await write(() => deleteConversation("c9", act));
      assert.deepEqual([await findIds("numbat"), await findIds("bilby")], [[], []]);
      const left = await store.read(() => countPending());
      assert.equal(left, 0);
    });

    test("what waits to be indexed is said, not hidden", async () => {
      await write(() => insertTask({ id: "t10", title: "dugong" }, act));

      const stale = await store.read(() =>
        searchThinking(dialect, { viewer: "everything", text: "dugong" }),
      );
      await write(() => indexPending(dialect));
      const fresh = await store.read(() =>
        searchThinking(dialect, { viewer: "everything", text: "dugong" }),
      );

      assert.deepEqual(
        [stale.hits.length, stale.pending, fresh.hits.length, fresh.pending],
        [0, 1, 1, 0],
      );
    });

    test("pages go through all hits once, best first", async () => {
      for (let i = 0; i < 23; i += 1) {
        await write(() =>
          insertTask(
            {
              id: ids.next(),
              title: i === 4 ? "kiwi kiwi kiwi" : `other ${i}`,
              description: "the kiwi bird",
            },
            act,
          ),
        );
      }
      const seen: string[] = [];
      const scores: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await find("kiwi", { limit: 5, cursor });
        seen.push(...page.hits.map(({ id }) => id));
        scores.push(...page.hits.map(({ score }) => score));
        cursor = page.nextCursor;
      } while (cursor !== undefined);

      assert.equal(seen.length, 23);
      assert.equal(new Set(seen).size, 23);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
    });

    test("a person finds only what they see, and is told only of projects they see", async () => {
      const bob = { userId: "bob", role: "operator" } as const;
      await write(() =>
        insertProject({ id: "open", name: "o", ownerId: "ann", visibility: "workspace" }, act),
      );
      await converse("c3", ["the hidden marmot"]);
      await converse("c4", ["the shared marmot"], ["p1", "open"]);
      await write(() => insertTask({ id: "t3", title: "marmot", projectId: "p1" }, act));

      assert.deepEqual(await findIds("marmot", { viewer: bob }), ["c4-0"]);
      const [hit] = (await find("marmot", { viewer: bob })).hits;
      assert.equal(hit?.projectId, "open");
      assert.deepEqual(await findIds("marmot", { viewer: { userId: "ann", role: "operator" } }), [
        "c3-0",
        "c4-0",
        "t3",
      ]);
      assert.deepEqual(await findIds("marmot", { projectIds: ["open"] }), ["c4-0"]);
      assert.deepEqual(await findIds("marmot", { projectIds: [] }), []);
    });

    test("redacted conversations and messages are not found, nor what was drawn from them", async () => {
      await converse("c5", ["capybara one", "capybara two"], ["p1", "p2"]);
      await write(() => insertHighlight({ id: "h5", content: "capybara", messageId: "c5-0" }, act));
      await write(() =>
        insertTask({ id: "t5", title: "capybara", source: { type: "highlight", id: "h5" } }, act),
      );
      await write(() =>
        insertTask({ id: "t5b", title: "capybara", source: { type: "message", id: "c5-0" } }, act),
      );
      await write(() => insertDecision({ id: "d5", title: "capybara", conversationId: "c5" }, act));
      const all = ["c5-0", "c5-1", "d5", "h5", "t5", "t5b"];
      assert.deepEqual(await findIds("capybara"), all);

      await write(() =>
        insertRedaction({ id: "r1", projectId: "p1", messageId: "c5-0", reason: "r" }, act),
      );
      assert.deepEqual(await findIds("capybara"), ["c5-1", "d5"]);
      assert.deepEqual(await findIds("capybara", { projectIds: ["p1"] }), ["c5-1", "d5"]);
      assert.deepEqual(await findIds("capybara", { projectIds: ["p2"] }), [
        "c5-0",
        "c5-1",
        "d5",
        "h5",
      ]);
      await write(() =>
        insertRedaction({ id: "r2", projectId: "p1", conversationId: "c5", reason: "r" }, act),
      );
      assert.deepEqual(await findIds("capybara"), []);
      await write(() => deleteRedaction("r1", act));
      await write(() => deleteRedaction("r2", act));
      assert.deepEqual(await findIds("capybara"), all);
    });

    test("a redacted passage shows as a mark, and words only inside it do not find the message", async () => {
      const secret = "the launch code is   8842";
      const content = `Before pangolin, ${secret}, after pangolin.`;
      await converse("c6", [content, "Again: The Launch\ncode is 8842 pangolin"]);
      await write(() =>
        insertHighlight(
          { id: "h6", content: "launch code is 8842, after pangolin", messageId: "c6-0" },
          act,
        ),
      );
      const start = content.indexOf(secret);
      await write(() =>
        insertRedaction(
          {
            id: "r6",
            projectId: "p1",
            messageId: "c6-0",
            span: { start, end: start + secret.length },
            reason: "r",
          },
          act,
        ),
      );

      const { hits } = await find("pangolin");

      assert.deepEqual(hits.map(({ id }) => id).toSorted(), ["c6-0", "c6-1", "h6"]);
      for (const { snippet } of hits) {
        assert.ok(snippet.text.includes(REDACTION_MARK), snippet.text);
        assert.ok(!/launch|8842/i.test(snippet.text), snippet.text);
      }
      assert.deepEqual(await findIds("launch code"), []);
      assert.deepEqual(await findIds("8842"), []);
      await write(() => deleteRedaction("r6", act));
      assert.deepEqual(await findIds("launch code"), ["c6-0", "c6-1", "h6"]);
    });

    test("a text with more different words than one vector holds is indexed whole", async () => {
      const words = Array.from(
        { length: 60_000 },
        (_, i) => `w${hashText(String(i)).slice(0, 20)}`,
      );
      await converse("c7", [`${words.join(" ")} okapi`]);

      assert.deepEqual(await findIds("okapi"), ["c7-0"]);
      assert.deepEqual(await findIds(words[7]!), ["c7-0"]);
      assert.deepEqual(await findIds(words.at(-3)!), ["c7-0"]);
    });

    test("closing", remove);
  });
}

test("both databases find the same for any words", async () => {
  const stores = [await furnished("sqlite"), await furnished("postgres")];
  const word = fc.constantFrom(
    "red",
    "Reden",
    "naïve",
    "NAIVE",
    "x1",
    "1e5",
    "12abc",
    "a-b",
    "foo_bar",
    "北京",
    "ok",
    "3.5",
    "don't",
    "ﬁne",
  );
  const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
  const texts = fc.sample(sentence, { numRuns: 80, seed: 7 });
  for (const { converse } of stores) await converse("c", texts);

  for (const text of fc.sample(sentence, { numRuns: 60, seed: 8 })) {
    const asked = text.split(" ").slice(0, 3).join(" ");
    const [one, two] = [
      await stores[0]!.findIds(asked, { limit: 200 }),
      await stores[1]!.findIds(asked, { limit: 200 }),
    ];
    const query = parseSearch(asked);
    assert.deepEqual(one, two, `${asked} → ${JSON.stringify(query)}`);
  }
  for (const { remove } of stores) await remove();
});
