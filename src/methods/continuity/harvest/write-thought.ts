/** Makes thoughts of candidates. Every one says which words it came from; what it changes can be put back. */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import {
  deleteDecision,
  getDecision,
  insertDecision,
  restoreDecision,
  updateDecision,
} from "../../../kernel/store/decisions.ts";
import {
  deleteHighlight,
  getHighlight,
  insertHighlight,
  updateHighlight,
} from "../../../kernel/store/highlights.ts";
import { getTask } from "../../../kernel/store/task-lists.ts";
import { deleteTask, insertTask, updateTask } from "../../../kernel/store/tasks.ts";
import type { NewThoughtSource } from "../../../kernel/store/thought-source.ts";
import type { Candidate, Made } from "./candidates.ts";
import type { Outcome } from "./harvest-tables.ts";
import type { Harvest } from "./harvests.ts";
import type { Changes, ExistingRef } from "./matching/match-candidate.ts";
import type { CandidateType } from "./reading/candidate-types.ts";
import { contentHashOf } from "./thought-content.ts";

export function* createThought(
  id: string,
  harvest: Harvest,
  candidate: Candidate,
  act: Act,
  /** The decision that it puts to rest. */
  supersedesId?: string,
): DatabaseWork<Made> {
  yield* insert(id, harvest, candidate, act, supersedesId);
  const ref = { type: candidate.type, id };
  if (supersedesId === undefined) return yield* madeOf(ref, "created");
  const hash = yield* contentHashOf({ type: "decision", id: supersedesId });
  return yield* madeOf(ref, "superseded", { id: supersedesId, hash: hash ?? null });
}

function* insert(
  id: string,
  harvest: Harvest,
  { type, title, text, isBlocker, isOpenLoop, quote }: Candidate,
  act: Act,
  supersedesId: string | undefined,
): DatabaseWork<void> {
  const { projectId } = harvest;
  const source = sourceOf(harvest, quote);
  const place = quote.messageId === undefined ? {} : { messageId: quote.messageId };
  switch (type) {
    case "task":
      yield* insertTask(
        {
          id,
          title: title ?? text,
          ...(text === "" || title === undefined ? {} : { description: text }),
          projectId,
          isBlocker,
          isOpenLoop,
          source,
        },
        act,
      );
      return;
    case "decision":
      yield* insertDecision(
        { id, title: title ?? text, content: text, projectId, supersedesId, source, ...place },
        act,
      );
      return;
    case "highlight": {
      const { start, end } = quote;
      const span = quote.messageId === undefined ? {} : { span: { start, end } };
      yield* insertHighlight(
        { id, content: text, label: title, projectId, source, ...place, ...span },
        act,
      );
    }
  }
}

/** The packet that was answered, or the message that it was said in. */
function sourceOf(
  { packetId, conversationId }: Harvest,
  { text, messageId }: Candidate["quote"],
): NewThoughtSource {
  if (packetId !== undefined) return { type: "packet", id: packetId, quote: text };
  return messageId === undefined
    ? { type: "conversation", id: conversationId ?? "", quote: text }
    : { type: "message", id: messageId, quote: text };
}

export function* updateThought(ref: ExistingRef, changes: Changes, act: Act): DatabaseWork<Made> {
  const before = yield* readWords(ref);
  yield* writeWords(ref, changes, act);
  return yield* madeOf(ref, "updated", before);
}

export function linkThought({ type, id }: ExistingRef): Made {
  return { type, id, outcome: "linked", hash: undefined, undo: undefined };
}

const superseded = z.object({ id: z.string(), hash: z.string().nullable() });
const words = z.object({ title: z.string().nullable(), text: z.string().nullable() });

/** Throws where others have built on it since. */
export function* takeBack({ type, id, outcome, undo }: Made, act: Act): DatabaseWork<void> {
  if (outcome === "linked") return;
  if (outcome === "updated") {
    yield* writeWords({ type, id }, words.parse(undo), act);
    return;
  }
  yield* DELETE[type](id, act);
  if (outcome === "superseded") yield* restoreDecision(superseded.parse(undo).id, act);
}

/** The decision it put to rest, with what its row said then. */
export function supersededBy({ outcome, undo }: Made) {
  return outcome === "superseded" ? superseded.parse(undo) : undefined;
}

const DELETE: Readonly<Record<CandidateType, (id: string, act: Act) => DatabaseWork<void>>> = {
  task: deleteTask,
  decision: deleteDecision,
  highlight: deleteHighlight,
};

function* madeOf(ref: ExistingRef, outcome: Outcome, undo?: Json): DatabaseWork<Made> {
  return { ...ref, outcome, hash: yield* contentHashOf(ref), undo };
}

type Words = z.output<typeof words>;

function* readWords({ type, id }: ExistingRef): DatabaseWork<Words> {
  switch (type) {
    case "task": {
      const { title, description } = yield* getTask(id, "everything");
      return { title, text: description ?? null };
    }
    case "decision": {
      const { title, content } = yield* getDecision(id, "everything");
      return { title, text: content };
    }
    case "highlight": {
      const { label, content } = yield* getHighlight(id, "everything");
      return { title: label ?? null, text: content };
    }
  }
}

function* writeWords(
  { type, id }: ExistingRef,
  { title, text }: Partial<Words>,
  act: Act,
): DatabaseWork<void> {
  switch (type) {
    case "task":
      yield* updateTask(id, { title: title ?? undefined, description: text }, act);
      return;
    case "decision":
      yield* updateDecision(id, { title: title ?? undefined, content: text ?? undefined }, act);
      return;
    case "highlight":
      yield* updateHighlight(id, { label: title, content: text ?? undefined }, act);
  }
}
