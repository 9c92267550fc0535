/** Finds the JSON answer in a reply and reads it. */

import { judge, tooDeepProblem } from "./check-value.ts";
import type { Contract } from "./contract.ts";
import {
  type Candidate,
  type Candidates,
  findCandidates,
  widestCandidate,
} from "./json-candidates.ts";
import { createLedger, excerpt, type Ledger, type Repair } from "./ledger.ts";
import { type ParsedJson, parseJson } from "./parse-json.ts";
import { formatPath, isPlainObject } from "./path.ts";
import { type Problem, type Reading, type Refused, refused } from "./reading.ts";
import { mentionsShape, resemblesShape } from "./resemblance.ts";
import { admitsType, resolveShape, type Shape, shapeOf, typesOf } from "./shape.ts";
import { placeholdersIn } from "./skeleton.ts";

/** Open brackets that are tried as the begin of a cut answer; prose rarely leaves even one. */
const MOST_OPEN_TRIED = 8;

interface Attempt {
  readonly candidate: Candidate;
  readonly parsed: ParsedJson;
  readonly ledger: Ledger;
}

export function readJsonReply<Value>(
  contract: Contract<Value>,
  text: string,
  isCut: boolean,
): Reading<Value> {
  if (isScalar(contract)) return readScalarReply(contract, text, isCut);
  const candidates = findCandidates(text);
  const { closed, open } = candidates;
  const cut = firstCut(text, open);
  if (cut === "too_deep") return refused("invalid", [tooDeepProblem("")]);
  if (cut !== undefined) return truncated(cut);
  const whole = closed.length === 1 ? closed[0] : undefined;
  if (isCut && (whole === undefined || !isAlone(text, whole))) return truncated(undefined);
  const attempt = findAnswer(contract, text, candidates);
  if (attempt === undefined) return noPayload(text);
  noteExtraction(text, attempt, closed.length);
  if (isCut) attempt.ledger.add(closedInSpiteOfCut());
  return settle(contract, attempt);
}

function settle<Value>(contract: Contract<Value>, { parsed, ledger }: Attempt): Reading<Value> {
  if (parsed.state === "whole") return judge(contract, parsed.value, ledger);
  if (parsed.state === "cut") return truncated({ parsed, ledger });
  const problem: Problem = parsed.tooDeep
    ? tooDeepProblem("")
    : { code: "syntax", path: "", message: `The JSON cannot be read: ${parsed.fault}.` };
  return refused("invalid", [problem], { repairs: ledger.entries() });
}

/**
 * The last attempt decides; see resemblance.ts. Where brackets do not tell its extent (stray quotes,
 * brackets in single-quoted texts), everything from the first bracket to the last is tried as well.
 */
function findAnswer(
  contract: Contract,
  text: string,
  { closed, open }: Candidates,
): Attempt | undefined {
  const shape = shapeOf(contract);
  const found = open.length > 0 ? undefined : lastAttempt(contract, text, closed);
  if (found !== undefined && !isDoubtful(found)) return found;
  const widest = attemptAt(shape, text, widestCandidate(text));
  const isBetter = widest !== undefined && isAttempt(shape, text, widest);
  if (isBetter && (found === undefined || !isDoubtful(widest))) return widest;
  return found ?? lastAttempt(contract, text, closed);
}

function isDoubtful({ parsed, ledger }: Attempt): boolean {
  return parsed.state !== "whole" || ledger.loss() === "lossy";
}

function lastAttempt(
  contract: Contract,
  text: string,
  closed: readonly Candidate[],
): Attempt | undefined {
  const shape = shapeOf(contract);
  let fallback: Attempt | undefined;
  for (const candidate of closed.toReversed()) {
    const attempt = attemptAt(shape, text, candidate);
    if (attempt === undefined) continue;
    if (!isEcho(contract, attempt) && isAttempt(shape, text, attempt)) return attempt;
    if (isPayload(attempt.parsed, shape)) fallback ??= attempt;
  }
  return fallback;
}

function isEcho(contract: Contract, { parsed }: Attempt): boolean {
  return parsed.state === "whole" && placeholdersIn(contract, parsed.value).length > 0;
}

function attemptAt(
  shape: Shape,
  text: string,
  candidate: Candidate | undefined,
): Attempt | undefined {
  if (candidate === undefined) return undefined;
  const ledger = createLedger();
  const source = text.slice(candidate.start, candidate.end);
  // Prose in brackets is not worth repairing.
  const parsed = parseJson(source, candidate.start, ledger, (broken) =>
    mentionsShape(shape, broken),
  );
  return { candidate, ledger, parsed };
}

function isAttempt(shape: Shape, text: string, { parsed, candidate }: Attempt): boolean {
  if (parsed.state !== "broken") return resemblesShape(shape, parsed.value);
  return parsed.tooDeep || mentionsShape(shape, text.slice(candidate.start, candidate.end));
}

/** Something was said in JSON, if not what was asked: `[1]` in prose is a footnote, not an answer. */
function isPayload(parsed: ParsedJson, shape: Shape): boolean {
  if (parsed.state === "broken") return false;
  const wanted = typesOf(resolveShape(shape, shape));
  const { value } = parsed;
  if (Array.isArray(value)) return wanted.includes("array") || value.some(isPlainObject);
  return isPlainObject(value) && Object.keys(value).length > 0;
}

