/** All words of a packet's material, so that what is hidden in any of them is hidden everywhere. */

import type { PacketMaterial } from "./packet-material.ts";
import type { SourceText } from "./source-text.ts";

export function sourceTextsOf(material: PacketMaterial): readonly SourceText[] {
  const found: SourceText[] = [];
  collect(material, found);
  return found;
}

function collect(value: unknown, found: SourceText[]): void {
  if (typeof value !== "object" || value === null) return;
  if (isSourceText(value)) {
    found.push(value);
    return;
  }
  for (const member of Object.values(value)) collect(member, found);
}

function isSourceText(value: object): value is SourceText {
  return "ref" in value && "text" in value && "hidden" in value;
}
