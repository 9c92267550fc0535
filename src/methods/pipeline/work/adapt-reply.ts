/**
 * The forms in which models give a task's reply, brought into the one that the contract judges. Only
 * what is beyond doubt: `next_action: "CONTINUE - write tests"` says two things, but "Complete the
 * tests" under Next Action is work that is left, and not the word COMPLETE.
 */

import { plainKey } from "../../../kernel/contract/coerce.ts";
import type { Adapt, NoteChange } from "../../../kernel/contract/contract.ts";
import { createLedger } from "../../../kernel/contract/ledger.ts";
import { isPlainObject } from "../../../kernel/contract/path.ts";
import { readPayload } from "../../../kernel/contract/read-json.ts";
import { adaptQuestions } from "./adapt-questions.ts";

type Members = Record<string, unknown>;

export function replyAdapter(options: { readonly hasOutputSchema: boolean }): Adapt {
  return (written, note) => {
    const found = unwrapped(written, note);
    if (!isPlainObject(found)) return written;
    const reply = renamed(found, FIELDS, [], note);
    splitWords(reply, note);
    collectMetadata(reply, note);
    if (reply["questions"] !== undefined) {
      reply["questions"] = adaptQuestions(reply["questions"], ["questions"], note);
    }
    placeOutput(reply, options.hasOutputSchema, note);
    return reply;
  };
}

/** By plain key; the names themselves are known to the contract, in whatever spelling. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["status", "status"],
  ["summary", "summary"],
  ["output", "output"],
  ["outputs", "output"],
  ["result", "output"],
  ["nextaction", "nextAction"],
  ["action", "nextAction"],
  ["nextactionreason", "nextActionReason"],
  ["nextactiondescription", "nextActionReason"],
  ["nextactiondetails", "nextActionReason"],
  ["nextstep", "nextActionReason"],
  ["nexttask", "nextActionReason"],
  ["followup", "nextActionReason"],
  ["reason", "nextActionReason"],
  ["statusreason", "statusReason"],
  ["metadata", "metadata"],
  ["meta", "metadata"],
  ["questions", "questions"],
]);

const METADATA: ReadonlyMap<string, string> = new Map([
  ["confidence", "confidence"],
  ["suggestedtags", "suggested_tags"],
  ["suggestednextstage", "suggested_next_stage"],
  ["questions", "questions"],
]);

function unwrapped(written: unknown, note: NoteChange): unknown {
  if (!isPlainObject(written)) return written;
  const [only, second] = Object.entries(written);
  if (only === undefined || second !== undefined || !isPlainObject(only[1])) return written;
  const fields = Object.keys(only[1]).map(plainKey);
  if (!fields.includes("status") || !fields.includes("nextaction")) return written;
  note([], only[0], only[1], `The answer was taken out of "${only[0]}".`);
  return only[1];
}

/** A name that is there already is not taken by another; of two that claim one, the first has it. */
function renamed(
  written: Readonly<Members>,
  names: ReadonlyMap<string, string>,
  path: readonly string[],
  note: NoteChange,
): Members {
  const reply: Members = {};
  const exact = new Set(Object.keys(written));
  for (const [key, value] of Object.entries(written)) {
    const name = names.get(plainKey(key));
    const isFree = name !== undefined && !exact.has(name) && !Object.hasOwn(reply, name);
    if (name === undefined || name === key || !isFree) reply[key] = value;
    else {
      note([...path, name], key, name, `The key "${key}" was read as "${name}".`);
      reply[name] = value;
    }
  }
  return reply;
}

const WORDS = "COMPLETE|CONTINUE|ESCALATE|HOLD|ASK|SUCCESS|PARTIAL|BLOCKED|FAILED";
const ALONE = new RegExp(`^[^\\p{L}]*(${WORDS})[^\\p{L}]*$`, "iu");
/** In capitals, so that a sentence which begins with such a word stays a sentence. */
const LEADING = new RegExp(
  `^[^\\p{L}\\n]{0,6}(${WORDS})(?![\\p{L}\\p{N}_])[^\\p{L}\\p{N}|/\\n]*\\s*(?![\\s|/]|(?:or|and)\\b)(.+)$`,
  "su",
);

function splitWords(reply: Members, note: NoteChange): void {
  openObject(reply, note);
  for (const [field, rest] of [
    ["status", "statusReason"],
    ["nextAction", "nextActionReason"],
  ] as const) {
    const said = reply[field];
    if (typeof said !== "string") continue;
    const [, word, after] = ALONE.exec(said) ?? LEADING.exec(said) ?? [];
    const plain = word?.toUpperCase() === "ASK" ? "HOLD" : word?.toUpperCase();
    if (plain === undefined || plain === said) continue;
    note([field], said, plain, `${plain} is what the text says.`);
    reply[field] = plain;
    if (after === undefined || after.trim() === "") continue;
    const more = typeof reply[rest] === "string" ? `\n${reply[rest]}` : "";
    reply[rest] = `${after.trim().replace(/^([^(]*)\)$/, "$1")}${more}`;
  }
  tidyReason(reply);
}

