/** Lines in a transcript that say who speaks next, in the styles people and tools write them. */

import type { MessageRole } from "../../../../kernel/store/noun-tables.ts";
import { momentOf } from "./loose-fields.ts";
import { findRole } from "./spoken-role.ts";

/** Strongest first: a file with headings for its speakers may well quote `User:` in what they say. */
export const MARKER_STYLES = ["heading", "bold", "said", "bracket", "colon"] as const;
export type MarkerStyle = (typeof MARKER_STYLES)[number];

export interface SpeakerMarker {
  readonly style: MarkerStyle;
  readonly role: MessageRole;
  readonly at: number | undefined;
  /** What is said on the same line. */
  readonly rest: string;
}

const MAX_MARKER = 200;

export function findMarker(line: string): SpeakerMarker | undefined {
  // A marker stands at the front; the rest of a long line need not be looked at.
  const front = line.slice(0, MAX_MARKER);
  for (const { style, pattern } of PATTERNS) {
    const match = pattern.exec(front)?.groups;
    if (match === undefined) continue;
    const speaker = speakerOf(match["name"] ?? "");
    if (speaker === undefined) continue;
    const rest = match["rest"] === undefined ? "" : line.slice(front.length - match["rest"].length);
    return { style, ...speaker, rest: rest.trim() };
  }
  return undefined;
}

const PATTERNS: readonly { readonly style: MarkerStyle; readonly pattern: RegExp }[] = [
  { style: "said", pattern: /^\s*#{0,6}\s*(?<name>[^:#]{1,40}) said:\s*$/ },
  { style: "heading", pattern: /^#{1,6}\s+(?<name>[^:\n(]{1,60}(?:\([^)\n]{1,60}\))?):?[*_\s]*$/ },
  {
    style: "bold",
    pattern: /^[>\s]*_?(?:\*\*|__)(?<name>[^*_\n]{1,120}?):?(?:\*\*|__)_?:?(?<rest>(?:\s.*)?)$/,
  },
  { style: "bracket", pattern: /^\s*[[<](?<name>[^\]>\n]{1,60})[\]>]:?(?<rest>(?:\s.*)?)$/ },
  { style: "colon", pattern: /^\s{0,3}(?<name>[\p{L}][^:\n]{0,60}):(?<rest>(?:\s.*)?)$/u },
];

/** A name, with signs around it and a time or a version behind it. */
function speakerOf(text: string): { role: MessageRole; at: number | undefined } | undefined {
  const plain = text.replaceAll(/[*_`]|\p{Extended_Pictographic}|\ufe0f|\u200d/gu, "").trim();
  const { name = "", aside } =
    /^(?<name>[^([–—|·]+?)\s*(?:[([–—|·]\s*(?<aside>.*?)[)\]]?)?$/.exec(plain)?.groups ?? {};
  const role = findRole(name);
  if (role === undefined) return undefined;
  return { role, at: aside === undefined ? undefined : momentOf(aside) };
}
