/**
 * Where what is redacted is still kept: packets, harvests, artifacts, exchanges and runs that were made before. They hold it when a redacted
 * passage stands in their words, or when they show something drawn from a redacted conversation or message.
 */

import type { Json } from "../../../kernel/base/json.ts";
import { sourcesInTrace } from "../../../kernel/prompt/prompt-trace.ts";
import { createRedactor } from "../../../kernel/prompt/redactor.ts";
import { isEnded } from "../../../kernel/run/run-state.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import type { StoredMessage } from "../../../kernel/store/exchange-hash.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import {
  findInDrawn,
  isIdle,
  isRedacted,
  loadRedactionScope,
  type RedactionScope,
} from "../../../kernel/store/redaction-scope.ts";
import type { Store } from "../../../kernel/store/store.ts";
import {
  seesArtifact,
  seesExchange,
  seesRun,
  type Viewer,
} from "../../../kernel/store/visibility.ts";
import { findHidden, findHiddenArtifacts } from "../../../kernel/store/withheld-sources.ts";
import { harvests } from "../harvest/harvest-tables.ts";
import { seesHarvest } from "../harvest/harvests.ts";
import { packets } from "../packet/packet-tables.ts";
import { seesPacket } from "../packet/packets.ts";
import { findRunsHolding, listRunTables } from "./run-tables.ts";

export const HOLDING_KINDS = ["packet", "harvest", "artifact", "exchange", "run"] as const;
export type HoldingKind = (typeof HOLDING_KINDS)[number];

export interface Holding {
  readonly kind: HoldingKind;
  readonly id: string;
  readonly createdAt: number;
  /** Still under way: its words are needed until the answer is there. */
  readonly isOpen: boolean;
}

const PAGE = 100;

/** Those of the project that the caller sees, oldest first, page by page: a store may hold many. */
export async function* walkHoldings(
  store: Store,
  projectId: string,
  viewer: Viewer,
): AsyncGenerator<Holding> {
  const scope = await store.read(() => loadRedactionScope([projectId]));
  if (isIdle(scope)) return;
  const holdsPassage = createPassageHunter(scope);
  for (const read of [readPackets, readHarvests, readArtifacts, readExchanges, readRuns]) {
    let after = "";
    for (;;) {
      const from = after;
      const page = await store.read(() => read({ projectId, viewer, scope, holdsPassage, from }));
      yield* page.holdings;
      if (page.last === undefined) break;
      after = page.last;
    }
  }
}

interface PageRequest {
  readonly projectId: string;
  readonly viewer: Viewer;
  readonly scope: RedactionScope;
  readonly holdsPassage: PassageHunter;
  readonly from: string;
}

interface HoldingPage {
  readonly holdings: readonly Holding[];
  readonly last: string | undefined;
}

function* readPackets(request: PageRequest): DatabaseWork<HoldingPage> {
  const { projectId, viewer, from } = request;
  const rows = yield* query(
    packets
      .selectFrom("packet")
      .select(["id", "created_at", "title", "custom_intent", "text", "trace", "answer"])
      .where("project_id", "=", projectId)
      .where("id", ">", from)
      .where("purged_at", "is", null)
      .where(seesPacket(viewer))
      .orderBy("id")
      .limit(PAGE),
  );
  const holdings: Holding[] = [];
  for (const { id, created_at, trace, ...words } of rows) {
    if (!(yield* holds(request, Object.values(words), trace))) continue;
    holdings.push({ kind: "packet", id, createdAt: created_at, isOpen: false });
  }
  return { holdings, last: rows.at(-1)?.id };
}

function* readHarvests(request: PageRequest): DatabaseWork<HoldingPage> {
  const { projectId, viewer, scope, holdsPassage, from } = request;
  const rows = yield* query(
    harvests
      .selectFrom("harvest")
      .select(["id", "created_at", "answer", "conversation_id"])
      .where("project_id", "=", projectId)
      .where("id", ">", from)
      .where("purged_at", "is", null)
      .where(seesHarvest(viewer))
      .orderBy("id")
      .limit(PAGE),
  );
  const holdings: Holding[] = [];
  for (const { id, created_at, answer, conversation_id } of rows) {
    const candidates = yield* query(
      harvests
        .selectFrom("harvest_candidate")
        .select(["title", "body", "quote", "replaces", "undo", "message_id"])
        .where("harvest_id", "=", id),
    );
    const isDrawn = candidates.some(({ message_id }) =>
      isRedacted(scope, { conversationId: conversation_id, messageId: message_id }),
    );
    const words = [answer, ...candidates.flatMap((each) => Object.values(each))];
    if (!isDrawn && !words.some((text) => text !== null && holdsPassage(text))) continue;
    holdings.push({ kind: "harvest", id, createdAt: created_at, isOpen: false });
  }
  return { holdings, last: rows.at(-1)?.id };
}

