/**
 * Recognises credentials by their shape, so that they never leave in a prompt, a log or a commit.
 * Only shapes that nothing else has: guessing by randomness would shred hashes and ids.
 */

import { type RedactionSpan, replaceSpans, withoutOverlap } from "./redaction-span.ts";

interface SecretShape {
  readonly label: string;
  /** Global, without nested repetition. Where it has a group, only that is secret. */
  readonly pattern: RegExp;
}

/** What every match of every one of these shapes holds; texts without it are not searched further. */
const TOKEN_SIGN =
  /[rs]k[-_]|gh[opusr]_|hub_pat_|glpat-|AKIA|ASIA|AIza|xox[a-z]-|eyJ|earer |:\/\/|-----B/;

const TOKENS: readonly SecretShape[] = [
  { label: "ANTHROPIC_KEY", pattern: /sk-ant-[A-Za-z0-9_-]{16,}/g },
  { label: "OPENAI_KEY", pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}/g },
  { label: "API_KEY", pattern: /(?<![A-Za-z0-9])sk-(?:or-v1-|live-|test-)?[A-Za-z0-9]{20,}/g },
  { label: "STRIPE_KEY", pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { label: "GITHUB_TOKEN", pattern: /gh[opusr]_[A-Za-z0-9]{20,}/g },
  { label: "GITHUB_TOKEN", pattern: /github_pat_[A-Za-z0-9_]{20,}/g },
  { label: "GITLAB_TOKEN", pattern: /glpat-[A-Za-z0-9_-]{20,}/g },
  { label: "AWS_KEY_ID", pattern: /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}/g },
  { label: "GOOGLE_KEY", pattern: /AIza[A-Za-z0-9_-]{35,}/g },
  { label: "SLACK_TOKEN", pattern: /xox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { label: "JWT", pattern: /eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g },
  { label: "BEARER_TOKEN", pattern: /[Bb]earer +(?<value>[A-Za-z0-9._~+/-]{20,})/g },
  {
    label: "URL_PASSWORD",
    pattern: /:\/\/[^\s/:@"'<>]{1,64}:(?<value>[^\s/@"'<>$*{}[\]]{3,128})@/g,
  },
];

// These begin at the sign and look back: looking for the words first takes four times as long.
const ASSIGNMENT_SIGN = /[=:](?<=(?:passwor[dt]|passwd|pwd|secret|token|key)["']? ?[=:])/i;
const ASSIGNMENTS: readonly SecretShape[] = [
  {
    label: "PASSWORD",
    pattern: /=(?<=(?:passwor[dt]|passwd|pwd)=)(?<value>(?!\/)[^\s"'`&;,<>(){}[\]$*]{4,256})/gi,
  },
  {
    label: "CREDENTIAL",
    pattern: /=(?<=(?:secret|token|key)=)(?<value>[^\s"'`&;,<>(){}[\]$*]{12,256})/gi,
  },
  {
    label: "CREDENTIAL",
    pattern:
      /[=:](?<=(?:passwor[dt]|passwd|secret|token|api[_-]?key)["']? ?[=:]) ?["'](?!(?:string|number|\[REDACTED))(?<value>[^\s"'<>{}$*]{4,256})["']/gi,
  },
];

/** In order, without overlap. Linear in the text. */
export function findSecrets(text: string): readonly RedactionSpan[] {
  const hasTokens = TOKEN_SIGN.test(text);
  const hasAssignments = ASSIGNMENT_SIGN.test(text);
  if (!hasTokens && !hasAssignments) return NONE;
  const found = [
    ...(hasTokens ? [...findPrivateKeys(text), ...findShapes(TOKENS, text)] : NONE),
    ...(hasAssignments ? findShapes(ASSIGNMENTS, text) : NONE),
  ];
  return withoutOverlap(found);
}

const NONE: readonly RedactionSpan[] = [];

function findShapes(shapes: readonly SecretShape[], text: string): RedactionSpan[] {
  return shapes.flatMap(({ label, pattern }) => findShape(pattern, text, label));
}

/** The pattern is left at its beginning. Goes on after all that a secret took with it: looking into it again would take the square of its length. */
function findShape(pattern: RegExp, text: string, label: string): RedactionSpan[] {
  const found: RedactionSpan[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const span = secretIn(match, text, label);
    found.push(span);
    pattern.lastIndex = span.end;
  }
  return found;
}

export function redactSecrets(text: string): string {
  return replaceSpans(text, findSecrets(text));
}

/** Dots within, not at its end: the second of two tokens may have parts. */
const MORE_OF_IT = /(?:\.?[A-Za-z0-9_-]+)*/y;

/** What follows without a break goes too: it may be a second credential that the first one hides. */
function secretIn(match: RegExpExecArray, text: string, label: string): RedactionSpan {
  const secret = match.groups?.["value"] ?? match[0];
  const start = match.index + match[0].lastIndexOf(secret);
  MORE_OF_IT.lastIndex = start + secret.length;
  MORE_OF_IT.test(text);
  return { start, end: MORE_OF_IT.lastIndex, label };
}

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDING = "-----END ";
const NO_ENDING = -1;
const NOT_SOUGHT = -2;
const LONGEST_KEY = 16_384;
const KEY_BODY = /(?:\s*[A-Za-z0-9+/=]{16,})*\s*[A-Za-z0-9+/=]*/y;

function findPrivateKeys(text: string): RedactionSpan[] {
  const found: RedactionSpan[] = [];
  let ending = NOT_SOUGHT;
  for (const { index: start, 0: opening } of text.matchAll(PRIVATE_KEY)) {
    if ((found.at(-1)?.end ?? 0) > start) continue;
    if (ending !== NO_ENDING && ending < start) ending = text.indexOf(KEY_ENDING, start);
    const isWhole = ending !== NO_ENDING && ending - start < LONGEST_KEY;
    const end = isWhole ? lineEnd(text, ending) : bodyEnd(text, start + opening.length);
    found.push({ start, end, label: "PRIVATE_KEY" });
  }
  return found;
}

function lineEnd(text: string, ending: number): number {
  const dashes = text.indexOf("-----", ending + KEY_ENDING.length);
  return dashes === -1 ? text.length : dashes + 5;
}

/** A key that was cut off has no end line. */
function bodyEnd(text: string, bodyStart: number): number {
  KEY_BODY.lastIndex = bodyStart;
  KEY_BODY.test(text);
  return KEY_BODY.lastIndex;
}
