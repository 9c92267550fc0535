/** A store with something in every table, made the way the product makes it, for the tests of whole stores. */

import { hashText } from "../base/hash.ts";
import type { IdSource } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import type { Act } from "./audited-rows.ts";
import { insertConversation } from "./conversations.ts";
import { type DatabaseWork, execute, query } from "./database-work.ts";
import { insertDecision } from "./decisions.ts";
import { engineTables } from "./engine-migration.ts";
import { appendEvents } from "./events.ts";
import { promptHash } from "./exchange-hash.ts";
import { insertHighlight } from "./highlights.ts";
import { beginIdempotent } from "./idempotency.ts";
import { insertLoginCode } from "./login-codes.ts";
import { insertLogin } from "./logins.ts";
import { appendMessages } from "./messages.ts";
import { nounTables } from "./noun-migration.ts";
import { putProjectMember } from "./project-members.ts";
import { insertProject } from "./projects.ts";
import { db } from "./query-builder.ts";
import { insertRedaction } from "./redactions.ts";
import { searchTables } from "./search-migration.ts";
import { putSetting } from "./settings.ts";
import type { Store } from "./store.ts";
import { insertTask, updateTask } from "./tasks.ts";
import { insertTeam } from "./teams.ts";
import { insertToken } from "./tokens.ts";
import { insertUser } from "./users.ts";

/**
 * The whole log as it is. Followers of the log on PostgreSQL stop below the oldest open transaction of the
 * server, which in a test may be a neighbour's.
 */
export async function listAllEvents(store: Store) {
  const rows = await store.read(() =>
    query(db.selectFrom("event").selectAll().orderBy("transaction_id").orderBy("id")),
  );
  return rows.map(({ type, actor, at, hash, data }) => ({
    type,
    actor,
    at,
    hash,
    data: data === null ? undefined : (JSON.parse(data) as Json),
  }));
}

export const ALL_TABLES = [engineTables, nounTables, searchTables];

/** `size` conversations with thoughts, and as many finished runs with exchanges and artifacts. */
export function* furnish(ids: IdSource, size: number, act: Act): DatabaseWork<void> {
  const [ownerId, guestId, projectId] = [ids.next(), ids.next(), ids.next()];
  yield* insertUser({ id: ownerId, displayName: "Owner", role: "admin", email: "o@x" }, act);
  yield* insertUser({ id: guestId, displayName: "Güst 🜁", role: "viewer" }, act);
  yield* insertToken(
    { id: ids.next(), userId: ownerId, name: "t", tokenHash: "th", prefix: "tl" },
    act,
  );
  yield* insertLogin(
    { id: ids.next(), userId: ownerId, cookieHash: "ch", originSecretHash: "oh", expiresAt: 9e12 },
    act,
  );
  yield* insertLoginCode({ codeHash: "code", userId: ownerId, expiresAt: 9e12 }, act);
  const request = { principal: ownerId, route: "r", key: "k", requestHash: "h", owner: "o" };
  yield* beginIdempotent(request, { now: act.now, until: act.now });
  yield* insertProject(
    { id: projectId, name: "Pröject", ownerId, glossary: [{ term: "a", meaning: "b" }] },
    act,
  );
  yield* putProjectMember({ projectId, userId: guestId, role: "viewer" }, act);
  yield* putSetting({ scope: "project", projectId }, { key: "budget", value: 1.5 }, act);
  yield* insertTeam({ id: ids.next(), name: "Team", members: [{ name: "chair" }], projectId }, act);
  for (let i = 0; i < size; i += 1) {
    yield* furnishThinking(ids, { i, projectId, ownerId }, act);
    yield* furnishRun(ids, { i, projectId, ownerId }, act);
  }
}

interface Place {
  readonly i: number;
  readonly projectId: string;
  readonly ownerId: string;
}