function* readArtifacts(request: PageRequest): DatabaseWork<HoldingPage> {
  const { projectId, viewer, scope, holdsPassage, from } = request;
  const rows = yield* query(
    db
      .selectFrom("artifact")
      .select(["artifact.id", "artifact.created_at", "artifact.body", "artifact.inputs"])
      .where("artifact.project_id", "=", projectId)
      .where("artifact.id", ">", from)
      .where("artifact.body", "is not", null)
      .where(seesArtifact(viewer))
      .orderBy("artifact.id")
      .limit(PAGE),
  );
  const hidden = yield* findHiddenArtifacts(
    rows.map(({ id, inputs }) => ({ id, inputs: JSON.parse(inputs) as readonly Json[] })),
    scope,
  );
  const holdings = rows
    .filter(({ id, body }) => hidden.has(id) || (body !== null && holdsPassage(body)))
    .map(({ id, created_at }) => ({
      kind: "artifact" as const,
      id,
      createdAt: created_at,
      isOpen: false,
    }));
  return { holdings, last: rows.at(-1)?.id };
}

/** Exchanges of no project count too: nobody can tell what their words are about. */
function* readExchanges(request: PageRequest): DatabaseWork<HoldingPage> {
  const { projectId, viewer, from } = request;
  const rows = yield* query(
    db
      .selectFrom("exchange")
      .innerJoin("run", "run.id", "exchange.run_id")
      .leftJoin("answer", "answer.exchange_id", "exchange.id")
      .select(["exchange.id", "exchange.created_at", "exchange.messages", "exchange.trace"])
      .select(["answer.exchange_id as answered", "answer.reply", "answer.reading"])
      .where((where) =>
        where.or([where("run.project_id", "=", projectId), where("run.project_id", "is", null)]),
      )
      .where("exchange.id", ">", from)
      .where("exchange.messages", "<>", "[]")
      .where(seesExchange(viewer))
      .orderBy("exchange.id")
      .limit(PAGE),
  );
  const holdings: Holding[] = [];
  for (const { id, created_at, messages, trace, answered, reply, reading } of rows) {
    const words = [...(yield* wordsOf(messages)), reply, reading];
    if (!(yield* holds(request, words, trace))) continue;
    holdings.push({ kind: "exchange", id, createdAt: created_at, isOpen: answered === null });
  }
  return { holdings, last: rows.at(-1)?.id };
}

/** Of what a run was asked and gave nobody knows where each word came from: passages are looked for. */
function* readRuns(request: PageRequest): DatabaseWork<HoldingPage> {
  const { projectId, viewer, scope, holdsPassage, from } = request;
  if (scope.passages.length === 0) return { holdings: [], last: undefined };
  const rows = yield* query(
    db
      .selectFrom("run")
      .select(["run.id", "run.created_at", "run.state"])
      .select(["run.title", "run.reason", "run.input", "run.result", "run.data"])
      .where((where) =>
        where.or([where("run.project_id", "=", projectId), where("run.project_id", "is", null)]),
      )
      .where("run.id", ">", from)
      .where(seesRun(viewer))
      .orderBy("run.id")
      .limit(PAGE),
  );
  const holding = yield* findRunsHolding(
    yield* listRunTables(),
    rows.map(({ id }) => id),
    (text) => holdsPassage(text.replaceAll(/\\[nrt]/g, " ")),
  );
  const holdings = rows
    .filter(
      ({ id, title, reason, input, result, data }) =>
        holding.has(id) ||
        [title, reason, input, result, data].some((text) => text !== null && holdsPassage(text)),
    )
    .map(({ id, created_at, state }) => ({
      kind: "run" as const,
      id,
      createdAt: created_at,
      isOpen: !isEnded(state),
    }));
  return { holdings, last: rows.at(-1)?.id };
}

function* wordsOf(messages: string): DatabaseWork<readonly string[]> {
  const stored = JSON.parse(messages) as readonly StoredMessage[];
  const shared = stored.flatMap((message) => ("shared" in message ? [message.shared] : []));
  const texts =
    shared.length === 0
      ? []
      : yield* query(db.selectFrom("text").select("body").where("hash", "in", shared));
  const own = stored.flatMap((message) => ("text" in message ? [message.text] : []));
  return [...own, ...texts.map(({ body }) => body)];
}

function* holds(
  { scope, holdsPassage }: PageRequest,
  words: readonly (string | null)[],
  trace: string | null,
): DatabaseWork<boolean> {
  const kept = [...words, trace].filter((text) => text !== null);
  if (kept.some(holdsPassage)) return true;
  if (trace === null) return false;
  return (yield* findHidden(sourcesInTrace(trace), scope)).size > 0;
}

/** Whether a text repeats a redacted passage, however its white space is set. */
export type PassageHunter = (text: string) => boolean;

/** Costs time in the length of all passages: make it once and use it for every text. */
export function createPassageHunter(scope: RedactionScope): PassageHunter {
  if (scope.passages.length === 0) return () => false;
  const hunter = createRedactor({ texts: scope.passages.map((each) => each.text), finders: [] });
  return (text) => hunter.find(text).length > 0 || findInDrawn(scope, NOWHERE, text).length > 0;
}

const NOWHERE = { conversationId: null, messageId: null };
