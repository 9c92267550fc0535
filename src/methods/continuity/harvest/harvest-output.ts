/** From harvests as they are kept to harvests as operations give them: without anything that was redacted since. */

import type { z } from "zod";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { nameOf, projectNames, userNames } from "../../../kernel/operation/names.ts";
import { withoutRedacted } from "../../../kernel/operation/redacted-view.ts";
import { diffLines } from "../../../kernel/prompt/diff-lines.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import type { Place } from "../../../kernel/store/find-place.ts";
import { resolveIdAmong } from "../../../kernel/store/resolve-id.ts";
import type { Candidate } from "./candidates.ts";
import { readThoughts } from "./existing-thoughts.ts";
import type { candidateShape, harvestDetail, harvestHead, REVIEW_FIELDS } from "./harvest-shape.ts";
import { harvests } from "./harvest-tables.ts";
import { getHarvest, type Harvest, listCandidates, seesHarvest } from "./harvests.ts";
import {
  type Changes,
  type Existing,
  type MatchingContext,
  matchCandidate,
  prepareThought,
} from "./matching/match-candidate.ts";
import { type Choice, choicesFor } from "./review-choices.ts";

export function* getVisibleHarvest(given: string, caller: Caller): DatabaseWork<Harvest> {
  const id = yield* resolveIdAmong("harvest", given, seesHarvest(caller));
  return yield* getHarvest(id, caller);
}

/** The right to review a harvest is that of its project. */
export function* placeOfHarvest(given: string, caller: Caller): DatabaseWork<Place> {
  const { projectId, createdBy } = yield* getVisibleHarvest(given, caller);
  return { projectId, createdBy };
}

type Head = z.input<typeof harvestHead>;

export function* toHeads(items: readonly Harvest[]): DatabaseWork<readonly Head[]> {
  const projects = yield* projectNames(items.map(({ projectId }) => projectId));
  const users = yield* userNames(items.map(({ createdBy }) => createdBy));
  const packets = yield* findPackets(items.flatMap(({ packetId }) => packetId ?? []));
  const talks = yield* findTalks(items.flatMap(({ conversationId }) => conversationId ?? []));
  const titled = yield* withoutRedacted(
    items.map(({ projectId, packetId, conversationId }) => {
      const packet = packets.get(packetId ?? "");
      return {
        projectId,
        conversationId: packet?.origin_conversation_id ?? conversationId,
        messageId: packet?.origin_message_id ?? undefined,
        title: packet?.title ?? talks.get(conversationId ?? "") ?? "",
      };
    }),
    ["title"],
  );
  // The answer itself is dropped by the shape.
  return items.map((harvest, i) => ({
    ...harvest,
    packetName: packets.get(harvest.packetId ?? "")?.name,
    title: titled[i]?.title ?? "",
    projectName: nameOf(projects, harvest.projectId),
    createdByName: nameOf(users, harvest.createdBy),
  }));
}

export function* toHead(harvest: Harvest): DatabaseWork<Head> {
  const [head] = yield* toHeads([harvest]);
  if (head === undefined) throw new TypeError("One harvest in, one harvest out.");
  return head;
}

export interface DetailOptions {
  readonly context: MatchingContext;
  readonly asOf: number;
  readonly number?: number | undefined;
}

export function* toDetail(
  harvest: Harvest,
  { context, asOf, number }: DetailOptions,
): DatabaseWork<z.input<typeof harvestDetail>> {
  const all = yield* listCandidates(harvest.id);
  const wanted = number === undefined ? all : all.filter((each) => each.number === number);
  const { advice, answer, projectId } = harvest;
  const said =
    answer === undefined || advice === undefined
      ? undefined
      : answer.slice(advice.start, advice.end);
  const [shown] = yield* withoutRedacted([{ projectId, advice: said }], ["advice"]);
  return {
    harvestId: harvest.id,
    harvest: yield* toHead(harvest),
    advice: shown?.advice,
    candidates: [...(yield* toCandidates(harvest, wanted, context))],
    asOf,
  };
}

function* toCandidates(
  harvest: Harvest,
  candidates: readonly Candidate[],
  context: MatchingContext,
): DatabaseWork<readonly z.input<typeof candidateShape>[]> {
  const refs = candidates.flatMap(({ match }) => match.with ?? []);
  const thoughts = yield* readThoughts(refs, harvest.projectId);
  const readable = yield* withoutRedacted(
    candidates.map((candidate) => ({
      ...candidate,
      projectId: harvest.projectId,
      conversationId: harvest.conversationId,
      messageId: candidate.quote.messageId,
      said: candidate.quote.text,
    })),
    ["title", "text", "said"],
  );
  return readable.map((candidate) => {
    const { quote, said, match, made } = candidate;
    const thought = thoughts.get(match.with?.id ?? "");
    const diff = diffOf(candidate, thought, context);
    return {
      number: candidate.number,
      type: candidate.type,
      title: candidate.title,
      text: candidate.text,
      isBlocker: candidate.isBlocker,
      isOpenLoop: candidate.isOpenLoop,
      quote: { ...quote, text: said },
      match: {
        kind: match.kind,
        reason: match.reason,
        ...(match.with === undefined ? {} : match.with),
        ...(thought === undefined ? {} : { title: nameOfThought(thought) }),
        ...(diff === undefined ? {} : { diff }),
      },
      status: candidate.status,
      ...(made === undefined
        ? {}
        : { made: { outcome: made.outcome, type: made.type, id: made.id } }),
      choices: fieldsFor(candidate),
    };
  });
}

export function nameOfThought({ title, text }: Pick<Existing, "title" | "text">): string {
  return title === "" ? text : title;
}

const FIELD_OF: Readonly<Record<Choice, (typeof REVIEW_FIELDS)[number]>> = {
  accept: "accept",
  skip: "skip",
  supersede: "supersede",
  keep_both: "keepBoth",
};

/** What can be accepted as it is can be accepted in other words. */
function fieldsFor(candidate: Candidate): readonly (typeof REVIEW_FIELDS)[number][] {
  return choicesFor(candidate).flatMap((choice) =>
    choice === "accept" ? (["accept", "edit"] as const) : [FIELD_OF[choice]],
  );
}

function diffOf(candidate: Candidate, thought: Existing | undefined, context: MatchingContext) {
  if (candidate.match.kind !== "update" || candidate.status === "accepted") return undefined;
  if (thought === undefined) return undefined;
  const prepared = prepareThought(thought, context.words);
  const changes: Changes = matchCandidate(candidate, [prepared], context).changes ?? {};
  return (["title", "text"] as const).flatMap((field) => {
    const after = changes[field];
    if (after === undefined) return [];
    const lines = diffLines(thought[field], after).map(({ change, text }) => ({ change, text }));
    return [{ field, lines }];
  });
}

/** With what their origin was drawn from, so that a redaction reaches the title. */
function* findPackets(ids: readonly string[]) {
  const rows = yield* query(
    harvests
      .selectFrom("packet")
      .select(["id", "name", "title", "origin_conversation_id", "origin_message_id"])
      .where("id", "in", atLeastOne(ids)),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function* findTalks(ids: readonly string[]) {
  const rows = yield* query(
    harvests.selectFrom("conversation").select(["id", "title"]).where("id", "in", atLeastOne(ids)),
  );
  return new Map(rows.map(({ id, title }) => [id, title]));
}

function atLeastOne(ids: readonly string[]): string[] {
  return ids.length === 0 ? [""] : [...new Set(ids)];
}
