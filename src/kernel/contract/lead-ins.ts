/** What models put before a continuation although they were asked not to: fences and announcements. */

import { type FenceLine, fencedBlocks, fenceLine, unfenceWhole } from "./fences.ts";

export interface LeadIn {
  readonly kind: "fence" | "lead_in";
  readonly text: string;
  /** The continuation without it. */
  readonly rest: string;
  /** True when it cannot be part of the reply that ends with `soFar`. */
  readonly isSure: (soFar: string) => boolean;
}

const ANNOUNCEMENT =
  /^\s*(?:[([*_…. ]*)(?:(?:sure|okay|ok|certainly|of course)[,.!]?\s+)?(?:here(?:'s| is) the (?:rest|continuation)|(?:i(?:'ll| will) )?continu(?:ing|ed|e|ation)|resuming)(?: (?:from )?(?:where (?:i|it|we) (?:left|was cut) off|the (?:reply|answer|json|output|document|text)|from the cut))*[)\]*_:.… ]*$/i;

/** The announcement, and the fence alone or behind it. */
export function leadIns(next: string): LeadIn[] {
  const found: LeadIn[] = [];
  let taken = "";
  for (const kind of ["lead_in", "fence"] as const) {
    const rest = next.slice(taken.length);
    const feed = lineEndAfterBlanks(rest);
    if (feed === -1) break;
    const line = rest.slice(0, feed).trim();
    const fence = fenceLine(line);
    const isIt = kind === "fence" ? isOpening(fence) : isAnnouncement(line);
    if (!isIt) continue;
    const isAnnounced = taken !== "";
    const blanks = rest.slice(0, rest.length - rest.trimStart().length);
    taken += rest.slice(0, feed + 1);
    if (kind === "lead_in") taken += blankLinesAt(next, taken.length);
    found.push({
      kind,
      text: taken,
      rest: next.slice(taken.length),
      isSure: (soFar) =>
        kind === "lead_in" || isAnnounced || isSureFence(soFar + blanks, fence?.info ?? ""),
    });
  }
  return found;
}

function isOpening(fence: FenceLine | undefined): boolean {
  return fence !== undefined && /^[\w+-]*$/.test(fence.info);
}

function isAnnouncement(line: string): boolean {
  return line.length <= 120 && ANNOUNCEMENT.test(line);
}

function blankLinesAt(text: string, from: number): string {
  return /^(?:[ \t]*\r?\n)+/.exec(text.slice(from, from + 200))?.[0] ?? "";
}

/** End of the first line that is not blank. */
function lineEndAfterBlanks(text: string): number {
  const lead = text.length - text.trimStart().length;
  return text.indexOf("\n", lead);
}

/** A fence can open a block only at the start of a line, and not right behind another opening. */
function isSureFence(soFar: string, info: string): boolean {
  if (soFar === "") return false;
  if (!soFar.endsWith("\n")) return true;
  const lastLine = soFar.slice(soFar.trimEnd().lastIndexOf("\n") + 1).trim();
  const open = fencedBlocks(soFar).at(-1);
  const isJustOpened = fenceLine(lastLine) !== undefined && open?.closed === false;
  return isJustOpened || info === "markdown" || info === "md";
}

/** Takes off the closing line of a wrapper, when the fences only add up without it. */
export function withoutClosingFence(text: string): string {
  const trimmed = text.trimEnd();
  const lastLine = trimmed.lastIndexOf("\n") + 1;
  if (fenceLine(trimmed.slice(lastLine))?.info !== "") return text;
  const shorter = trimmed.slice(0, lastLine).replace(/\r?\n$/, "");
  return !isBalanced(trimmed) && isBalanced(shorter) ? shorter : text;
}

/** Every block closed and none empty, also inside a fence around the whole. */
function isBalanced(text: string): boolean {
  const inside = unfenceWhole(text)?.body ?? text;
  return fencedBlocks(inside).every(
    ({ closed, bodyStart, bodyEnd }) => closed && bodyEnd > bodyStart,
  );
}
