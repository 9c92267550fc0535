/** Where a prompt stops being the same as the one sent before: all that a provider cached ends there. */

import { type CompiledPrompt, type PromptMessage, rangeAt } from "./compiled-prompt.ts";

export interface FirstDifference {
  /** Index of the first message that is not the same. */
  readonly message: number;
  /** Characters of it that still are. */
  readonly character: number;
  /** Bytes of message text, from the first message on, that are the same. */
  readonly byte: number;
  /** What stands there in each prompt; absent where the prompt has ended. */
  readonly before?: DifferingPlace;
  readonly after?: DifferingPlace;
}

interface DifferingPlace {
  readonly layer: string;
  /** Absent for text that belongs to no part, such as a heading. */
  readonly part?: string;
}

/** Undefined when a provider would see no difference. */
export function firstDifference(
  previous: CompiledPrompt,
  next: CompiledPrompt,
): FirstDifference | undefined {
  const count = Math.max(previous.messages.length, next.messages.length);
  let byte = 0;
  for (let message = 0; message < count; message += 1) {
    const [old, now] = [previous.messages[message], next.messages[message]];
    const isAlike = old !== undefined && now !== undefined && old.role === now.role;
    if (isAlike && old.text === now.text) {
      byte += Buffer.byteLength(now.text);
      continue;
    }
    const character = isAlike ? commonLength(old.text, now.text) : 0;
    const before = placeIn(previous, old, character);
    const after = placeIn(next, now, character);
    return {
      message,
      character,
      byte: byte + Buffer.byteLength((now ?? old)?.text.slice(0, character) ?? ""),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
  }
  return undefined;
}

/** Never ends between the halves of a character. */
export function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return isHighSurrogate(a.charCodeAt(length - 1)) ? length - 1 : length;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function placeIn(
  prompt: CompiledPrompt,
  message: PromptMessage | undefined,
  character: number,
): DifferingPlace | undefined {
  const block = message?.blocks.find(({ end }) => character < end);
  if (block === undefined) return undefined;
  // Between two blocks it is the second that has changed.
  const offset = block.textStart + Math.max(0, character - block.start);
  const range = rangeAt(prompt, offset);
  return range?.part === undefined
    ? { layer: block.layer }
    : { layer: block.layer, part: range.part };
}
