/**
 * The user turn that asks for the rest of a cut reply. It never relies on the model being able to
 * go on from its own unfinished message: current providers refuse that.
 */

import { continuationPoint, openJsonIn } from "./continuation-point.ts";
import type { Contract } from "./contract.ts";
import { formatPath } from "./path.ts";

export interface ContinuationRequest {
  readonly contract: Contract;
  readonly soFar: string;
  /** What the document still lacks, in the words of its contract. */
  readonly missing?: readonly string[];
}

const TAIL_LENGTH = 1_200;

export function continuationPrompt({ contract, soFar, missing = [] }: ContinuationRequest): string {
  const { text, mark, anchor } = continuationPoint(soFar);
  const tail = tailOf(text);
  const open = openJsonIn(text)?.reading.open;
  const place =
    open === undefined
      ? ""
      : `It stopped ${describePlace(formatPath(open.path), open.text !== undefined)}.`;
  return [
    `Your reply for "${contract.name}" was cut off before its end. ${place}`.trim(),
    `These are its last characters, between two lines of ${boundaryOf(mark)}:`,
    boundaryOf(mark),
    tail,
    boundaryOf(mark),
    ...(missing.length === 0 ? [] : [`Still missing: ${missing.join(", ")}.`]),
    "Write only what comes next, as if there had been no break:",
    `1. First this line, alone: ${mark}`,
    `2. Then exactly the last characters again, those between the brackets: ⟦${anchor}⟧`,
    "3. Then go straight on from there to the end of the reply.",
    "Do not start over, do not comment, do not open a new code fence, and write nothing that belongs to another document.",
  ].join("\n");
}

function tailOf(text: string): string {
  const cut = text.slice(-TAIL_LENGTH);
  return text.length > TAIL_LENGTH ? `…${cut.toWellFormed()}` : cut;
}

function describePlace(path: string, isText: boolean): string {
  if (path === "") return "inside the outermost brackets";
  return isText ? `inside the text of \`${path}\`` : `at \`${path}\``;
}

/** A line the quoted tail cannot contain: it carries the text's own hash. */
function boundaryOf(mark: string): string {
  return mark.replace("[[continued ", "-----").replace("]]", "-----");
}
