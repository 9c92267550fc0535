/** JSON Lines: each line is a value of its own, so one that is broken costs only itself. */

import { beginScan, scanOn } from "./json-value-scan.ts";
import type { JsonPiece, JsonRecordOptions } from "./read-json-records.ts";
import { readLines } from "./read-lines.ts";
import { faultAt, RECORD_LIMITS } from "./record.ts";

export async function* readJsonLines(
  chunks: AsyncIterable<Uint8Array>,
  {
    isKnown = () => false,
    limits = RECORD_LIMITS,
  }: Pick<JsonRecordOptions, "isKnown" | "limits"> = {},
): AsyncGenerator<JsonPiece, void> {
  for await (const cut of readLines(chunks, limits)) {
    if (cut.kind === "fault") {
      yield cut;
      continue;
    }
    const { offset, line, bytes } = cut;
    const place = { offset, line };
    if (isEmpty(bytes)) continue;
    const depth = depthOf(bytes);
    if (depth > limits.maxDepth) {
      yield faultAt(place, "record_too_deep", `It is nested ${depth} levels deep.`);
    } else if (isKnown(bytes)) yield { kind: "known", ...place, bytes };
    else yield parse(bytes, place);
  }
}

function parse(bytes: Buffer, place: { offset: number; line: number }): JsonPiece {
  try {
    return {
      kind: "record",
      ...place,
      bytes,
      value: JSON.parse(bytes.toString("utf8")) as unknown,
    };
  } catch {
    return faultAt(place, "record_broken", "The line is no valid JSON.");
  }
}

function isEmpty(bytes: Buffer): boolean {
  return bytes.length < 100 && bytes.toString("utf8").trim() === "";
}

/** Measured before reading: what is nested too deep would break whoever walks through it. */
function depthOf(bytes: Buffer): number {
  const scan = beginScan(bytes[0], 0);
  scanOn(scan, bytes, { start: 0, stop: bytes.length });
  return scan.deepest;
}