/** `nextAction: { action: "CONTINUE", description: "…" }` */
function openObject(reply: Members, note: NoteChange): void {
  const action = reply["nextAction"];
  if (!isPlainObject(action)) return;
  const word = action["action"] ?? action["type"] ?? action["value"] ?? action["nextAction"];
  const reason = action["description"] ?? action["reason"] ?? action["details"] ?? action["task"];
  if (typeof word !== "string") return;
  note(["nextAction"], action, word, "The word was taken out of an object.");
  reply["nextAction"] = word;
  if (typeof reason === "string") reply["nextActionReason"] ??= reason;
}

/** A list of one, and the words of the prompt that some models repeat. */
function tidyReason(reply: Members): void {
  const reason = reply["nextActionReason"];
  if (typeof reason !== "string") return;
  const isOneBullet = reason.split("\n").filter((line) => /^\s*[-*•]\s/.test(line)).length === 1;
  const plain = isOneBullet ? reason.replace(/^\s*[-*•]\s+/, "") : reason;
  const tidy = plain.replace(/^if (?:continue|escalate|hold):\s*/i, "").trim();
  if (tidy === "") delete reply["nextActionReason"];
  else reply["nextActionReason"] = tidy;
}

function collectMetadata(reply: Members, note: NoteChange): void {
  const given = reply["metadata"];
  if (given !== undefined && given !== null && !isPlainObject(given)) return;
  const metadata = renamed(given ?? {}, METADATA, ["metadata"], note);
  for (const key of Object.keys(reply)) {
    const name = METADATA.get(plainKey(key));
    if (name === undefined || name === "questions" || Object.hasOwn(metadata, name)) continue;
    note(["metadata", name], key, name, `"${key}" was read as part of the metadata.`);
    metadata[name] = reply[key];
    delete reply[key];
  }
  if (Object.hasOwn(metadata, "questions")) {
    if (!Object.hasOwn(reply, "questions")) reply["questions"] = metadata["questions"];
    delete metadata["questions"];
  }
  readConfidence(metadata, note);
  readTags(metadata, note);
  readStage(metadata, note);
  if (Object.keys(metadata).length > 0) reply["metadata"] = metadata;
  else delete reply["metadata"];
}

function readConfidence(metadata: Members, note: NoteChange): void {
  const said = metadata["confidence"];
  const percent = typeof said === "string" ? /^\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/.exec(said)?.[1] : "";
  if (percent === undefined || percent === "") return;
  metadata["confidence"] = Number((Number(percent) / 100).toPrecision(12));
  note(
    ["metadata", "confidence"],
    said,
    metadata["confidence"],
    "A percentage was read as a share.",
  );
}

function readTags(metadata: Members, note: NoteChange): void {
  const said = metadata["suggested_tags"];
  if (typeof said !== "string") return;
  const tags = said
    .split(/[,;\n]/)
    .map((tag) => tag.replace(/^[\s"'[#*-]+|[\s"'\]]+$/g, ""))
    .filter((tag) => tag !== "" && !/^(?:none|n\/a)$/i.test(tag));
  note(["metadata", "suggested_tags"], said, tags, "A text was read as a list of tags.");
  metadata["suggested_tags"] = tags;
}

function readStage(metadata: Members, note: NoteChange): void {
  const said = metadata["suggested_next_stage"];
  if (typeof said !== "string" || !/^\s*(?:null|none|n\/a)?\s*$/i.test(said)) return;
  note(["metadata", "suggested_next_stage"], said, null, "It names no stage.");
  metadata["suggested_next_stage"] = null;
}

/** What is there of work that was not done is kept apart: it need not meet the step's schema. */
function placeOutput(reply: Members, hasOutputSchema: boolean, note: NoteChange): void {
  if (reply["output"] === null) delete reply["output"];
  const output = decoded(reply["output"], note);
  const isAsking = Array.isArray(reply["questions"]) && reply["questions"].length > 0;
  const isUndone = isAsking || reply["status"] === "BLOCKED" || reply["status"] === "FAILED";
  if (output === undefined) return;
  reply["output"] = output;
  if (!isUndone && (isPlainObject(output) || hasOutputSchema)) return;
  const kept = isPlainObject(output) ? output : { text: asText(output) };
  const field = isUndone ? "outputSoFar" : "output";
  const sentence = isUndone
    ? "The work is not done: what there is of its output is kept apart."
    : "An output that is no object was read as text.";
  note([field], output, kept, sentence);
  delete reply["output"];
  reply[field] = kept;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** An object that was written as JSON inside a text, perhaps in a code fence. */
function decoded(output: unknown, note: NoteChange): unknown {
  if (typeof output !== "string" || !/^\s*(?:`{3,}\w*\s*)?\{\s*["'}]/.test(output)) return output;
  const ledger = createLedger();
  const payload = readPayload(output, 0, ledger);
  if (!payload.ok || !isPlainObject(payload.value) || ledger.loss() === "lossy") return output;
  note(["output"], output, payload.value, "JSON written inside a text was read as JSON.");
  return payload.value;
}
