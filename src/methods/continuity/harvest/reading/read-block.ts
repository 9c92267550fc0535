/** The candidates of an answer that holds JSON: the block that the return contract asks for, or something like it. */

import { isPlainObject, type Path } from "../../../../kernel/contract/path.ts";
import { truncateText } from "../../../../kernel/prompt/truncate-text.ts";
import type { TextRange } from "./answer-outline.ts";
import { type FoundJson, findJson } from "./find-json.ts";
import type { Group, GroupWords } from "./group-words.ts";
import { type HarvestedGroup, ofGroup, type ReadCandidate, toCandidate } from "./read-candidate.ts";

export interface BlockReading {
  readonly candidates: readonly ReadCandidate[];
  /** Of all JSON that was read as the answer. */
  readonly ranges: readonly TextRange[];
  /** The packet that the block says it answers. */
  readonly packetName: string | undefined;
  readonly isCut: boolean;
}

/** The last that proposes something counts: what stands before it is an example or a draft. */
export function readBlock(answer: string, words: GroupWords): BlockReading {
  const read = findJson(answer).map((json) => ({ json, ...readJson(json, words) }));
  const proposing = read.filter(({ candidates }) => candidates.length > 0);
  const last = proposing.findLast(({ json }) => json.isNamed) ?? proposing.at(-1);
  const named = read.findLast(({ packetName }) => packetName !== undefined);
  return {
    candidates: last?.candidates ?? [],
    ranges: read.filter(({ isAnswer }) => isAnswer).map(({ json }) => json),
    packetName: last?.packetName ?? named?.packetName,
    isCut: last?.json.isCut ?? false,
  };
}

function readJson(json: FoundJson, words: GroupWords) {
  const candidates: ReadCandidate[] = [];
  const root = rootOf(json.value, words);
  for (const { group, items, path } of root.groups) {
    for (const [index, item] of items.entries()) {
      const read = readItem(json, item, [...path, index], group, words);
      if (read !== undefined) candidates.push(read);
    }
  }
  const { packetName } = root;
  return { candidates, packetName, isAnswer: root.groups.length > 0 || packetName !== undefined };
}

interface JsonGroup {
  /** Undefined where each item says itself what it is. */
  readonly group: Group | undefined;
  readonly items: readonly unknown[];
  readonly path: Path;
}

interface JsonRoot {
  readonly groups: readonly JsonGroup[];
  readonly packetName: string | undefined;
}

function rootOf(value: unknown, words: GroupWords, path: Path = []): JsonRoot {
  if (Array.isArray(value)) {
    const isTyped = value.some((item) => isPlainObject(item) && typeOf(item, words) !== undefined);
    return {
      groups: isTyped ? [{ group: undefined, items: value, path }] : [],
      packetName: undefined,
    };
  }
  if (!isPlainObject(value)) return { groups: [], packetName: undefined };
  const groups = Object.entries(value).flatMap(([key, items]): JsonGroup[] => {
    const group = words.exactGroup(spaced(key));
    if (group === undefined || group === "answer" || !Array.isArray(items)) return [];
    return [{ group, items, path: [...path, key] }];
  });
  const packetName = textIn(value, ["packet", "packetid", "packetname"]);
  if (groups.length > 0 || packetName !== undefined || path.length > 0) {
    return { groups, packetName };
  }
  // `{"response": {…}}`
  const inner = Object.entries(value).map(([key, each]) => rootOf(each, words, [key]));
  return inner.find((root) => root.groups.length > 0) ?? { groups: [], packetName: undefined };
}

function readItem(
  json: FoundJson,
  item: unknown,
  path: Path,
  group: Group | undefined,
  words: GroupWords,
): ReadCandidate | undefined {
  if (typeof item === "string") {
    const place = json.placeOf(path);
    const quote = place === undefined ? json : { start: place.start + 1, end: place.end - 1 };
    const own = group === undefined || group === "answer" ? undefined : group;
    if (own === undefined || item.trim() === "" || words.isNothing(item)) return undefined;
    return toCandidate(own, item, "", quote);
  }
  if (!isPlainObject(item)) return undefined;
  const own = group ?? typeOf(item, words);
  if (own === undefined || own === "answer") return undefined;
  return readObject(item, own, placeOfItem(json, item, path), words);
}

