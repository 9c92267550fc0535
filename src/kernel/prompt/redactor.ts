/**
 * Everything that must not be seen in prompts, in one place: what people redacted, the credentials
 * this installation holds, and whatever looks like a credential.
 */

import { findSecrets } from "./find-secrets.ts";
import type { SourceRef } from "./part.ts";
import { createPhraseBook, type PhraseBook } from "./phrase-book.ts";
import {
  type RedactionSpan,
  replaceSpans,
  wholeCharacters,
  withoutOverlap,
} from "./redaction-span.ts";

export interface Redactor {
  /** In order, without overlap. */
  find(text: string): readonly RedactionSpan[];
  /** Redactions made at a place of one source, for a text that is that source's whole field. */
  findIn(ref: SourceRef, text: string): readonly RedactionSpan[];
  /** Whether any text is hunted that could also stand in ids and notes. */
  readonly huntsTexts: boolean;
}

export interface Redactions {
  /** Texts that people redacted; from 12 characters on they are removed wherever they occur. */
  readonly texts?: readonly string[];
  /** The places they were redacted at, of any length. */
  readonly places?: readonly RedactedPlace[];
  /** Credentials in use; removed in every usual encoding. */
  readonly credentials?: readonly string[];
  /** What recognises further spans by their look. Credentials by their shape unless given. */
  readonly finders?: readonly ((text: string) => readonly RedactionSpan[])[];
}

interface RedactedPlace {
  readonly ref: SourceRef;
  readonly start: number;
  readonly end: number;
}

const TEXT_RULES = { shortest: 12, fragment: 24, cutCopies: true, ignoreSpaces: false };
const CREDENTIAL_RULES = { shortest: 8, fragment: 16, cutCopies: false, ignoreSpaces: true };

/** Costs time in the length of all texts: make it once and use it for every prompt. */
export function createRedactor(redactions: Redactions): Redactor {
  const texts = redactions.texts ?? [];
  const credentials = redactions.credentials ?? [];
  const books: readonly (readonly [PhraseBook, string])[] = [
    [createPhraseBook(texts, TEXT_RULES), ""],
    [createPhraseBook(credentials.flatMap(encodings), CREDENTIAL_RULES), "CREDENTIAL"],
  ];
  const finders = redactions.finders ?? [findSecrets];
  const places = Map.groupBy(redactions.places ?? [], ({ ref }) => fieldKey(ref));
  const huntsTexts = texts.length + credentials.length > 0;
  return {
    huntsTexts,
    find(text) {
      const spans = finders.flatMap((finder) => finder(text));
      if (huntsTexts) {
        for (const [book, label] of books) {
          for (const { start, end } of book.find(text)) spans.push({ start, end, label });
        }
      }
      return spans.length === 0 ? spans : withoutOverlap(wholeCharacters(text, spans));
    },
    findIn(ref, text) {
      const within = (places.get(fieldKey(ref)) ?? []).map(({ start, end }) => ({
        start: Math.max(0, start),
        end: Math.min(text.length, end),
        label: "",
      }));
      const real = within.filter(({ start, end }) => start < end);
      return withoutOverlap(wholeCharacters(text, real));
    },
  };
}

/** What every text passes that leaves without other redactions. */
export const secretsOnly: Redactor = createRedactor({});

export function redactText(redactor: Redactor, text: string): string {
  return replaceSpans(text, redactor.find(text));
}

/** Every string inside a value of plain data, keys included. */
export function redactData<Value>(redactor: Redactor, value: Value): Value {
  const seen = new Map<string, string>();
  const redact = (text: string): string => {
    const known = seen.get(text) ?? redactText(redactor, text);
    seen.set(text, known);
    return known;
  };
  const visit = (node: unknown): unknown => {
    if (typeof node === "string") return redact(node);
    if (Array.isArray(node)) return node.map(visit);
    if (node === null || typeof node !== "object") return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, member]) => [redact(key), visit(member)]),
    );
  };
  return visit(value) as Value;
}

function fieldKey({ type, id, field = "" }: SourceRef): string {
  return `${type}\n${id}\n${field}`;
}

function encodings(credential: string): string[] {
  const text = credential.toWellFormed();
  const bytes = Buffer.from(text, "utf8");
  return [
    text,
    bytes.toString("base64").replaceAll("=", ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    Array.from(text).toReversed().join(""),
  ];
}
