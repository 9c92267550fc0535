/** What of a message is selected on the page, as a passage of the message. */

import { type RefObject, useEffect, useState } from "react";

export interface Passage {
  readonly messageId: string;
  readonly start: number;
  readonly end: number;
  /** Where it is on the screen. */
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

export function usePassage(within: RefObject<HTMLElement | null>): Passage | undefined {
  const [passage, setPassage] = useState<Passage>();
  useEffect(() => {
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const next = readPassage(within.current);
        setPassage((before) => (isSame(before, next) ? before : next));
      });
    };
    document.addEventListener("selectionchange", look);
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("selectionchange", look);
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [within]);
  return passage;
}

function isSame(a: Passage | undefined, b: Passage | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A selection over several messages counts as far as the one it begins in goes. */
function readPassage(within: HTMLElement | null): Passage | undefined {
  const selection = document.getSelection();
  if (within === null || selection === null || selection.isCollapsed || selection.rangeCount === 0)
    return undefined;
  const range = selection.getRangeAt(0);
  const message = elementOf(range.startContainer)?.closest<HTMLElement>("[data-message]");
  if (message === null || message === undefined || !within.contains(message)) return undefined;
  const start = offsetAt(message, range.startContainer, range.startOffset, "start");
  const end = message.contains(range.endContainer)
    ? offsetAt(message, range.endContainer, range.endOffset, "end")
    : Number(message.dataset["length"]);
  if (start === undefined || end === undefined || end <= start) return undefined;
  const { left, top, bottom } = range.getBoundingClientRect();
  return { messageId: message.dataset["message"] ?? "", start, end, left, top, bottom };
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** The place in the message of a place in the page. Between pieces, that of the nearest one. */
function offsetAt(
  message: HTMLElement,
  node: Node,
  offset: number,
  side: "start" | "end",
): number | undefined {
  const piece = elementOf(node)?.closest<HTMLElement>("[data-at]");
  if (piece !== null && piece !== undefined && message.contains(piece))
    return Number(piece.dataset["at"]) + lengthBefore(piece, node, offset);
  const place = document.createRange();
  place.setStart(node, offset);
  const pieces = [...message.querySelectorAll<HTMLElement>("[data-at]")];
  if (side === "start") {
    const next = pieces.find((each) => place.comparePoint(each, 0) >= 0);
    return next === undefined ? undefined : Number(next.dataset["at"]);
  }
  const last = pieces.findLast((each) => place.comparePoint(each, 0) < 0);
  return last === undefined
    ? undefined
    : Number(last.dataset["at"]) + Number(last.dataset["length"]);
}

/** Characters nobody sees are drawn as marks; each stands for one. */
function lengthBefore(piece: HTMLElement, node: Node, offset: number): number {
  if (node === piece)
    return [...piece.childNodes].slice(0, offset).reduce((sum, each) => sum + lengthOf(each), 0);
  let length = 0;
  for (const child of piece.childNodes) {
    if (child === node) return length + offset;
    if (child.contains(node)) return length;
    length += lengthOf(child);
  }
  return length;
}

function lengthOf(node: Node): number {
  if (!(node instanceof HTMLElement)) return node.textContent?.length ?? 0;
  const code = Number.parseInt((node.textContent ?? "").replace("U+", ""), 16);
  return code > 0xffff ? 2 : 1;
}

/** Selects a passage as if somebody had dragged over it. */
export function selectPassage(message: HTMLElement, start: number, end: number): void {
  const from = placeAt(message, start);
  const to = placeAt(message, end);
  if (from === undefined || to === undefined) return;
  const selection = document.getSelection();
  selection?.removeAllRanges();
  const range = document.createRange();
  range.setStart(...from);
  range.setEnd(...to);
  selection?.addRange(range);
  elementOf(from[0])?.scrollIntoView({ block: "nearest" });
}

function placeAt(message: HTMLElement, offset: number): [Node, number] | undefined {
  for (const piece of message.querySelectorAll<HTMLElement>("[data-at]")) {
    const at = Number(piece.dataset["at"]);
    const length = Number(piece.dataset["length"]);
    if (offset < at || offset > at + length) continue;
    let left = offset - at;
    for (const child of piece.childNodes) {
      const own = lengthOf(child);
      if (left <= own && child instanceof Text) return [child, left];
      left -= own;
    }
    return [piece, piece.childNodes.length];
  }
  return undefined;
}
