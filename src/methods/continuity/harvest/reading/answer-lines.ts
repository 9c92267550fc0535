/**
 * An answer line by line: what each line is, and where its words begin. Chat tools write the same heading as
 * `## Next steps`, `**Next steps:**`, `1. **Next steps**`, `【次のステップ】`, or, copied from the screen, as `Next steps`.
 * Offsets are those of the answer.
 */

import {
  closesFence,
  type FenceLine,
  fenceLine,
  linesOf,
} from "../../../../kernel/contract/fences.ts";
import type { GroupWords } from "./group-words.ts";

export interface AnswerLine {
  readonly kind: "blank" | "heading" | "bullet" | "row" | "text" | "code";
  readonly start: number;
  /** Without trailing white space. */
  readonly end: number;
  /** Where its words begin: behind marks, numbers and boxes. */
  readonly content: number;
  /** Columns before the mark, or before the words where there is none. */
  readonly indent: number;
  readonly heading?: HeadingMark;
  readonly bullet?: BulletMark;
}

export interface HeadingMark {
  /** 1 to 6 as written; lower ranks are headings only by their look. */
  readonly level: number;
  readonly title: string;
  readonly isNumbered: boolean;
}

export interface BulletMark {
  readonly isNumbered: boolean;
  /** `[ ]` stands before what is to be done. */
  readonly hasBox: boolean;
  /** `[x]`: done already. */
  readonly isTicked: boolean;
}

const BOLD_LEVEL = 7;
/** Copied from the screen: there lists have lost their marks, too. */
export const PLAIN_LEVEL = 8;

export function answerLines(answer: string, words: GroupWords): readonly AnswerLine[] {
  const lines: AnswerLine[] = [];
  let open: FenceLine | undefined;
  for (const { start, end: rawEnd } of linesOf(answer)) {
    const raw = answer.slice(start, rawEnd);
    const quoted = /^(?:[ \t]*>)+[ \t]?/.exec(raw)?.[0].length ?? 0;
    const text = raw.slice(quoted).trimEnd();
    const place = { start: start + quoted, end: start + quoted + text.length };
    const fence = fenceLine(text.trimStart());
    const wasOpen = open;
    if (open === undefined) open = fence;
    else if (fence !== undefined && closesFence(fence, open)) open = undefined;
    if (wasOpen !== undefined || fence !== undefined) {
      lines.push({ kind: "code", ...place, content: place.start, indent: indentOf(text) });
      continue;
    }
    const line = lineOf(text, place, words);
    const last = lines.at(-1);
    const isAlone = (lines.at(-2)?.kind ?? "blank") === "blank";
    if (isUnderline(text) && last?.kind === "text" && isAlone && last.end - last.start <= 100) {
      const title = answer.slice(last.content, last.end);
      const level = text.trimStart().startsWith("=") ? 1 : 2;
      lines[lines.length - 1] = { ...last, kind: "heading", heading: headingMark(level, title) };
      continue;
    }
    lines.push(line);
  }
  return lines;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function lineOf(text: string, place: Place, words: GroupWords): AnswerLine {
  const indent = indentOf(text);
  const begin = text.length - text.trimStart().length;
  const at = (offset: number) => place.start + offset;
  if (text === "") return { kind: "blank", ...place, content: place.start, indent: 0 };
  if (/^\s*(?:[-*_][ \t]*){3,}$/.test(text)) {
    return { kind: "blank", ...place, content: place.end, indent: 0 };
  }
  const heading = findHeading(text.trimStart(), words);
  if (heading !== undefined && indent < 4) {
    return { kind: "heading", ...place, content: at(begin), indent, heading };
  }
  const bullet = BULLET.exec(text);
  if (bullet !== null) {
    const [all, , mark = "", box] = bullet;
    return {
      kind: "bullet",
      ...place,
      content: at(all.length),
      indent,
      bullet: {
        isNumbered: !/^[^\p{L}\p{N}]$/u.test(mark),
        hasBox: box !== undefined,
        isTicked: /[x✓]/i.test(box ?? ""),
      },
    };
  }
  const kind = /^\s*\|.*\|$/.test(text) ? "row" : "text";
  return { kind, ...place, content: at(begin), indent };
}

/** A mark needs a space behind it, but not where the script has none. */
const BULLET =
  /^([ \t]*)((?:[-*+•‣◦·▪▸►○●–—]|\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)]|[①-⑳])(?=[ \t])|・|[①-⑳]|\d{1,3}[．）])[ \t]*(\[[ xX✓]?\][ \t]+)?(?=\S)/;

function findHeading(text: string, words: GroupWords): HeadingMark | undefined {
  const [, hashes = "", written = ""] = /^(#{1,6})[ \t]+(.*?)[ \t]*#*$/.exec(text) ?? [];
  if (hashes !== "") return headingMark(hashes.length, written);
  const bold = /^(?:\*\*|__)((?:(?!\*\*|__).)+)(?:\*\*|__)[ \t]*[:：]?$/.exec(text)?.[1];
  if (bold !== undefined && bold.length <= 120) return headingMark(BOLD_LEVEL, bold);
  const bracketed = /^[【［[〈《「](.{1,40})[】］\]〉》」]$|^[■◆▼▶◎☆★]\s*(.{1,40})$/u.exec(text);
  const boxed = bracketed?.[1] ?? bracketed?.[2];
  if (boxed !== undefined && words.headingGroup(boxed) !== undefined) {
    return headingMark(BOLD_LEVEL, boxed);
  }
  if (text.length > LONGEST_PLAIN) return undefined;
  const isLabel = /[:：]$/.test(text) && words.headingGroup(text) !== undefined;
  // Copied from the screen, a heading is a line like any other: only its words tell.
  const isBare = words.exactGroup(text) !== undefined && !BULLET.test(text);
  return isLabel || isBare ? headingMark(PLAIN_LEVEL, text) : undefined;
}

const LONGEST_PLAIN = 80;
const NUMBER =
  /^(?:(?:step|schritt|étape|paso|ステップ|步骤)\s*)?(?:\d{1,3}|[①-⑳])\s*(?:[.):：．）–—-]\s*|(?=\s))/iu;

function headingMark(level: number, written: string): HeadingMark {
  const bare = written.replaceAll(/\*\*|__/g, "").replace(/[ \t]*[:：]$/, "");
  const withoutPicture = bare.replace(/^[\p{Extended_Pictographic}\uFE0F\u200D\s]+/u, "");
  const isNumbered = NUMBER.test(withoutPicture);
  const title = withoutPicture.replace(NUMBER, "").trim();
  return { level, title: title === "" ? withoutPicture.trim() : title, isNumbered };
}

function isUnderline(text: string): boolean {
  return /^ {0,3}(?:=+|-{3,})$/.test(text);
}

function indentOf(text: string): number {
  const lead = /^[ \t]*/.exec(text)?.[0] ?? "";
  return lead.replaceAll("\t", "    ").length;
}
