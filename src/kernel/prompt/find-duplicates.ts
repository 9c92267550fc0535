/** The same text from the same source is said once, where it matters most. */

import type { PreparedPart } from "./prepare-part.ts";

/** For each candidate that only repeats another, that other one. */
export function findDuplicates(
  candidates: readonly PreparedPart[],
  isBetter: (first: PreparedPart, second: PreparedPart) => boolean,
): ReadonlyMap<PreparedPart, PreparedPart> {
  const kept = new Map<string, PreparedPart>();
  const duplicates = new Map<PreparedPart, PreparedPart>();
  for (const candidate of candidates) {
    const saying = sayingOf(candidate);
    if (saying === undefined) continue;
    const other = kept.get(saying);
    if (other !== undefined && isBetter(other, candidate)) {
      duplicates.set(candidate, other);
      continue;
    }
    if (other !== undefined) duplicates.set(other, candidate);
    kept.set(saying, candidate);
  }
  return duplicates;
}

/** Undefined for text without a source: instructions may repeat themselves. */
function sayingOf({ pieces }: PreparedPart): string | undefined {
  let sources = "";
  let text = "";
  for (const { ref, content } of pieces) {
    if (ref !== undefined) {
      sources += `${ref.type}\n${ref.id}\n${ref.field ?? ""}\n${ref.version ?? ""}\n`;
    }
    text += content.text;
  }
  return sources === "" ? undefined : `${sources}\0${text.replaceAll(/\s+/g, " ").trim()}`;
}
