/** From a packet and its answer to candidates that wait for a review. Nothing of the project changes here. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import type { Library } from "../../../kernel/library/library.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import type { OperationContext } from "../../../kernel/operation/operation.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { loadRedactionScope, maskDrawn } from "../../../kernel/store/redaction-scope.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import { checkTransition } from "../packet/packet-states.ts";
import { findPacketByName, type Packet } from "../packet/packets.ts";
import { matchCells, type NewCandidate } from "./candidates.ts";
import { gatherExisting, matchScopeOf } from "./existing-thoughts.ts";
import {
  findHarvestOfAnswer,
  type Harvest,
  insertHarvest,
  listCandidates,
  tellHarvest,
  updateCandidate,
} from "./harvests.ts";
import { readMatchingWords } from "./matching/content-tokens.ts";
import { type MatchingContext, matchCandidate } from "./matching/match-candidate.ts";
import { refusePurged } from "./purge-harvest.ts";
import { readGroupWords } from "./reading/group-words.ts";
import { type AnswerReading, readAnswer } from "./reading/read-answer.ts";
import type { HarvestedGroup } from "./reading/read-candidate.ts";

export interface GivenAnswer {
  readonly text: string;
  readonly runId?: string | undefined;
  readonly exchangeId?: string | undefined;
}

export interface Proposal {
  readonly harvest: Harvest;
  /** False when this answer was read before. */
  readonly isNew: boolean;
}

export function readMatchingContext(library: Library): MatchingContext {
  return { words: readMatchingWords(library), groups: readGroupWords(library) };
}

export async function proposeHarvest(
  context: OperationContext,
  packet: Packet,
  given: GivenAnswer,
): Promise<Proposal> {
  const { kernel, caller } = context;
  if (packet.status === "abandoned") checkTransition(packet.status, "harvested");
  const matching = readMatchingContext(kernel.library);
  const answerHash = hashOfAnswer(given.text);
  const known = await kernel.store.read(() => findHarvestOfAnswer(packet.id, answerHash));
  if (known !== undefined) refusePurged(known);
  if (known !== undefined)
    return { harvest: await matchAgain(context, known, matching), isNew: false };
  const answer = await kernel.store.read(() => withoutRedacted(packet, storableText(given.text)));
  const reading = readAnswer(answer, {
    groups: matching.groups,
    matching: matching.words,
    packetText: packet.prompt?.text,
    asked: askedFor(packet.intent),
  });
  const notes = [...reading.notes, ...(await checkName(context, packet, reading, caller))];
  if (reading.candidates.length === 0) throw nothingReadable(packet.id);
  const matchedAt = kernel.clock.now();
  const candidates = await matchAll(context, packet, answer, reading, matching);
  const { runId, exchangeId } = given;
  const harvest = {
    id: kernel.ids.next(),
    packetId: packet.id,
    projectId: packet.projectId,
    runId,
    exchangeId,
    answer,
    answerHash,
    readBy: reading.by,
    notes,
    advice: reading.answer,
    matchedAt,
    candidates,
  };
  return change(context, function* (act) {
    // Somebody may have read the same answer at the same time.
    const meanwhile = yield* findHarvestOfAnswer(packet.id, answerHash);
    if (meanwhile !== undefined) return { harvest: meanwhile, isNew: false };
    return { harvest: yield* insertHarvest(harvest, act), isNew: true };
  });
}

/** However its lines end, it is the same answer. */
function hashOfAnswer(text: string): string {
  return hashText(text.replaceAll("\r\n", "\n").trim());
}

function* withoutRedacted({ projectId }: Packet, answer: string): DatabaseWork<string> {
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  return maskDrawn(scope, { conversationId: null, messageId: null }, answer);
}

async function matchAll(
  { kernel }: OperationContext,
  packet: Packet,
  answer: string,
  { candidates }: AnswerReading,
  matching: MatchingContext,
): Promise<readonly NewCandidate[]> {
  const scope = matchScopeOf({ projectId: packet.projectId, packetId: packet.id });
  const existing = await gatherExisting(kernel.store, scope, candidates, matching.words);
  return candidates.map((candidate) => ({
    ...candidate,
    quote: {
      ...candidate.quote,
      text: answer.slice(candidate.quote.start, candidate.quote.end),
      messageId: undefined,
    },
    match: matchCandidate(candidate, existing, matching),
  }));
}

/** What is still proposed is compared with the project as it is now. */
export async function matchAgain(
  context: OperationContext,
  harvest: Harvest,
  matching: MatchingContext,
): Promise<Harvest> {
  const { store, clock } = context.kernel;
  const matchedAt = clock.now();
  const open = (await store.read(() => listCandidates(harvest.id))).filter(
    ({ status }) => status === "proposed",
  );
  if (open.length === 0) return harvest;
  const existing = await gatherExisting(store, matchScopeOf(harvest), open, matching.words);
  const fresh = open.map((candidate) => ({
    number: candidate.number,
    match: matchCandidate(candidate, existing, matching),
  }));
  return change(context, (act) => keepMatches(harvest.id, fresh, matchedAt, act));
}

function* keepMatches(
  harvestId: string,
  fresh: readonly { readonly number: number; readonly match: ReturnType<typeof matchCandidate> }[],
  matchedAt: number,
  act: Act,
): DatabaseWork<Harvest> {
  const open = new Set(
    (yield* listCandidates(harvestId))
      .filter(({ status }) => status === "proposed")
      .map(({ number }) => number),
  );
  for (const { number, match } of fresh) {
    if (open.has(number)) yield* updateCandidate(harvestId, number, matchCells(match));
  }
  return yield* tellHarvest(harvestId, "compared", act, { matched_at: matchedAt });
}

/** An answer to another packet was pasted by mistake; a name nobody knows is only mentioned. */
async function checkName(
  { kernel }: OperationContext,
  packet: Packet,
  { packetName }: AnswerReading,
  caller: Caller,
): Promise<readonly string[]> {
  if (packetName === undefined || packetName === packet.name || packet.id.startsWith(packetName)) {
    return [];
  }
  const other = await kernel.store.read(() => findPacketByName(packetName, caller));
  if (other === undefined) {
    return [`The closing block names a packet that is not known here: ${packetName.slice(0, 40)}.`];
  }
  throw new ProductError("harvest_other_packet", `This answers another packet: ${packetName}.`, {
    kind: "conflict",
    hint: `Harvest it there: \`harvest ${packetName}\`.`,
    details: { packetId: packet.id, namedPacketId: other.id },
  });
}

function nothingReadable(packetId: string): ProductError {
  return new ProductError(
    "harvest_nothing",
    "Nothing in this answer reads as a next step, a decision or an insight. Nothing was written.",
    {
      hint: "Put them as bullets under headings such as `## Next steps`, or paste the answer with its closing block.",
      details: { packetId },
    },
  );
}

/** What the packet's intent asks for first; a list without a heading is most likely that. */
function askedFor(intent: string | undefined): HarvestedGroup {
  if (intent === "decide_between_options") return "decisions";
  return intent === "stress_test_direction" ? "highlights" : "tasks";
}