const TITLES = [
  "title",
  "name",
  "task",
  "action",
  "step",
  "nextstep",
  "decision",
  "what",
  "headline",
  "question",
  "summary",
];
const LABELS = ["label", "title", "name", "topic", "headline"];
const BODIES = [
  "description",
  "content",
  "text",
  "details",
  "detail",
  "body",
  "insight",
  "highlight",
  "finding",
  "note",
  "notes",
];
const REPLACES = ["supersedes", "replaces", "contradicts", "overturns", "reverses"];
const SILENT = [
  "id",
  "number",
  "no",
  "index",
  "type",
  "kind",
  "packet",
  "isblocker",
  "blocker",
  "isopenloop",
  "openloop",
];

function readObject(
  item: Readonly<Record<string, unknown>>,
  group: HarvestedGroup,
  quote: TextRange,
  words: GroupWords,
): ReadCandidate | undefined {
  const names = group === "highlights" ? LABELS : TITLES;
  const title = textIn(item, names);
  const body = textIn(item, BODIES);
  const more = restOf(item, [...names, ...BODIES, ...REPLACES, ...SILENT]);
  const text = [body, ...more].filter((line) => line !== undefined).join("\n");
  if (title === undefined && text === "") return undefined;
  if (words.isNothing(title ?? text)) return undefined;
  const replaces = textIn(item, REPLACES);
  const read = title === undefined || text === "" ? undefined : named(group, title, text, quote);
  const made = read ?? bare(group, title ?? text, quote);
  return (
    made && {
      ...made,
      ...(replaces === undefined ? {} : { replaces }),
      isBlocker: made.isBlocker || isTrue(item, ["isblocker", "blocker"]),
      isOpenLoop: made.isOpenLoop || isTrue(item, ["isopenloop", "openloop"]),
    }
  );
}

const LONGEST_TITLE = 200;

/** The fields say what is title and what is text. */
function named(
  group: HarvestedGroup,
  title: string,
  text: string,
  quote: TextRange,
): ReadCandidate {
  return title.length <= LONGEST_TITLE
    ? ofGroup(group, title, text, quote)
    : ofGroup(group, truncateText(title, LONGEST_TITLE), `${title}\n${text}`, quote);
}

/** One text for everything: a highlight's words, or a title. */
function bare(group: HarvestedGroup, text: string, quote: TextRange): ReadCandidate | undefined {
  const isTitle = group !== "highlights" && text.length <= LONGEST_TITLE && !text.includes("\n");
  return isTitle ? ofGroup(group, text, "", quote) : toCandidate(group, text, "", quote);
}

function typeOf(item: Readonly<Record<string, unknown>>, words: GroupWords): Group | undefined {
  const type = textIn(item, ["type", "kind", "category"]);
  return type === undefined ? undefined : words.exactGroup(spaced(type));
}

function textIn(
  item: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const entry = Object.entries(item).find(([key]) => plainKey(key) === name);
    if (typeof entry?.[1] === "string" && entry[1].trim() !== "") return entry[1].trim();
  }
  return undefined;
}

function isTrue(item: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return Object.entries(item).some(
    ([key, value]) => value === true && names.includes(plainKey(key)),
  );
}

/** What has no place of its own keeps its name: `Rationale: …`. */
function restOf(item: Readonly<Record<string, unknown>>, taken: readonly string[]): string[] {
  return Object.entries(item).flatMap(([key, value]) => {
    if (taken.includes(plainKey(key))) return [];
    const list = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
    const text =
      list.length > 0
        ? list.join("; ")
        : typeof value === "string" || typeof value === "number"
          ? String(value).trim()
          : "";
    return text === "" ? [] : [`${spaced(key)}: ${text}`];
  });
}

/** Of an item that breaks off, what is whole of it. */
function placeOfItem(
  json: FoundJson,
  item: Readonly<Record<string, unknown>>,
  path: Path,
): TextRange {
  const whole = json.placeOf(path);
  if (whole !== undefined) return whole;
  const parts = Object.keys(item).flatMap((key) => json.placeOf([...path, key]) ?? []);
  if (parts.length === 0) return json;
  return {
    start: Math.min(...parts.map(({ start }) => start)),
    end: Math.max(...parts.map(({ end }) => end)),
  };
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** `nextSteps`, `next_steps` → `next steps`. */
function spaced(key: string): string {
  return key
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[_\-.\s]+/g, " ")
    .toLowerCase()
    .trim();
}
