/**
 * What a prompt is about, as far as a glance tells: its titles, named things and ids. The rehearsal
 * model speaks of these, so that a demonstration reads like work on the matter at hand.
 */

import type { ModelMessage } from "./model-provider.ts";

export interface Subject {
  /** Never empty; fit to stand in a sentence. */
  readonly names: readonly [string, ...string[]];
  /** Ids the prompt mentions, looked for when first asked. */
  ids(): readonly string[];
  /** Sentences of the material it was given, word for word, looked for when first asked. */
  quotes(): readonly string[];
}

/** A glance does not read on for ever: the beginning says what it is about, the end what is asked. */
const BEGINNING = 3_000;
const END = 1_000;
const MOST_NAMES = 12;
const MOST_IDS = 40;
/** What is longer is a sentence, not the name of something. */
const MOST_WORDS = 6;

export function subjectOf(messages: readonly ModelMessage[]): Subject {
  const asked = messages.filter(({ role }) => role === "user");
  const text = (asked.length > 0 ? asked : messages).map((message) => message.text).join("\n");
  let ids: readonly string[] | undefined;
  let quotes: readonly string[] | undefined;
  return {
    names: namesIn(text),
    ids: () => {
      ids ??= idsIn(text);
      return ids;
    },
    quotes: () => {
      quotes ??= quotesIn(text);
      return quotes;
    },
  };
}

const MOST_QUOTES = 60;
const MATERIAL = /<untrusted-([0-9a-f]+)[^>]*>\n?([^]*?)\n?<\/untrusted-\1>/g;

/** Only of fenced material: instructions are not there to be quoted. */
function quotesIn(text: string): readonly string[] {
  const found: string[] = [];
  for (const [, , material = ""] of text.matchAll(MATERIAL)) {
    for (const sentence of material.match(/[^.!?\n]{12,160}[.!?]?/g) ?? []) {
      const quote = sentence.trim();
      if (quote.length >= 12 && !quote.includes("[redacted]")) found.push(quote);
      if (found.length >= MOST_QUOTES) return found;
    }
  }
  return found;
}

function namesIn(whole: string): [string, ...string[]] {
  const request = requestIn(whole);
  if (request !== undefined) return thingsIn(request);
  const text = withoutTags(whole);
  const labelled: string[] = [];
  const headings: string[] = [];
  const others: string[] = [];
  const read = (part: string) => {
    let fenced = false;
    for (let start = 0; start < part.length; ) {
      const feed = part.indexOf("\n", start);
      const end = feed === -1 ? part.length : feed;
      const first = part.charCodeAt(start);
      if (end > start && first === BACKTICK && part.startsWith("```", start)) fenced = !fenced;
      else if (end > start + 2 && !fenced) readLine(part.slice(start, end), first);
      start = end + 1;
    }
  };
  const readLine = (line: string, first: number) => {
    if (first === HASH) return headings.push(line.replace(HEADING, ""));
    const colon = line.indexOf(":");
    if (colon > 2 && colon < 28 && LABEL.test(line)) {
      const label = line.slice(colon + 1).trim();
      return label.endsWith(".") && isSentence(label) ? undefined : labelled.push(label);
    }
    const isItem = first === DASH || first === STAR || (first >= 48 && first <= 57);
    const item = isItem && !line.endsWith(":") ? ITEM.exec(line)?.[1] : undefined;
    if (item && !isSentence(item)) return others.push(item);
    if (line.includes('"') || line.includes("“")) {
      for (const [, quoted = ""] of line.matchAll(QUOTED)) {
        if (!isSentence(quoted)) others.push(quoted);
      }
    }
    return undefined;
  };

  if (text.length <= BEGINNING + END) read(text);
  else {
    read(text.slice(0, BEGINNING));
    read(text.slice(-END));
  }
  const names = new Set<string>();
  for (const found of [labelled, headings, others]) {
    for (const each of found) {
      const name = names.size < MOST_NAMES ? asName(each) : undefined;
      if (name !== undefined) names.add(name);
    }
  }
  const [first, ...rest] = names;
  return first === undefined ? plainTopics(text) : [first, ...rest];
}

