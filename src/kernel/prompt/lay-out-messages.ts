/**
 * The prompt as messages for a model: instructions before the rest, and in each what changes least
 * before what changes more, since providers cache the longest beginning they have seen before.
 */

import { hashRepeated, hashText } from "../base/hash.ts";
import type { CacheBreakpoint, MessageBlock, PromptMessage } from "./compiled-prompt.ts";
import { type Role, STABILITIES } from "./part.ts";
import type { Block, RenderedPrompt } from "./render-prompt.ts";

export interface LaidOutMessages {
  readonly messages: readonly PromptMessage[];
  readonly breakpoints: readonly CacheBreakpoint[];
  /** Whether the messages read in the order of the text. */
  readonly isReadingOrder: boolean;
}

/** A message ends where a cached beginning may end: each holds text that changes equally often. */
export function layOutMessages(
  { text, blocks }: RenderedPrompt,
  separator: string,
  countTokens: ((message: PromptMessage) => number) | undefined,
): LaidOutMessages {
  const ordered = blocks.toSorted((a, b) => rank(a) - rank(b) || a.start - b.start);
  const drafts: Draft[] = [];
  for (const block of ordered) {
    const { role, stability } = block.layer;
    const last = drafts.at(-1);
    // After something that changes often nothing counts as stable any more.
    const volatility = Math.max(STABILITIES.indexOf(stability), last?.volatility ?? 0);
    if (last?.role === role && last.volatility === volatility) last.blocks.push(block);
    else drafts.push({ role, volatility, blocks: [block] });
  }
  const messages = drafts.map((draft) => toMessage(draft, text, separator));
  return {
    messages,
    breakpoints: findBreakpoints(drafts, messages, countTokens),
    isReadingOrder: ordered.every((block, index) => block === blocks[index]),
  };
}

interface Draft {
  readonly role: Role;
  readonly volatility: number;
  readonly blocks: Block[];
}

function rank({ layer }: Block): number {
  const role = layer.role === "system" ? 0 : STABILITIES.length;
  return role + STABILITIES.indexOf(layer.stability);
}

function toMessage({ role, blocks }: Draft, text: string, separator: string): PromptMessage {
  let message = "";
  const placed: MessageBlock[] = [];
  for (const { layer, start, end } of blocks) {
    if (message !== "") message += separator;
    const at = message.length;
    message += text.slice(start, end);
    placed.push({ layer: layer.id, start: at, end: message.length, textStart: start });
  }
  return { role, text: message, blocks: placed };
}

function findBreakpoints(
  drafts: readonly Draft[],
  messages: readonly PromptMessage[],
  countTokens: ((message: PromptMessage) => number) | undefined,
): CacheBreakpoint[] {
  const breakpoints: CacheBreakpoint[] = [];
  let prefixHash = "";
  let characters = 0;
  let tokens = 0;
  for (const [index, message] of messages.entries()) {
    const { volatility = 0 } = drafts[index] ?? {};
    const stability = STABILITIES[volatility];
    if (stability === undefined || stability === "turn") break;
    const prefix = `${prefixHash}\n${message.role}\n${message.text}`;
    prefixHash = stability === "run" ? hashText(prefix) : hashRepeated(prefix);
    characters += message.text.length;
    tokens += countTokens?.(message) ?? 0;
    if (drafts[index + 1]?.volatility === volatility) continue;
    const point = { message: index, stability, characters, prefixHash };
    breakpoints.push(countTokens === undefined ? point : { ...point, tokens });
  }
  return breakpoints;
}
