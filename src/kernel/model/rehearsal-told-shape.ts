/**
 * Shapes that prompts write out for a reader: `Output: {score: 0-100, issues: [{severity, line}]}`. Read
 * as a JSON schema, so that where a contract leaves an object open, the reply has the fields asked for.
 * What a name suggests counts where nothing else is said: a `line` is a number, `tags` are a list.
 */

import type { JsonSchema, ModelMessage } from "./model-provider.ts";
import { singular, wordsOf } from "./rehearsal-prose.ts";

/** A glance: shapes stand where something is asked for, not deep inside the material. */
const MOST_TEXT = 40_000;
const MOST_DEPTH = 6;
const MOST_FIELDS = 60;

const LEAD =
  /(?<![\p{L}\p{N}])(outputs?|returns?|respond(?: with)?|reply(?: with)?|answer(?: with)?|produce|results?|json|format|form|shape|fields)(?![\p{L}\p{N}])[^\n{}[\]]{0,40}?\s{0,4}(?:```\w{0,8}\s{1,4})?\{/giu;

/** What the prompt says an open object named `name` should hold; a shape under that very name comes first. */
export function toldShape(messages: readonly ModelMessage[], name: string): JsonSchema | undefined {
  const asked = messages.filter(({ role }) => role === "user");
  const text = withoutMaterial(
    asked
      .map((message) => message.text)
      .join("\n")
      .slice(0, MOST_TEXT),
  );
  let first: JsonSchema | undefined;
  for (const found of text.matchAll(LEAD)) {
    const shape = readShape(text, found.index + found[0].length - 1);
    if (shape === undefined) continue;
    if (found[1]?.toLowerCase().startsWith(name.toLowerCase())) return shape;
    first ??= shape;
  }
  return first;
}

/** What stands between tags is there to be read, and may hold shapes of its own. */
function withoutMaterial(text: string): string {
  let kept = "";
  let at = 0;
  for (const tag of text.matchAll(/<([a-z][\w-]{0,60})[^<>\n]{0,200}>/g)) {
    if (tag.index < at) continue;
    const closing = `</${tag[1]}>`;
    const end = text.indexOf(closing, tag.index);
    if (end === -1) continue;
    kept += `${text.slice(at, tag.index)} `;
    at = end + closing.length;
  }
  return kept + text.slice(at);
}

/** `undefined` for braces that hold no list of names. */
function readShape(text: string, start: number): JsonSchema | undefined {
  let at = start;
  let fields = 0;
  const shape = object(0);
  return shape !== undefined && fields > 0 ? shape : undefined;

  function object(depth: number): JsonSchema | undefined {
    at += 1;
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (skip(/[\s,;]*/y); text[at] !== "}"; skip(/[\s,;]*/y)) {
      const key = skip(/["'`]?([\p{L}_$][\p{L}\p{N}_$-]{0,60})["'`]?/uy);
      fields += 1;
      if (key === undefined) {
        // `{name, …}`: there may be more.
        if (skip(/\.{3}|…/y) === undefined) return undefined;
        continue;
      }
      if (depth > MOST_DEPTH || fields > MOST_FIELDS) return undefined;
      if (skip(/\s*\?/y) === undefined) required.push(key);
      const isTyped = skip(/\s*:\s*/y) !== undefined;
      const field = isTyped ? value(key, depth + 1) : byName(key);
      if (field === undefined) return undefined;
      properties[key] = field;
    }
    at += 1;
    return { type: "object", properties, required };
  }

  function value(name: string, depth: number): JsonSchema | undefined {
    const one = single(name, depth);
    if (one === undefined) return undefined;
    return skip(/\[\s*\]/y) === undefined ? one : { type: "array", items: one };
  }

  function single(name: string, depth: number): JsonSchema | undefined {
    if (text[at] === "{") return object(depth);
    if (text[at] === "[") return list(name, depth);
    const range = RANGE.exec(text.slice(at, at + 40));
    if (range !== null) {
      at += range[0].length;
      const [minimum, maximum] = [Number(range[1]), Number(range[2])];
      const isWhole = !/\./.test(range[0].replaceAll("..", ""));
      return { type: isWhole ? "integer" : "number", minimum, maximum };
    }
    const written = skip(/((?:"[^"\n]{0,80}"|'[^'\n]{0,80}'|[^,;{}[\]"'\n]){1,200})/y);
    return written === undefined ? undefined : byWords(written.trim(), name);
  }

  function list(name: string, depth: number): JsonSchema | undefined {
    at += 1;
    skip(/\s*/y);
    const item = text[at] === "]" ? byName(singular(name)) : value(singular(name), depth + 1);
    skip(/[^\]{}[\n]{0,80}/y);
    if (item === undefined || text[at] !== "]") return undefined;
    at += 1;
    return { type: "array", items: item };
  }

  /** Goes over what the pattern matches here; its first group, or all of it. */
  function skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null || match[0] === "") return undefined;
    at += match[0].length;
    return match[1] ?? match[0];
  }
}

