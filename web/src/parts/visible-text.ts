/**
 * Characters that could make a text read other than it is: those that turn its direction, and those nobody sees.
 * They are shown as marks, so that what a person approves is what a machine reads.
 */

export interface TextPart {
  readonly text: string;
  /** The name of a character that is shown by a mark instead. */
  readonly mark?: string;
}

const HIDDEN = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200c\\u200e\\u200f]",
    "[\\u202a-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
    // Between pictures it joins them into one, which is seen.
    "(?<!\\p{Extended_Pictographic}\\ufe0f?)\\u200d",
  ].join("|"),
  "gu",
);

export function visibleParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    if (index > end) parts.push({ text: text.slice(end, index) });
    const code = hidden.codePointAt(0) ?? 0;
    parts.push({ text: hidden, mark: `U+${code.toString(16).toUpperCase().padStart(4, "0")}` });
    end = index + hidden.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The same where only letters can stand: in the choices of a list, in titles. */
export function markedText(text: string): string {
  return visibleParts(text)
    .map(({ text: part, mark }) => (mark === undefined ? part : `[${mark}]`))
    .join("");
}

export function hasHidden(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

const HERE = "https://place.invalid";

/** A way within this workspace, read as a browser reads it: `/\\elsewhere` leads elsewhere. */
export function isOwnAddress(href: string): boolean {
  return href.startsWith("/") && URL.canParse(href, HERE) && new URL(href, HERE).origin === HERE;
}

/** Addresses that a link may have: nothing that runs, nothing that reads files. */
export function safeHref(href: string): string | undefined {
  try {
    const { protocol } = new URL(href, HERE);
    return ["http:", "https:", "mailto:"].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
