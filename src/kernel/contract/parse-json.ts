/**
 * The syntax half of the ladder, for one piece of text that should be JSON:
 * strict → jsonc → partial → repair. The careful reader runs only where JSON.parse fails or would
 * hide something (a key written twice, a reserved key, a number too large); repair runs only on a
 * text that looks complete.
 */

import { countWrittenMembers, endOfString, inspectValue, MOST_DEPTH } from "./inspect.ts";
import { createLedger, type Ledger, type Repair } from "./ledger.ts";
import { type LooseReading, readLooseJson } from "./loose-json.ts";
import type { OpenLeaf } from "./reading.ts";
import { isRepairable, repairJson } from "./repair-json.ts";

export type ParsedJson =
  | { readonly state: "whole"; readonly value: unknown }
  | { readonly state: "cut"; readonly value: unknown; readonly open: OpenLeaf }
  | {
      readonly state: "broken";
      /** A clause: "a colon was expected after the key (at character 17)". */
      readonly fault: string;
      readonly tooDeep: boolean;
    };

/** `base` is where `source` stands in the reply; notes go to the ledger only as far as they count. */
export function parseJson(
  source: string,
  base: number,
  ledger: Ledger,
  mayRepair: (source: string) => boolean = () => true,
): ParsedJson {
  const strict = parseStrictly(source);
  if (strict !== undefined && isPlainlyRead(source, strict.value)) {
    return { state: "whole", value: strict.value };
  }
  const notes = createLedger();
  const careful = readLooseJson(source, notes, base);
  if (careful.state === "whole" && source.slice(careful.end - base).trim() === "") {
    ledger.absorb(notes);
    return { state: "whole", value: careful.value };
  }
  if (careful.state === "cut") {
    ledger.absorb(notes);
    return { state: "cut", value: careful.value, open: careful.open ?? { path: [] } };
  }
  if (careful.tooDeep) return { state: "broken", fault: careful.fault ?? "", tooDeep: true };
  if (!mayRepair(source)) return { state: "broken", fault: faultOf(careful), tooDeep: false };
  return parseRepaired(source, base, careful, ledger);
}

function parseStrictly(source: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(source) as unknown };
  } catch {
    return undefined;
  }
}

/** True when JSON.parse told everything: the careful reader would have nothing to add. */
export function isPlainlyRead(source: string, value: unknown): boolean {
  const { tooDeep, hasReservedKeys, members } = inspectValue(value);
  if (tooDeep || hasReservedKeys || /[\s:,[]-?\d{16}/.test(source)) return false;
  return members === countWrittenMembers(source);
}

function parseRepaired(
  source: string,
  base: number,
  careful: LooseReading,
  ledger: Ledger,
): ParsedJson {
  const fault = faultOf(careful);
  if (!looksComplete(source)) return { state: "broken", fault, tooDeep: false };
  if (!isRepairable(source)) {
    return {
      state: "broken",
      fault: `${fault}, and it is too long to be repaired`,
      tooDeep: false,
    };
  }
  const repaired = repairJson(source, base);
  if (repaired === undefined) {
    return { state: "broken", fault, tooDeep: nestingOf(source) > MOST_DEPTH };
  }
  const notes = createLedger();
  const read = readLooseJson(repaired.json, notes);
  if (read.state !== "whole") {
    const depth = `it is nested deeper than ${MOST_DEPTH} levels`;
    return { state: "broken", fault: read.tooDeep ? depth : fault, tooDeep: read.tooDeep === true };
  }
  for (const repair of repaired.repairs) ledger.add(repair);
  // Offsets in the repaired text are not offsets in the reply.
  ledger.absorb(notes, withoutOffset);
  return { state: "whole", value: read.value };
}

function withoutOffset({ step, path, before, after, sentence, loss }: Repair): Repair {
  return { step, path, before, after, sentence, loss };
}

function faultOf({ fault, end }: LooseReading): string {
  return `${fault ?? "something follows the value"} (at character ${end})`;
}

/** Brackets open at once, outside of texts: the repairing library gives up on deep ones without a word. */
function nestingOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === 34) at = endOfString(source, at);
    else if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Begins with a bracket and ends with the one that closes it; anything less may be cut. */
function looksComplete(source: string): boolean {
  const text = source.trim();
  return (
    (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"))
  );
}