const REQUEST = /^#{1,3} +(?:(?:the|your|original|user) +){0,3}request *$/im;
const QUOTED_REQUEST =
  /(?:initial prompt|request|own words)[^\n<]{0,80}:\n?<untrusted-([0-9a-f]+)[^>]*>([^]{1,3000}?)<\/untrusted-\1>/i;
const WHOLE = 40_000;
const LEADS_IN =
  /^(?:a|an|the|our|my|their|its|his|her|no|one|two|three|any|every|each|of|for|with|without|in|on|about|against|between|into|from|by|at|via|per|\d[\d.,]*)$/i;
const NO_PART_OF_A_NAME =
  /^(?:and|or|but|nor|to|as|if|so|than|then|that|this|these|those|which|who|whose|what|when|where|while|is|are|was|were|be|been|has|have|had|can|could|may|must|will|would|should|do|does|did|not|we|you|they|it|he|she|us|them|there|here|just|more|most|less|also|only|very|all|both|such|own|now|today|before|after|since|whether|how|why|takes?|needs?|runs?|works?|gets?|makes?|goes|costs?|keeps?|seems?|became|becomes?)$/i;
const TIME =
  /^(?:second|minute|hour|day|week|month|quarter|term|year|euro|dollar|percent|time|lot|way|kind)s?$/i;
const PLACE_LEAD = /^(?:in|at|from)$/i;
const MOST_ASKED = 8;

/** Where a prompt has a heading for what was asked, or quotes it as such, it is about that and nothing else. */
function requestIn(text: string): string | undefined {
  const [, , quoted] = QUOTED_REQUEST.exec(text.slice(0, WHOLE)) ?? [];
  if (quoted !== undefined) return quoted;
  const heading = REQUEST.exec(text.slice(0, BEGINNING));
  if (heading === null) return undefined;
  const start = heading.index + heading[0].length;
  const rest = text.slice(start, start + BEGINNING);
  const end = rest.search(/^#/m);
  return withoutTags(end === -1 ? rest : rest.slice(0, end));
}

function withoutTags(text: string): string {
  return text.replaceAll(/<[^<>]{0,200}>/g, " ");
}

/** Things are told by what leads in to them: an article, a number, a preposition. What is named often comes first. */
function thingsIn(request: string): [string, ...string[]] {
  const tokens = request.match(/[\p{L}\d][\p{L}\d'’.-]*(?<![.'’-])|[^\s\p{L}\d]/gu) ?? [];
  const times = Map.groupBy(tokens, (token) => token.toLowerCase());
  const found = new Map<string, string>();
  let phrase: string[] | undefined;
  let lead = "";
  const finish = () => {
    const isPlace = PLACE_LEAD.test(lead) && /^\p{Lu}/u.test(phrase?.[0] ?? "");
    const head = phrase?.at(-1)?.toLowerCase() ?? "";
    if (phrase && !isPlace && head.length > 2 && !TIME.test(head) && !SMALL_WORDS.test(head)) {
      if (!found.has(head)) found.set(head, phrase.join(" "));
    }
    phrase = undefined;
  };
  for (const token of [...tokens, "."]) {
    if (LEADS_IN.test(token)) {
      finish();
      phrase = [];
      lead = token;
    } else if (!/\p{L}/u.test(token) || NO_PART_OF_A_NAME.test(token)) finish();
    else if (phrase && phrase.length < 3) phrase.push(token);
    else finish();
  }
  const often = ([head]: readonly [string, string]) => times.get(head)?.length ?? 0;
  const [first, ...rest] = [...found]
    .toSorted((a, b) => often(b) - often(a))
    .slice(0, MOST_ASKED)
    .map(([, name]) => withArticle(name));
  return first === undefined ? plainTopics(request) : [first, ...rest];
}

/** Sentences are made for one thing, so several are spoken of as one part. */
function withArticle(name: string): string {
  if (/[^su]s$/.test(name)) return `the part about ${name}`;
  return /^\p{Lu}/u.test(name) ? name : `the ${name}`;
}

const HASH = 35;
const DASH = 45;
const STAR = 42;
const BACKTICK = 96;

/** Of `## Step 2: Review` the name is Review. */
const HEADING = /^#+\s*(?:\d+[.)]\s*)?(?:[\p{L}\d]+(?: [\p{L}\d]+)?:\s+)?/u;
const LABEL =
  /^[\s*_>-]*(?:project|task|title|decision|name|mission|goal|objective|topic|subject|product|question|request|document|workflow|file)\s*\**:/i;
