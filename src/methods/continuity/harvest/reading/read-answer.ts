/**
 * Reads an answer to a packet, whatever tool wrote it and however it was copied: the closing block, the groups under
 * headings, or a bare list. Nothing is made up: every candidate has its place in the answer.
 */

import { ProductError } from "../../../../kernel/base/errors.ts";
import { unfenceWhole } from "../../../../kernel/contract/fences.ts";
import { contentTokens, type MatchingWords } from "../matching/content-tokens.ts";
import { overlapOf } from "../matching/token-overlap.ts";
import type { TextRange } from "./answer-outline.ts";
import type { GroupWords } from "./group-words.ts";
import { blanked, maskEcho } from "./mask-echo.ts";
import { readBlock } from "./read-block.ts";
import type { HarvestedGroup, ReadCandidate } from "./read-candidate.ts";
import { readBareList, readGroups } from "./read-groups.ts";

/** By what the candidates were recognised. */
export type ReadBy = "block" | "headings" | "list" | "nothing";

export interface AnswerReading {
  readonly by: ReadBy;
  readonly candidates: readonly ReadCandidate[];
  readonly answer: TextRange | undefined;
  /** The packet that the answer says it answers. */
  readonly packetName: string | undefined;
  /** What a reviewer should know about the reading, as sentences. */
  readonly notes: readonly string[];
}

export interface AnswerContext {
  readonly groups: GroupWords;
  readonly matching: MatchingWords;
  /** What was sent, so that it is not taken for an answer. */
  readonly packetText?: string | undefined;
  /** What a list without a heading is most likely to be. */
  readonly asked?: HarvestedGroup | undefined;
}

export function readAnswer(answer: string, context: AnswerContext): AnswerReading {
  const { groups, asked } = context;
  const text = unwrapped(maskEcho(answer, context.packetText));
  const block = readBlock(text, groups);
  const written = readGroups(blanked(text, block.ranges), groups);
  const { candidates, unrepeated } = merged(block.candidates, written.candidates, context);
  const bare =
    candidates.length === 0 && asked !== undefined ? readBareList(text, groups, asked) : [];
  const all = withoutRepeats(candidates.length > 0 ? candidates : bare);
  return {
    by: byOf(block.candidates.length, candidates.length, bare.length),
    candidates: all,
    answer: written.answer,
    packetName: block.packetName,
    notes: [
      ...(block.isCut ? ["The closing block breaks off; what was whole of it was read."] : []),
      ...(block.candidates.length > 0 && unrepeated > 0
        ? [
            `${counted(unrepeated, "bullet")} that the closing block does not repeat ${unrepeated === 1 ? "was" : "were"} read as well.`,
          ]
        : []),
      ...(written.ticked > 0
        ? [
            `${counted(written.ticked, "item")} ticked off as done ${written.ticked === 1 ? "was" : "were"} left out.`,
          ]
        : []),
      ...(bare.length > 0
        ? ["No heading says what the list is; it was taken for what the packet asked for."]
        : []),
    ],
  };
}

function byOf(inBlock: number, found: number, inList: number): ReadBy {
  if (inBlock > 0) return "block";
  if (found > 0) return "headings";
  return inList > 0 ? "list" : "nothing";
}

/** An answer that was put into one fence as a whole is read from inside it. */
function unwrapped(text: string): string {
  const inside = unfenceWhole(text);
  if (inside === undefined || inside.info.startsWith("json")) return text;
  const { offset, body } = inside;
  return blanked(text, [
    { start: 0, end: offset },
    { start: offset + body.length, end: text.length },
  ]);
}

/** The block repeats the bullets: each of its items is quoted where it reads best, and nothing comes twice. */
function merged(
  inBlock: readonly ReadCandidate[],
  bullets: readonly ReadCandidate[],
  { matching }: AnswerContext,
): { readonly candidates: readonly ReadCandidate[]; readonly unrepeated: number } {
  refuseMany(inBlock.length + bullets.length);
  const tokens = (each: ReadCandidate) =>
    contentTokens(`${each.title ?? ""} ${each.text}`, matching);
  const written = bullets.map((bullet) => ({ bullet, said: tokens(bullet) }));
  const repeated = new Set<ReadCandidate>();
  const quoted = inBlock.map((each) => {
    const own = tokens(each);
    const title = contentTokens(each.title ?? each.text, matching);
    const near = written.filter(({ said }) => isRepeat(title, own, said));
    for (const { bullet } of near) repeated.add(bullet);
    const same = near.find(({ said }) => overlapOf(own, said).firstInSecond === 1);
    return same === undefined ? each : { ...each, quote: same.bullet.quote };
  });
  const others = bullets.filter((bullet) => !repeated.has(bullet));
  return { candidates: [...quoted, ...others], unrepeated: others.length };
}

const MOST_CANDIDATES = 1000;

function refuseMany(count: number): void {
  if (count <= MOST_CANDIDATES) return;
  throw new ProductError(
    "harvest_too_much",
    `The answer proposes ${count} things; nobody can review more than ${MOST_CANDIDATES} at once.`,
    { hint: "Harvest it in parts.", details: { count } },
  );
}

const REPEATED = 0.6;

function isRepeat(
  title: readonly string[],
  own: readonly string[],
  bullet: readonly string[],
): boolean {
  return (
    overlapOf(title, bullet).firstInSecond >= REPEATED ||
    overlapOf(own, bullet).secondInFirst >= REPEATED
  );
}

function withoutRepeats(candidates: readonly ReadCandidate[]): readonly ReadCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ type, title, text }) => {
    const key = `${type}\n${title ?? ""}\n${text}`.toLowerCase().replaceAll(/\s+/g, " ");
    return !seen.has(key) && seen.add(key);
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
