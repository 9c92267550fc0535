/** A page that is watched while it shows hostile texts. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { hasHidden, visibleParts } from "../../web/src/parts/visible-text.ts";
import { settled } from "../web/settled.ts";

/** What both databases can hold, with nothing at its ends that is trimmed. */
export function canBeKept(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000") && text.trim() === text && text !== "";
}

/** As one line that fits a title. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 90).toWellFormed().trim();
}

/** As the page writes it: what nobody sees as a mark. */
function asShown(text: string): string {
  return visibleParts(text)
    .map(({ text: part, mark }) => mark ?? part)
    .join("");
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

/** Anything that tries is told to the console, which the visit listens to. */
export const TELL_ON_THEM = `Object.defineProperty(globalThis, "__owned", {
  get: () => undefined,
  set: () => console.error("owned at " + location.pathname),
});`;

/** What no page of ours has, whatever it shows. */
export const INTRUDERS = `[...document.querySelectorAll("body *")].flatMap((element) => {
  const wrong = [];
  const name = element.localName;
  if (["iframe", "object", "embed", "base", "meta", "link", "style", "video", "audio", "math", "image"].includes(name)) wrong.push(name);
  if (name === "script" && new URL(element.src || "x:y").origin !== location.origin) wrong.push("script");
  for (const { name: attribute, value } of element.attributes) {
    if (attribute.startsWith("on")) wrong.push(name + " " + attribute);
    if (["src", "srcset", "href", "action", "formaction", "xlink:href", "poster", "data"].includes(attribute)) {
      const isLink = name === "a" && attribute === "href";
      // What is no address leads nowhere.
      if (isLink && !URL.canParse(value, location.href)) continue;
      const { protocol, origin } = new URL(value, location.href);
      if (isLink ? !["http:", "https:", "mailto:"].includes(protocol) : origin !== location.origin)
        wrong.push(name + " " + attribute + "=" + value);
      if (isLink && origin !== location.origin && !element.rel.includes("noopener"))
        wrong.push("an open way out: " + value);
    }
    if (attribute === "style" && value.includes("evil")) wrong.push(name + " style");
  }
  return wrong;
})`;

/** What stands there in letters that may mislead the eye; an editor shows its text as it is and marks them itself. */
const ODD_WORDS = `(() => {
  const walker = document.createTreeWalker(document.querySelector(".app"), NodeFilter.SHOW_TEXT);
  const odd = [];
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode;
    if (/[^\\x20-\\x7e\\n\\t]/.test(textContent) && !parentElement.closest("textarea, .cm-editor, .unseen"))
      odd.push({ text: textContent, where: parentElement.localName + "." + parentElement.className + " in " + parentElement.parentElement.className });
  }
  return odd;
})()`;

interface OddWords {
  readonly text: string;
  readonly where: string;
}

export interface Witness {
  /** Goes there as a link would, without loading everything anew; nothing may have come in. */
  go(address: string): Promise<void>;
  /** Where invisible letters stood without a mark, on all pages so far. */
  readonly misled: ReadonlySet<string>;
  textOf(selector: string): Promise<string>;
  /** To the letter, but for blanks. */
  assertShown(shown: string, texts: readonly string[], where: string): void;
}

export function witness(page: Page): Witness {
  const misled = new Set<string>();
  return {
    misled,
    async go(address) {
      await page.evaluate(
        `history.pushState(null, "", ${JSON.stringify(address)}), dispatchEvent(new PopStateEvent("popstate"))`,
      );
      await page.locator(".main h1, .main .empty").first().waitFor();
      await settled(page);
      assert.deepEqual(await page.evaluate(INTRUDERS), [], address);
      assert.equal(await page.locator("div.fault").count(), 0, address);
      const odd = await page.evaluate<readonly OddWords[]>(ODD_WORDS);
      for (const { text, where } of odd) if (hasHidden(text)) misled.add(where);
    },
    textOf: (selector) =>
      page.evaluate<string>(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent).join("\\n")`,
      ),
    assertShown(shown, texts, where) {
      const squeezedShown = squeezed(shown);
      const missing = texts.filter((text) => !squeezedShown.includes(squeezed(asShown(text))));
      assert.deepEqual(missing, [], where);
    },
  };
}
