/**
 * Distilling as a run: a turn for each window, and when all are over a move that brings their proposals together into
 * one harvest. What the windows found is kept with their exchanges, so that a purge of those reaches it.
 */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import type { Library } from "../../../kernel/library/library.ts";
import type { NewJob } from "../../../kernel/run/decision.ts";
import type { EffectKind, Handler, MoveHandler, TurnHandler } from "../../../kernel/run/handler.ts";
import { turnPromptOf } from "../../../kernel/run/turn-prompt.ts";
import { getConversation } from "../../../kernel/store/conversations.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { loadRedactionScope, maskDrawn } from "../../../kernel/store/redaction-scope.ts";
import type { NewCandidate } from "../harvest/candidates.ts";
import { matchScopeOf, readMadeSince } from "../harvest/existing-thoughts.ts";
import { insertHarvest } from "../harvest/harvests.ts";
import { matchCandidate } from "../harvest/matching/match-candidate.ts";
import { readMatchingContext } from "../harvest/propose-harvest.ts";
import { CANDIDATE_TYPES } from "../harvest/reading/candidate-types.ts";
import { checkProposals, type Proposed } from "./check-proposals.ts";
import { distillContract, parseProposals } from "./distill-contract.ts";
import { compileDistill } from "./distill-prompt.ts";
import { mergeProposals } from "./merge-proposals.ts";
import { readWindow } from "./window-messages.ts";

export const PLAN_MOVE = "continuity.distill.plan";
const WINDOW_TURN = "continuity.distill.window";
const GATHER_MOVE = "continuity.distill.gather";
const FOUND = "continuity.distill.found";
const GATHERED = "continuity.distill.gathered";

const place = z.object({ position: z.number(), id: z.string() });
const window = z.object({
  after: place.nullable(),
  through: place,
  slice: z.object({ start: z.number(), end: z.number() }).optional(),
});

const subject = z.object({
  conversationId: z.string(),
  projectId: z.string().nullable(),
  model: z.string(),
});
const planInput = subject.extend({ windows: z.array(window) });
const windowInput = subject.extend({
  window,
  number: z.number(),
  of: z.number(),
});
export type PlanInput = z.output<typeof planInput>;

/** At once: a long conversation must not keep everybody else from the model. */
const CONCURRENCY = 4;

export function distillHandlers(library: Library, nextId: () => string): readonly Handler[] {
  return [planHandler, windowHandler(library), gatherHandler(library, nextId)];
}

const planHandler: MoveHandler = {
  kind: "move",
  name: PLAN_MOVE,
  *decide(job) {
    const { windows, ...about } = planInput.parse(job.input);
    const jobs = windows.map(
      (each, index): NewJob => ({
        key: `window ${index + 1}`,
        handler: WINDOW_TURN,
        step: "distill",
        item: String(index + 1),
        input: toJson({ ...about, window: each, number: index + 1, of: windows.length }),
      }),
    );
    const followUp = { key: "gather", handler: GATHER_MOVE, step: "gather", input: toJson(about) };
    return { batches: [{ key: "windows", jobs, followUp, concurrency: CONCURRENCY }] };
  },
};

function windowHandler(library: Library): TurnHandler {
  return {
    kind: "turn",
    name: WINDOW_TURN,
    lane: (input) => `model:${windowInput.parse(input).model}`,
    *compile(job) {
      const input = windowInput.parse(job.input);
      const { conversationId, projectId, model, number, of } = input;
      const messages = yield* readWindow(conversationId, projectId, input.window);
      const conversation = yield* getConversation(conversationId, "everything");
      const scope = yield* loadRedactionScope(projectId === null ? undefined : [projectId]);
      const contract = distillContract(messages.map(({ mark }) => mark));
      const prompt = compileDistill(library, contract, {
        title: maskDrawn(scope, { conversationId, messageId: null }, conversation.title),
        conversationId,
        messages,
        part: { number, of },
        passages: scope.passages.map(({ text }) => text),
      });
      return { model, prompt: turnPromptOf(prompt), contract, settings: { maxOutputTokens: 8192 } };
    },
    *accept(job, { value }) {
      const input = windowInput.parse(job.input);
      // Redacted while the model was reading: what it quotes from there is not found any more.
      const messages = yield* readWindow(input.conversationId, input.projectId, input.window);
      const data = toJson(checkProposals(parseProposals(value), messages));
      return { effects: [{ key: `found ${input.number}`, kind: FOUND, data }] };
    },
  };
}