const RANGE = /^(-?\d+(?:\.\d+)?)\s*(?:-|–|—|\.{2,3}|to)\s*(-?\d+(?:\.\d+)?)(?![\d.])/;

const TYPE_WORDS: readonly (readonly [RegExp, JsonSchema])[] = [
  [/^(?:string|text|str|markdown)$/i, { type: "string" }],
  [/^(?:integer|int|whole number)$/i, { type: "integer" }],
  [/^(?:number|float|decimal|numeric)$/i, { type: "number" }],
  [/^(?:boolean|bool)$/i, { type: "boolean" }],
  [/^(?:date)$/i, { type: "string", format: "date" }],
  [/^(?:date-?time|timestamp)$/i, { type: "string", format: "date-time" }],
  [/^(?:url|uri)$/i, { type: "string", format: "uri" }],
  [/^(?:list|array)(?: of (?:strings?|texts?))?$/i, { type: "array", items: { type: "string" } }],
  [/^null$/i, { type: "null" }],
];

/** `string`, `"low" | "high"`, `true|false`, `string|null`, or words that only explain. */
function byWords(written: string, name: string): JsonSchema {
  const words = written.split(/\s*\|\s*/).map((word) => word.replaceAll(/^["'`]|["'`]$/g, ""));
  const types = words.map((word) => TYPE_WORDS.find(([pattern]) => pattern.test(word))?.[1]);
  const [only] = types;
  if (words.length === 1) {
    if (only !== undefined) return named(only, name);
    if (/^-?\d+$/.test(written)) return named({ type: "integer" }, name);
    if (/^-?\d+\.\d+$/.test(written)) return named({ type: "number" }, name);
    return /^(?:true|false)$/.test(written) ? { type: "boolean" } : byName(name);
  }
  if (words.every((word) => /^(?:true|false)$/.test(word))) return { type: "boolean" };
  if (types.every((type) => type !== undefined)) return { anyOf: types };
  return { enum: words.map((word) => (word === "null" ? null : word)) };
}

/** A plain number keeps the range that its name suggests. */
function named(type: JsonSchema, name: string): JsonSchema {
  const guess = byName(name);
  const isNumber = (schema: JsonSchema) => /^(?:number|integer)$/.test(String(schema["type"]));
  return isNumber(type) && isNumber(guess) ? { ...guess, ...type } : type;
}

const FLAG =
  /^(?:is|has|have|should|can|needs?|was|were|did|will|must|may) \w|^(?:approved|passed|valid|ok|done|success|merged)$/;
const SHARE = /\b(?:confidence|probability|likelihood|certainty)$/;
const MARK = /\b(?:score|percent|percentage|rating|quality)$/;
const COUNT =
  /\b(?:count|number|total|lines?|additions|deletions|insertions|index|size|age|year|quantity|amount|position|rank|port|minutes|hours|days|seconds|tokens)$/;

function byName(name: string): JsonSchema {
  const words = wordsOf(name);
  if (FLAG.test(words)) return { type: "boolean" };
  if (SHARE.test(words)) return { type: "number", minimum: 0, maximum: 1 };
  if (MARK.test(words)) return { type: "integer", minimum: 0, maximum: 100 };
  if (COUNT.test(words)) return { type: "integer", minimum: 1 };
  if (singular(name) !== name) return { type: "array", items: byName(singular(name)) };
  return { type: "string" };
}
