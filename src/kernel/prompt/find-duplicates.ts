/** The same text from the same source is said once, where it matters most. */

import type { PreparedPart } from "./prepare-part.ts";

/** For each candidate that only repeats another, that other one. */
export function findDuplicates(
  candidates: readonly PreparedPart[],
  isBetter: (first: PreparedPart, second: PreparedPart) => boolean,
): ReadonlyMap<PreparedPart, PreparedPart> {
  const bySources = new Map<string, PreparedPart[]>();
  const duplicates = new Map<PreparedPart, PreparedPart>();
  for (const candidate of candidates) {
    const sources = sourcesOf(candidate);
    if (sources === "") continue;
    const others = bySources.get(sources);
    if (others === undefined) {
      bySources.set(sources, [candidate]);
      continue;
    }
    const same = others.findIndex((other) => saying(other) === saying(candidate));
    const other = others[same];
    if (other === undefined) others.push(candidate);
    else if (isBetter(other, candidate)) duplicates.set(candidate, other);
    else {
      duplicates.set(other, candidate);
      others[same] = candidate;
    }
  }
  return duplicates;
}

/** Empty for text without a source: instructions may repeat themselves. */
function sourcesOf({ pieces }: PreparedPart): string {
  let sources = "";
  for (const { ref } of pieces) {
    if (ref === undefined) continue;
    sources += `${ref.type}\n${ref.id}\n${ref.field ?? ""}\n${ref.version ?? ""}\n`;
  }
  return sources;
}

function saying({ pieces }: PreparedPart): string {
  return pieces
    .map(({ content }) => content.text)
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();
}