const ITEM =
  /^(?:[-*]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(?:\[?[A-Za-z]{1,6}[-_]?\d+\]?[\s:—–-]+)?(?!`)([^:(—–.;]{4,72})/;
/** Not a key of JSON, which is followed by a colon. */
const QUOTED = /["“]([A-Z][^"“”\n]{3,60}|[^"“”\n:{}<>\\]{3,24} [^"“”\n:{}<>\\]{2,40})["”](?!\s*:)/g;
/** Words of prompts about prompts, not about the matter. */
const FORMALITIES =
  /^(?:(?:open|active|other|related|recent|key|current|latest|your|the)\s+(?:tasks?|decisions?|highlights?|questions?|steps?|context|state|products?|messages?|conversations?|activity).*|status|summary|output|next actions?|metadata|instructions?|rules?|context|constraints?|inputs?|background|(?:output |response |reply )?format|examples?|fields|answer|task|tasks|role|identity|notes?|return contract|(?:your )?request|intent(?: \+ request)?|contract|(?:task|agent) (?:context|instructions?)|none|answer (?:with|in) .*|put your own .*|write every .*)$/i;

function isSentence(text: string): boolean {
  return text.trim().split(" ").length > MOST_WORDS;
}

/** A phrase that can stand in a sentence, or nothing. */
function asName(found: string): string | undefined {
  let name = found.replaceAll(/[*_`"“”#|]+/g, "").trim();
  name = name.replace(/^\[?[a-z]{1,3}-?\d+\]?[\s:—–-]+/i, "").replace(/[\s.,;:!?–—-]+$/, "");
  if (name.length < 3 || /[<>{}[\]\\=]/.test(name) || FORMALITIES.test(name)) return undefined;
  if (name === name.toUpperCase() && name.includes(" ")) return undefined;
  if (name.length > 60)
    name = name.slice(0, name.lastIndexOf(" ", 60) > 20 ? name.lastIndexOf(" ", 60) : 60);
  const words = name.split(" ").length;
  return words > 3 ? `“${name}”` : name;
}

const SMALL_WORDS =
  /^(?:summari[sz]e|moving|using|going|doing|making|think|compare|draft|discuss|outline|analy[sz]e|look|want|know|like|just|very|also|still|from|over|about|after|best|describe|explain|find|give|good|help|last|list|long|next|plan|review|short|show|summarize|tell|again|answer|before|being|between|briefly|could|does|every|first|given|have|here|into|many|make|more|most|much|must|need|only|other|please|should|some|take|than|that|their|them|then|there|these|they|this|under|what|when|where|which|while|will|with|would|write|your)$/i;

const MOST_TOPICS = 3;

/** Plain prose names nothing, but it ends in what is asked: neighbouring words of some weight stand for the matter. */
function plainTopics(text: string): [string, ...string[]] {
  const prose = text
    .replaceAll(/^#.*$|^None\.$/gm, "")
    .trim()
    .slice(-END);
  const topics = new Set<string>();
  for (const [run] of prose.matchAll(/[\p{L}][\p{L}-]{3,}(?: [\p{L}][\p{L}-]{3,})*/gu)) {
    const words = run.split(" ").map((word) => (SMALL_WORDS.test(word) ? "" : word.toLowerCase()));
    for (const phrase of words.join(" ").split(/ {2,}|^ | $/)) {
      const topic = phrase.trim().split(" ").slice(0, 2).join(" ");
      if (topic !== "" && topics.size < MOST_TOPICS) topics.add(`the ${topic}`);
    }
  }
  const [first, ...rest] = topics;
  return first === undefined ? ["this work"] : [first, ...rest];
}

const ID =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[a-z]{1,12}[-_]\d{1,6}|[a-z]{1,2}\d{1,6}|[A-Z]{1,6}-\d{1,6}|[A-Z]{1,2}\d{1,4})\b/g;

function idsIn(text: string): readonly string[] {
  const ids = new Set<string>();
  for (const [id] of text.slice(0, 40_000).matchAll(ID)) {
    ids.add(id);
    if (ids.size === MOST_IDS) break;
  }
  return [...ids];
}