function firstCut(text: string, open: readonly Candidate[]) {
  for (const { start } of open.slice(0, MOST_OPEN_TRIED)) {
    const ledger = createLedger();
    const parsed = parseJson(text.slice(start), start, ledger, () => false);
    if (parsed.state === "cut") return { parsed, ledger };
    if (parsed.state === "broken" && parsed.tooDeep) return "too_deep";
  }
  return undefined;
}

function truncated(
  cut: { parsed: Extract<ParsedJson, { state: "cut" }>; ledger: Ledger } | undefined,
): Refused {
  if (cut === undefined) {
    return refused("truncated", [
      { code: "cut_short", path: "", message: "The reply was cut short." },
    ]);
  }
  const { value, open } = cut.parsed;
  const path = formatPath(open.path);
  const message = `The reply was cut short ${path === "" ? "at its top level" : `inside \`${path}\``}.`;
  cut.ledger.add({
    step: "partial",
    path,
    before: excerpt(open.text ?? ""),
    after: "",
    sentence: "The value that was being written at the cut is not part of what was read.",
    loss: "lossy",
  });
  return refused("truncated", [{ code: "cut_short", path, message }], {
    repairs: cut.ledger.entries(),
    partial: value,
    open,
  });
}

function noPayload(text: string): Refused {
  const message = `The reply holds no JSON answer; it begins ${JSON.stringify(excerpt(text.trim(), 80))}.`;
  return refused("no_payload", [{ code: "no_payload", path: "", message }]);
}

/** Nothing but the answer, perhaps in a fence that the cut left open. */
function isAlone(text: string, { start, end }: Candidate): boolean {
  const before = text.slice(0, start).trim();
  const after = text.slice(end).trim();
  return /^(?:`{3,}\w*)?$/.test(before) && /^`*$/.test(after);
}

function noteExtraction(text: string, { candidate, ledger }: Attempt, candidates: number): void {
  const before = text.slice(0, candidate.start).trim();
  const after = text.slice(candidate.end).trim();
  if (before === "" && after === "") return;
  const around = [before, after].filter(Boolean).join(" … ");
  const isFence = isAlone(text, candidate);
  const rule =
    candidates > 1
      ? ` Of ${candidates} JSON values the last that has this contract's fields is the answer.`
      : "";
  ledger.add({
    step: "extract",
    path: "",
    offset: candidate.start,
    before: excerpt(around),
    after: "",
    sentence: `${isFence ? "The code fence around the answer was taken off." : "Text around the answer was left aside."}${rule}`,
    loss: "syntactic",
  });
}

export function closedInSpiteOfCut(): Repair {
  const sentence =
    "The provider reported a cut, but the answer is closed and nothing else was begun.";
  return { step: "extract", path: "", before: "", after: "", sentence, loss: "none" };
}

export function isScalar(contract: Contract): boolean {
  const shape = shapeOf(contract);
  const types = typesOf(resolveShape(shape, shape));
  return types.length > 0 && !types.includes("object") && !types.includes("array");
}

/** A contract for a single word, number or text: the whole reply is the value, JSON or not. */
function readScalarReply<Value>(
  contract: Contract<Value>,
  text: string,
  isCut: boolean,
): Reading<Value> {
  if (isCut) return truncated(undefined);
  const ledger = createLedger();
  const trimmed = text.trim();
  const parsed = parseJson(trimmed, text.indexOf(trimmed), createLedger(), () => false);
  const shape = resolveShape(shapeOf(contract), shapeOf(contract));
  const isValue = parsed.state === "whole" && admitsType(shape, parsed.value);
  return judge(contract, isValue ? parsed.value : trimmed, ledger);
}

export type Payload =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string; readonly isCut: boolean };

/** JSON inside a section: the same ladder, but the contract judges only the whole. */
export function readPayload(text: string, base: number, ledger: Ledger): Payload {
  const direct = payloadAt(text, 0, text.length, base, ledger);
  if (direct.ok) return direct;
  const { closed, open } = findCandidates(text);
  const last = closed.at(-1);
  const begun = open.find(({ start }) => last === undefined || start < last.start);
  if (begun !== undefined) return payloadAt(text, begun.start, text.length, base, ledger);
  if (last === undefined) return direct;
  const payload = payloadAt(text, last.start, last.end, base, ledger);
  if (!payload.ok) return payload;
  const around = `${text.slice(0, last.start)}${text.slice(last.end)}`.trim();
  const isFence = /^`*\w*\s*`*$/.test(around);
  ledger.add({
    step: "extract",
    path: "",
    offset: base + last.start,
    before: excerpt(around),
    after: "",
    sentence: `${isFence ? "The code fence" : "Text"} around the JSON was left aside.`,
    loss: isFence ? "none" : "syntactic",
  });
  return payload;
}

/** Notes reach the ledger only when the payload is taken. */
function payloadAt(
  text: string,
  start: number,
  end: number,
  base: number,
  ledger: Ledger,
): Payload {
  const notes = createLedger();
  const parsed = parseJson(text.slice(start, end), base + start, notes);
  if (parsed.state === "whole") {
    ledger.absorb(notes);
    return { ok: true, value: parsed.value };
  }
  const fault = parsed.state === "broken" ? parsed.fault : "it is not closed";
  return { ok: false, fault, isCut: parsed.state === "cut" };
}