const gathered = subject.extend({ harvestId: z.string() });

function gatherHandler(library: Library, nextId: () => string): MoveHandler {
  return {
    kind: "move",
    name: GATHER_MOVE,
    *decide(job) {
      const about = subject.parse(job.input);
      const { proposed, dropped } = yield* readFound(job.runId, library);
      const end = (harvestId: string | null) =>
        ({
          state: "completed",
          result: { harvestId, candidates: proposed.length, dropped },
        }) as const;
      if (proposed.length === 0) return { run: { end: end(null) } };
      const harvestId = nextId();
      const data = toJson({ ...about, harvestId });
      return {
        effects: [{ key: "gathered", kind: GATHERED, data }],
        run: { end: end(harvestId) },
      };
    },
  };
}

export function distillEffects(library: Library): readonly EffectKind[] {
  return [foundEffect, gatheredEffect(library)];
}

/** Being kept is all there is to it: the move that follows the last window reads them. */
const foundEffect: EffectKind = { kind: FOUND, *apply() {} };

function gatheredEffect(library: Library): EffectKind {
  return {
    kind: GATHERED,
    *apply({ data, job, now }) {
      const { conversationId, projectId, harvestId } = gathered.parse(data);
      const context = readMatchingContext(library);
      const { proposed, notes } = yield* readFound(job.runId, library);
      const about = { projectId: projectId ?? undefined, conversationId };
      const existing = yield* readMadeSince(matchScopeOf(about), 0, context.words);
      const candidates = proposed.map(
        (each): NewCandidate => ({ ...each, match: matchCandidate(each, existing, context) }),
      );
      yield* insertHarvest(
        {
          id: harvestId,
          ...about,
          runId: job.runId,
          readBy: "model",
          notes,
          matchedAt: now,
          candidates,
        },
        { actor: job.startedBy, now },
      );
    },
  };
}

const found = z.object({
  proposed: z.array(
    z.object({
      type: z.enum(CANDIDATE_TYPES),
      title: z.string().optional(),
      text: z.string(),
      isBlocker: z.boolean(),
      isOpenLoop: z.boolean(),
      quote: z.object({
        text: z.string(),
        start: z.number(),
        end: z.number(),
        messageId: z.string(),
      }),
    }),
  ),
  dropped: z.number(),
  moved: z.number(),
});

interface Found {
  readonly proposed: readonly Proposed[];
  readonly dropped: number;
  readonly notes: readonly string[];
}

function* readFound(runId: string, library: Library): DatabaseWork<Found> {
  const rows = yield* query(
    db
      .selectFrom("effect")
      .select(["key", "data"])
      .where("run_id", "=", runId)
      .where("kind", "=", FOUND),
  );
  const windows = rows
    .toSorted((a, b) => numberOf(a.key) - numberOf(b.key))
    // What was purged meanwhile holds nothing any more.
    .flatMap(({ data }) => found.safeParse(JSON.parse(data)).data ?? []);
  const sum = (count: (each: z.output<typeof found>) => number) =>
    windows.reduce((total, each) => total + count(each), 0);
  const all = windows.flatMap(({ proposed }) => proposed).map(toProposed);
  const proposed = mergeProposals(all, readMatchingContext(library).words);
  const [dropped, moved, repeated] = [
    sum((each) => each.dropped),
    sum((each) => each.moved),
    all.length - proposed.length,
  ];
  return {
    proposed,
    dropped,
    notes: [
      ...(dropped === 0
        ? []
        : [`${dropped} left out: what they quote does not stand in the messages.`]),
      ...(moved === 0
        ? []
        : [`${moved} named another message than the one they quote; the quote decided.`]),
      ...(repeated === 0 ? [] : [`${repeated} proposed more than once; kept once.`]),
    ],
  };
}

function toProposed(read: z.output<typeof found>["proposed"][number]): Proposed {
  return { ...read, title: read.title };
}

function numberOf(key: string): number {
  return Number(key.split(" ")[1] ?? 0);
}

function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
