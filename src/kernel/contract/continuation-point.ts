/**
 * The point at which a cut reply is taken up again. The prompt that asks for the rest and the code
 * that joins it derive the same mark and anchor from the text alone, so nothing has to be stored.
 */

import { hashText } from "../base/hash.ts";
import { findCandidates } from "./json-candidates.ts";
import { createLedger } from "./ledger.ts";
import { type LooseReading, readLooseJson } from "./loose-json.ts";

export interface ContinuationPoint {
  /** What was received, without a character that the cut tore apart. */
  readonly text: string;
  /** The torn character, when there was one. */
  readonly torn: string;
  /** A line that the text does not contain and that no model would write unasked. */
  readonly mark: string;
  /** The last characters, from one that is not white space: ends that begin with a space get trimmed on the way. */
  readonly anchor: string;
}

const ANCHOR_LENGTH = 48;

export function continuationPoint(soFar: string): ContinuationPoint {
  const text = wholeCharacters(soFar);
  return {
    text,
    torn: soFar.slice(text.length),
    mark: `[[continued ${hashText(text).slice(0, 8)}]]`,
    anchor: anchorOf(text),
  };
}

/**
 * A cut inside a UTF-16 pair leaves a lone half; a cut inside a UTF-8 sequence comes out of the
 * decoder as one replacement character. Either way the model will write that character whole.
 */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isTorn = last === 0xfffd || (last >= 0xd800 && last <= 0xdbff);
  return isTorn ? text.slice(0, -1) : text;
}

function anchorOf(text: string): string {
  let start = Math.max(0, text.length - ANCHOR_LENGTH);
  while (start > 0 && isInsideCharacterOrSpace(text, start)) start -= 1;
  return text.slice(start).trimStart();
}

function isInsideCharacterOrSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0xdc00 && code <= 0xdfff) || /\s/.test(text.charAt(at));
}

export interface OpenJson {
  readonly start: number;
  readonly reading: LooseReading;
}

const MOST_OPEN_TRIED = 8;

/** The JSON value that is still open at the end of a text, if there is one. */
export function openJsonIn(text: string): OpenJson | undefined {
  for (const { start } of findCandidates(text).open.slice(0, MOST_OPEN_TRIED)) {
    const reading = readLooseJson(text.slice(start), createLedger(), start);
    if (reading.state === "cut") return { start, reading };
  }
  return undefined;
}
