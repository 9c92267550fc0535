/** Readable sentences about what the prompt named, by the name of the field they stand in. */

import { ASPECTS, DOCUMENT, PHRASES, THEMES, type Theme } from "./rehearsal-phrases.ts";
import type { Subject } from "./rehearsal-subject.ts";

export type ProseKind = Theme | "document";

/** `changeSummary`, `change_summary` and `change-summary` are the same words. */
export function wordsOf(fieldName: string): string {
  return fieldName
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\-./\s]+/g, " ")
    .trim()
    .toLowerCase();
}

/** What one of `issues` is called; a `status` is no list. */
export function singular(name: string): string {
  if (name.length < 4 || !/[^siu]s$/.test(name)) return name;
  return name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.slice(0, -1);
}

export function proseKind(fieldName: string): ProseKind {
  const words = wordsOf(fieldName);
  const theme = THEMES.find(([pattern]) => pattern.test(words))?.[1];
  if (theme !== undefined) return theme;
  return DOCUMENT.test(words) ? "document" : "sentence";
}

/** Each `turn` is another wording, subject and aspect; neighbours in a list take neighbouring turns. */
export function proseFor(kind: ProseKind, subject: Subject, turn: number): string {
  return kind === "document" ? documentText(subject, turn) : sentence(kind, subject, turn);
}

function sentence(theme: Theme, subject: Subject, turn: number): string {
  const forms = FORMS.get(theme) ?? [];
  return fill(forms[turn % forms.length] ?? [], {
    a: nameAt(subject, turn),
    b: nameAt(subject, turn + 1),
    // Seven and ten have no common factor, so the aspect does not move in step with the wording.
    aspect: ASPECTS[(turn * 7) % ASPECTS.length] ?? "scope",
  });
}

/** A few paragraphs of Markdown; headings stay below those a reply's own sections use. */
function documentText(subject: Subject, turn: number): string {
  const say = (theme: Theme, offset: number) => sentence(theme, subject, turn + offset);
  return [
    `${say("summary", 0)} ${say("reason", 1)}`,
    `### ${say("title", 1)}`,
    `${say("description", 1)} ${say("sentence", 2)}`,
    [0, 1, 2].map((offset) => `- ${say("action", offset)}`).join("\n"),
    `### ${say("title", 2)}`,
    `${say("insight", 1)} ${say("risk", 2)} ${say("mitigation", 3)}`,
  ].join("\n\n");
}

/** An answer for when no contract says what it should look like. */
export function freeAnswer(subject: Subject, turn: number): string {
  const say = (theme: Theme, offset: number) => sentence(theme, subject, turn + offset);
  return [
    `${say("summary", 0)} ${say("reason", 1)}`,
    ["Next:", ...[0, 1, 2].map((offset) => `- ${say("action", offset)}`)].join("\n"),
    say("insight", 2),
  ].join("\n\n");
}

/** Grows or cuts a text into its limits; a cut falls between words where it can. */
export function fitLength(
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
  more: (round: number) => string,
): string {
  let fitted = text;
  for (let round = 1; fitted.length < min; round += 1) fitted += ` ${more(round)}`;
  if (fitted.length <= max) return fitted;
  const space = fitted.lastIndexOf(" ", max);
  const end = space >= Math.max(min, max * 0.6) ? space : wholeCharacters(fitted, max);
  const cut = withoutLooseEnd(fitted.slice(0, end));
  return cut.length >= min ? cut : fitted.slice(0, wholeCharacters(fitted, max));
}

/** No opened quotation and no dangling small word at the end. */
function withoutLooseEnd(text: string): string {
  const open = text.lastIndexOf("“");
  const closed = open > text.lastIndexOf("”") ? text.slice(0, open) : text;
  return closed.replace(
    /(?:[\s,;:–—-]+(?:and|or|the|a|of|for|with|to|in|before|about|and|against)?)+$/i,
    "",
  );
}

function wholeCharacters(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}

function nameAt({ names }: Subject, index: number): string {
  return names[index % names.length] ?? names[0];
}

type Slot = "a" | "b" | "aspect" | "A" | "B";
type Form = readonly (string | { readonly slot: Slot })[];

/** Split once, so that saying a sentence is only joining it. */
const FORMS: ReadonlyMap<string, readonly Form[]> = new Map(
  Object.entries(PHRASES).map(([theme, phrases]) => [theme, phrases.map(formOf)]),
);

function formOf(phrase: string): Form {
  return phrase.split(/(\{\w+\})/).map((piece) => {
    const slot = /^\{(\w+)\}$/.exec(piece)?.[1];
    return slot === undefined ? piece : { slot: slot as Slot };
  });
}

function fill(form: Form, words: Readonly<Record<"a" | "b" | "aspect", string>>): string {
  let text = "";
  for (const piece of form) {
    if (typeof piece === "string") text += piece;
    else if (piece.slot === "A") text += upperFirst(words.a);
    else if (piece.slot === "B") text += upperFirst(words.b);
    else text += words[piece.slot];
  }
  return text;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
