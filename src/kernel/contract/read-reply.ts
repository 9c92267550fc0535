/**
 * Reads a model's reply against a contract: strict → jsonc → partial → repair → coerce → validate.
 * Every change is in the ledger. A reading that would have to guess, or that lost anything, is not
 * accepted: it comes back as a failure with what could be read.
 *
 * - Several JSON values: the last that has this contract's fields is the answer (resemblance.ts).
 * - A reported cut is believed, except when the reply is one closed JSON value and nothing else.
 * - An unreported cut is found by its open brackets.
 * - A contract with `textAs` takes what is in none of its syntaxes as it is, unless it was cut.
 */

import { judge } from "./check-value.ts";
import type { Contract } from "./contract.ts";
import { type Finish, isCutShort } from "./finish.ts";
import { createLedger, excerpt, type Repair } from "./ledger.ts";
import { isPlainlyRead } from "./parse-json.ts";
import { closedInSpiteOfCut, isScalar, readJsonReply } from "./read-json.ts";
import { findSections, readSections } from "./read-sections.ts";
import { type Reading, refused } from "./reading.ts";
import { shapeOf } from "./shape.ts";

const MOST_REPLY_BYTES = 2 * 1024 * 1024;

export function readReply<Value>(
  contract: Contract<Value>,
  text: string,
  finish: Finish,
): Reading<Value> {
  if (isTooLarge(text)) return tooLarge(text);
  const isCut = isCutShort(finish);
  const plain = readPlainJson(contract, text);
  if (plain !== undefined) return isCut ? withRepair(closedInSpiteOfCut(), plain) : plain;
  const answer = withoutThinking(text);
  if (answer.trim() === "") return empty(isCut);
  const reading = orAsText(contract, readBySyntax(contract, answer, isCut), answer, isCut);
  return answer === text ? reading : withRepair(leftAside(text, answer), reading);
}

function withRepair<Value>(repair: Repair, reading: Reading<Value>): Reading<Value> {
  return { ...reading, repairs: [repair, ...reading.repairs] };
}

/** The path nearly every reply takes: nothing but valid JSON that meets the contract. */
function readPlainJson<Value>(contract: Contract<Value>, text: string): Reading<Value> | undefined {
  if (!contract.syntaxes.includes("json") || !/^\s*[[{]/.test(text)) return undefined;
  if (isScalar(contract)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isPlainlyRead(text, value) ? judge(contract, value, createLedger()) : undefined;
  } catch {
    return undefined;
  }
}

function readBySyntax<Value>(
  contract: Contract<Value>,
  text: string,
  isCut: boolean,
): Reading<Value> {
  if (!contract.syntaxes.includes("sections")) return readJsonReply(contract, text, isCut);
  const sections = findSections(contract, text);
  if (!contract.syntaxes.includes("json")) {
    return sections.scan.found.length > 0 || isCut
      ? readSections(contract, sections, isCut)
      : noSections(contract);
  }
  const required = (shapeOf(contract).required ?? []).length;
  const isSectioned = sections.scan.found.length >= Math.max(1, Math.ceil(required / 2));
  const isBare = /^\s*[[{]/.test(text);
  if (isSectioned && !isBare) {
    const read = readSections(contract, sections, isCut);
    const other = read.ok || isCut ? read : readJsonReply(contract, text, isCut);
    return other.ok ? other : read;
  }
  const read = readJsonReply(contract, text, isCut);
  if (read.ok || read.failure !== "no_payload" || sections.scan.found.length === 0) return read;
  return readSections(contract, sections, isCut);
}

function orAsText<Value>(
  contract: Contract<Value>,
  reading: Reading<Value>,
  text: string,
  isCut: boolean,
): Reading<Value> {
  const { name, textAs } = contract;
  if (textAs === undefined || reading.ok) return reading;
  const value = { [textAs]: text.trim() };
  if (isCut) {
    if (reading.failure === "truncated") return reading;
    const problem = {
      code: "cut_short",
      path: textAs,
      message: "The reply was cut short.",
    } as const;
    return refused("truncated", [problem], { partial: value, open: { path: [textAs], text } });
  }
  const ledger = createLedger();
  const sentence = `The whole reply was taken as the \`${textAs}\` of "${name}".`;
  const repair = { step: "extract", path: textAs, offset: 0, before: excerpt(text) } as const;
  ledger.add({ ...repair, after: "", sentence, loss: "none" });
  return judge(contract, value, ledger);
}

/**
 * Some models write their thinking into the text. It is blanked, so that every offset stays what it
 * was; thinking that never ends leaves nothing to read.
 */
function withoutThinking(text: string): string {
  const open = /^[\s\ufeff]*<(think|thinking|reasoning)>/i.exec(text);
  if (open === null) return text.startsWith("\ufeff") ? ` ${text.slice(1)}` : text;
  const close = `</${open[1]?.toLowerCase() ?? ""}>`;
  const at = text.toLowerCase().indexOf(close, open[0].length);
  return at === -1 ? "" : " ".repeat(at + close.length) + text.slice(at + close.length);
}

function leftAside(text: string, answer: string): Repair {
  const before = excerpt(text.slice(0, answer.length - answer.trimStart().length).trim());
  const sentence = "Thinking before the answer, or a byte order mark, was left aside.";
  return { step: "extract", path: "", offset: 0, before, after: "", sentence, loss: "none" };
}

function isTooLarge(text: string): boolean {
  if (text.length * 3 <= MOST_REPLY_BYTES) return false;
  return text.length > MOST_REPLY_BYTES || Buffer.byteLength(text) > MOST_REPLY_BYTES;
}

function tooLarge<Value>(text: string): Reading<Value> {
  const size = (Buffer.byteLength(text) / (1024 * 1024)).toFixed(1);
  const message = `The reply has ${size} MB; at most 2 MB are read.`;
  return refused("invalid", [{ code: "too_large", path: "", message }]);
}

function empty<Value>(isCut: boolean): Reading<Value> {
  const message = isCut
    ? "The reply is empty: the model used up its output before it began to answer."
    : "The reply is empty.";
  return refused("empty", [{ code: "empty", path: "", message }]);
}

function noSections<Value>(contract: Contract<Value>): Reading<Value> {
  const headings = contract.sections.map(({ heading }) => `"${heading}"`).join(", ");
  const message = `The reply has none of the sections ${headings}.`;
  return refused("no_payload", [{ code: "no_payload", path: "", message }]);
}
