/**
 * Takes out of foreign text what a reader cannot see and what a model may read as a change of
 * speaker. The words stay, and so do characters that scripts and emoji really are written with.
 * Cleaning twice changes nothing more.
 */

import { INVISIBLE_CLASS } from "./invisible-characters.ts";

export interface CleanedText {
  readonly text: string;
  /** Invisible, direction-changing and control characters taken out. */
  readonly removed: number;
  /** Role markers and fence tags broken up with a blank. */
  readonly neutralised: number;
}

export function cleanUntrusted(text: string): CleanedText {
  const visible = INVISIBLE.test(text) ? removeInvisible(text) : text;
  let neutralised = 0;
  const plain = visible.replaceAll(MARKERS, (marker) => {
    neutralised += 1;
    return `${marker.charAt(0)} ${marker.slice(1)}`;
  });
  return { text: plain, removed: text.length - visible.length, neutralised };
}

const INVISIBLE = new RegExp(`[${INVISIBLE_CLASS}]`, "u");

/** The flags of England, Scotland and Wales are the only emoji written with tag characters. */
const FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const FLAG_OR_INVISIBLE = new RegExp(`${FLAG.source}|${INVISIBLE.source}`, "gu");

function removeInvisible(text: string): string {
  for (let before = text; ; ) {
    const after = before.replaceAll(FLAG_OR_INVISIBLE, (found: string, at: number) =>
      isWritten(before, at, found) ? found : LINE_ENDS.has(found) ? "\n" : "",
    );
    // What stood beside a removed character may only now be out of place.
    if (after === before) return after;
    before = after;
  }
}

const LINE_ENDS = new Set(["\u2028", "\u2029"]);
const LONGEST_FLAG = 14;

/** Whether the character does something for the letters or emoji around it. */
function isWritten(text: string, at: number, found: string): boolean {
  if (found.length === LONGEST_FLAG) return true;
  const before = text.slice(Math.max(0, at - 3), at);
  const after = text.slice(at + found.length, at + found.length + 2);
  if (/[\u200c\u200d]/.test(found)) return ENDS_JOINED.test(before) && BEGINS_JOINED.test(after);
  if (/[\ufe00-\ufe0f]/.test(found)) return /[\p{Emoji}\p{So}\p{Sm}\p{Script=Han}]$/u.test(before);
  return /[\u{e0100}-\u{e01ef}]/u.test(found) && /\p{Script=Han}$/u.test(before);
}

const JOINED = [
  "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Script=Arab}\\p{Script=Syrc}\\p{Script=Nkoo}",
  "\\p{Script=Deva}\\p{Script=Beng}\\p{Script=Guru}\\p{Script=Gujr}\\p{Script=Orya}\\p{Script=Taml}",
  "\\p{Script=Telu}\\p{Script=Knda}\\p{Script=Mlym}\\p{Script=Sinh}\\p{Script=Khmr}\\p{Script=Mymr}",
].join("");
const ENDS_JOINED = new RegExp(`[${JOINED}]\\ufe0f?$`, "u");
const BEGINS_JOINED = new RegExp(`^[${JOINED}]`, "u");

/** Marks of speakers in the chat formats models were trained on, and the tag of our own fences. */
const MARKERS =
  /<\|[^|<>\n]{1,64}\|>|<｜[^｜<>\n]{1,64}｜>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|<<<dotprompt|<\/?(?:system|assistant|human|user)>|<\/?untrusted-/gi;
