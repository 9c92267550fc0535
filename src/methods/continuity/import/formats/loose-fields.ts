/** Reading what nobody promised: exports change their shape without notice, so each field is taken as it comes. */

import { hashText } from "../../../../kernel/base/hash.ts";
import { storableText } from "../../../../kernel/store/storable-text.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** No fields at all when it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Text that says something. */
export function wordsOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const FIRST_MOMENT = Date.UTC(1990, 0, 1);
const LAST_MOMENT = Date.UTC(2200, 0, 1);

/** Epoch seconds (with fractions), milliseconds, or a date as text. Undefined when it cannot be a date of a chat. */
export function momentOf(value: unknown): number | undefined {
  const moment =
    typeof value === "number"
      ? fromNumber(value)
      : typeof value === "string"
        ? fromText(value)
        : NaN;
  return moment >= FIRST_MOMENT && moment < LAST_MOMENT ? Math.round(moment) : undefined;
}

function fromNumber(value: number): number {
  return Math.abs(value) < 1e11 ? value * 1000 : value;
}

function fromText(text: string): number {
  const trimmed = text.trim();
  if (/^\d{9,14}(\.\d+)?$/.test(trimmed)) return fromNumber(Number(trimmed));
  // Without a zone, `Date.parse` would take this machine's: the same file must give the same times everywhere.
  const isLocal = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(trimmed);
  return Date.parse(isLocal ? `${trimmed.replace(" ", "T")}Z` : trimmed);
}

const MAX_ID = 200;

/** An identity as the source has it; one that no index could hold is replaced by its hash. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : wordsOf(value);
  if (text === undefined) return undefined;
  return text.length <= MAX_ID ? storableText(text) : `sha256:${hashText(text)}`;
}

const MAX_TITLE = 300;

/** One line that can stand for the whole. */
export function titleFrom(text: string | undefined): string | undefined {
  const line = text
    ?.slice(0, 4 * MAX_TITLE)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line === undefined || line === "") return undefined;
  const whole = line.toWellFormed();
  return whole.length <= MAX_TITLE
    ? whole
    : `${whole
        .slice(0, MAX_TITLE - 1)
        .trimEnd()
        .toWellFormed()}…`;
}
