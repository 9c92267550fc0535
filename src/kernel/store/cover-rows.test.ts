import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { scratchSqlite } from "../../../tests/scratch/scratch-store.ts";
import { backupStore } from "./backup.ts";
import { insertConversation } from "./conversations.ts";
import { ALL_TABLES } from "./furnished-store.suite.ts";
import { insertHighlight } from "./highlights.ts";
import { beginIdempotent, finishIdempotent } from "./idempotency.ts";
import { appendMessages } from "./messages.ts";
import { insertProject } from "./projects.ts";
import { insertRedaction } from "./redactions.ts";
import { insertToken } from "./tokens.ts";
import { insertUser } from "./users.ts";

const act = { actor: "mara", now: 1000 };
const WAYS_IN = ["argon2-of-ada", "sha256-of-a-token"] as const;
const SECRET = "the wrack under stone 7 glows";

async function coveredText(more: Parameters<typeof insertHighlight>[0] | undefined) {
  const { store, folder, remove } = await scratchSqlite(ALL_TABLES);
  try {
    await store.write(function* () {
      yield* insertUser({ id: "mara", displayName: "Mara", role: "admin", email: "m@x" }, act);
      yield* insertUser(
        { id: "ada", displayName: "Ada", role: "viewer", email: "a@x", passwordHash: WAYS_IN[0] },
        act,
      );
      const token = { id: "t", userId: "mara", name: "script", prefix: "tl_1" };
      yield* insertToken({ ...token, tokenHash: WAYS_IN[1] }, act);
      yield* insertProject({ id: "p", name: "Shore", ownerId: "mara" }, act);
      yield* insertConversation({ id: "c", title: "Walk", source: "test", projectIds: ["p"] }, act);
      const said = { id: "m", role: "user", position: 0, content: `Look: ${SECRET}.` } as const;
      yield* appendMessages("c", [said], act);
      if (more !== undefined) yield* insertHighlight(more, act);
      const key = { principal: "mara", route: "packet.compile", key: "k", owner: "o" };
      yield* beginIdempotent({ ...key, requestHash: "h" }, { now: 1000, until: 2000 });
      const answer = { promptText: `Somebody said: ${SECRET}.` };
      const response = JSON.stringify({ kind: "done", output: answer });
      yield* finishIdempotent(key, { statusCode: 200, response }, 1000);
      const hidden = { id: "r", projectId: "p", conversationId: "c", messageId: "m" };
      yield* insertRedaction({ ...hidden, reason: "private" }, act);
    });
    const file = path.join(folder, "covered.jsonl");
    await backupStore(store, { path: file, now: 3000, form: "dump", isCovered: true });
    return readFileSync(file, "utf8");
  } finally {
    await remove();
  }
}

test("an answer kept to be repeated does not tell a redacted message in an export", async () => {
  const said = await coveredText(undefined);

  assert.ok(said.includes("Shore") && !said.includes(SECRET), said);
});

test("what lets people and programs in is in no export that is handed to others", async () => {
  const said = await coveredText(undefined);

  assert.ok(said.includes("Ada"));
  for (const hash of WAYS_IN) assert.ok(!said.includes(hash), hash);
});

test("a text of nothing but brackets does not keep an export from being made", async () => {
  const content = "[".repeat(50_000) + "]".repeat(50_000);

  const said = await coveredText({ id: "b", content, projectId: "p" });

  assert.ok(said.includes(content));
});