function* furnishThinking(
  ids: IdSource,
  { i, projectId, ownerId }: Place,
  act: Act,
): DatabaseWork<void> {
  const [conversationId, messageId, highlightId, parentId] = [
    ids.next(),
    ids.next(),
    ids.next(),
    ids.next(),
  ];
  yield* insertConversation(
    {
      id: conversationId,
      title: `Talk ${i}`,
      source: "test",
      sourceId: `s${i}`,
      projectIds: [projectId],
    },
    act,
  );
  yield* appendMessages(
    conversationId,
    [
      {
        id: messageId,
        role: "user",
        position: 0,
        content: `What about "${i}"?\n\u2028 naïve 東京`,
        sourceId: "m0",
      },
      { id: ids.next(), role: "assistant", position: 1, content: `It is ${i}. `.repeat(20), at: i },
    ],
    act,
  );
  yield* insertHighlight(
    { id: highlightId, content: `about ${i}`, label: "l", messageId, span: { start: 0, end: 4 } },
    act,
  );
  yield* insertTask(
    {
      id: parentId,
      title: `Parent ${i}`,
      projectId,
      source: { type: "highlight", id: highlightId, quote: "q" },
    },
    act,
  );
  const childId = ids.next();
  yield* insertTask(
    {
      id: childId,
      title: `Child ${i}`,
      parentId,
      projectId,
      assigneeId: ownerId,
      confidence: 0.1 + i / 1000,
      description: "[blocker]",
    },
    act,
  );
  yield* updateTask(childId, { status: "in_progress" }, act);
  const first = ids.next();
  yield* insertDecision({ id: first, title: `Decide ${i}`, conversationId }, act);
  yield* insertDecision(
    { id: ids.next(), title: `Decide ${i} again`, conversationId, supersedesId: first },
    act,
  );
  yield* insertRedaction(
    { id: ids.next(), projectId, messageId, span: { start: 1, end: 3 }, reason: "r" },
    act,
  );
}

function* furnishRun(
  ids: IdSource,
  { i, projectId, ownerId }: Place,
  { now }: Act,
): DatabaseWork<void> {
  const [runId, jobId, exchangeId] = [ids.next(), ids.next(), ids.next()];
  const shared = "You are careful.";
  const text = `Prompt number ${i}: ${"word ".repeat(30)}`;
  const reply = `Reply number ${i}: ${"answer ".repeat(40)}`;
  const body = `# Document ${i}\n${"line\n".repeat(20)}`;
  const finished = { created_at: now, finished_at: now };
  yield* execute(
    db.insertInto("run").values({
      id: runId,
      project_id: projectId,
      method: "ask",
      title: `Run ${i}`,
      state: "completed",
      reason: null,
      input: "{}",
      result: null,
      key: null,
      limits: "{}",
      parent_run_id: null,
      on_end: null,
      started_by: ownerId,
      jobs: 1,
      turns: 1,
      input_tokens: 1,
      output_tokens: 2,
      cost_micro_usd: 3,
      started_at: now,
      ...finished,
    }),
  );
  yield* execute(
    db.insertInto("job").values({
      id: jobId,
      run_id: runId,
      key: "k",
      kind: "turn",
      handler: "h",
      step: "s",
      item: null,
      input: "{}",
      state: "done",
      lane: "l",
      run_at: now,
      worker: null,
      lease_until: null,
      batch_id: null,
      progress: null,
      failure: null,
      message: null,
      ...finished,
    }),
  );
  yield* execute(
    db
      .insertInto("text")
      .values({ hash: hashText(shared), body: shared })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const messages = [
    { role: "system", shared: hashText(shared) },
    { role: "user", text },
  ];
  yield* execute(
    db.insertInto("exchange").values({
      id: exchangeId,
      run_id: runId,
      job_id: jobId,
      step: "s",
      item: null,
      attempt: 1,
      continuation: 0,
      model: "m",
      contract: "c",
      messages: JSON.stringify(messages),
      prompt_hash: promptHash([
        { role: "system", text: shared },
        { role: "user", text },
      ]),
      trace: JSON.stringify({ parts: [i] }),
      created_at: now,
    }),
  );
  yield* execute(
    db.insertInto("answer").values({
      exchange_id: exchangeId,
      run_id: runId,
      outcome: "answered",
      reply,
      reply_hash: hashText(reply),
      finish: "stop",
      raw_finish: "stop",
      reading: null,
      failure: null,
      input_tokens: 1,
      output_tokens: 2,
      cached_tokens: null,
      cost_micro_usd: 3,
      is_cost_estimated: 0,
      finished_at: now,
    }),
  );
  yield* execute(db.insertInto("delta").values({ exchange_id: exchangeId, body: "partial" }));
  yield* execute(
    db.insertInto("effect").values({
      key: `effect ${runId}`,
      run_id: runId,
      job_id: jobId,
      exchange_id: exchangeId,
      kind: "k",
      data: "{}",
      at: now,
    }),
  );
  yield* execute(
    db.insertInto("artifact").values({
      id: ids.next(),
      project_id: projectId,
      run_id: runId,
      job_id: jobId,
      exchange_id: exchangeId,
      kind: "doc",
      identity: `d${i}`,
      path: `d/${i}.md`,
      media_type: "text/markdown",
      body,
      hash: hashText(body),
      bytes: Buffer.byteLength(body),
      state: "complete",
      created_at: now,
    }),
  );
  yield* appendEvents(
    ["run.started", "turn.answered", "run.completed"].map((type) => ({
      stream: runId,
      type,
      projectId,
      actor: "engine",
      data: { i, runId },
    })),
    now,
  );
}
