/** People paste the prompt along with the answer. What the packet says itself is covered, place for place. */

import { linesOf } from "../../../../kernel/contract/fences.ts";
import type { TextRange } from "./answer-outline.ts";

/** So many lines in a row are no coincidence. */
const LEAST_LINES = 3;
const MOST_PLACES = 20;

/** The same length, with blanks where the answer repeats the packet. */
export function maskEcho(answer: string, packetText: string | undefined): string {
  if (packetText === undefined) return answer;
  const packet = packetText
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const places = new Map<string, number[]>();
  for (const [at, line] of packet.entries()) {
    const known = places.get(line) ?? [];
    // A line that comes again and again tells nothing about where one is.
    if (known.length < MOST_PLACES) known.push(at);
    places.set(line, known);
  }
  const lines = [...linesOf(answer)]
    .map(({ start, end }) => ({ start, end, text: answer.slice(start, end).trim() }))
    .filter(({ text }) => text !== "");
  const echoes: TextRange[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const length = longestRun(lines, at, packet, places);
    if (length < LEAST_LINES) continue;
    echoes.push({ start: lines[at]?.start ?? 0, end: lines[at + length - 1]?.end ?? 0 });
    at += length - 1;
  }
  return blanked(answer, echoes);
}

export function blanked(text: string, ranges: readonly TextRange[]): string {
  let masked = text;
  for (const { start, end } of ranges) {
    const blank = text.slice(start, end).replaceAll(/[^\n\r]/g, " ");
    masked = masked.slice(0, start) + blank + masked.slice(end);
  }
  return masked;
}

function longestRun(
  lines: readonly { readonly text: string }[],
  at: number,
  packet: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
): number {
  let longest = 0;
  for (const from of places.get(lines[at]?.text ?? "") ?? []) {
    let length = 0;
    while (at + length < lines.length && lines[at + length]?.text === packet[from + length])
      length += 1;
    longest = Math.max(longest, length);
  }
  return longest;
}
