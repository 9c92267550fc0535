/**
 * Packets as they may be shown now. What was redacted after a packet was compiled is taken out of its text, its
 * references, its ledger and its answer: passages wherever they occur, and whole thoughts by where they came from.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import { withoutRedacted } from "../../../kernel/operation/redacted-view.ts";
import type { CompiledPrompt, CutRecord } from "../../../kernel/prompt/compiled-prompt.ts";
import type { LedgerRow } from "../../../kernel/prompt/ledger.ts";
import type { SourceRef } from "../../../kernel/prompt/part.ts";
import {
  createRedactor,
  type Redactor,
  redactData,
  secretsOnly,
} from "../../../kernel/prompt/redactor.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { findInDrawn, isIdle, loadRedactionScope } from "../../../kernel/store/redaction-scope.ts";
import { findHidden, type NamedSource } from "../../../kernel/store/withheld-sources.ts";
import { type ContextRef, contextRefsOf, type TextRange } from "./context-refs.ts";
import { maskText } from "./mask-text.ts";
import type { Packet, PacketHead } from "./packets.ts";

export interface ShownWords {
  readonly text: string;
  readonly contextRefs: readonly ContextRef[];
  readonly cuts: readonly CutRecord[];
  readonly ledger: readonly LedgerRow[];
  /** Something that was redacted since is not shown. */
  readonly isMasked: boolean;
}

/** The same packets with redacted words taken out of their titles. */
export function* withReadableTitles<Head extends PacketHead>(
  packets: readonly Head[],
): DatabaseWork<readonly Head[]> {
  const readable = yield* withoutRedacted(
    packets.map(({ projectId, title, customIntent, originSource }) => ({
      projectId,
      conversationId: originSource.conversationId ?? undefined,
      messageId: originSource.messageId ?? undefined,
      title,
      customIntent,
    })),
    ["title", "customIntent"],
  );
  return packets.map((packet, i) => ({
    ...packet,
    title: readable[i]?.title ?? "",
    customIntent: readable[i]?.customIntent,
  }));
}

export function* readableWords(
  projectId: string | undefined,
  prompt: CompiledPrompt,
): DatabaseWork<ShownWords> {
  const { text, cuts, ledger } = prompt;
  const contextRefs = contextRefsOf(prompt);
  const mask = yield* createMask(projectId, namedIn(prompt));
  if (mask === undefined) return { text, contextRefs, cuts, ledger, isMasked: false };
  const isHidden = (ref: SourceRef | undefined): boolean =>
    ref !== undefined && mask.hidden.has(keyOf(ref));
  const hidden = contextRefs.filter(isHidden).flatMap(({ ranges }) => ranges);
  const masked = maskText(text, [...mask.find(text), ...hidden]);
  return {
    text: masked.text,
    contextRefs: contextRefs
      .filter((ref) => !isHidden(ref))
      .map((ref) => ({ ...ref, ranges: ref.ranges.map(masked.move) })),
    cuts: redactData(mask.redactor, cuts),
    ledger: redactData(
      mask.redactor,
      ledger.map((row) => (isHidden(row.ref) ? withoutNote(row) : row)),
    ),
    isMasked: masked.text !== text,
  };
}

/** For texts of which nobody knows where each word came from, such as answers. */
export function* readableText(projectId: string | undefined, text: string): DatabaseWork<string> {
  const mask = yield* createMask(projectId, []);
  return mask === undefined ? text : maskText(text, mask.find(text)).text;
}

/** For comparing: what may not be shown at all is covered in place, so that every offset stays true. */
export function* coveredPrompt(
  projectId: string | undefined,
  prompt: CompiledPrompt,
): DatabaseWork<{ readonly prompt: CompiledPrompt; readonly redactor: Redactor }> {
  const contextRefs = contextRefsOf(prompt);
  const mask = yield* createMask(projectId, namedIn(prompt));
  if (mask === undefined) return { prompt, redactor: secretsOnly };
  const isHidden = (ref: SourceRef | undefined): boolean =>
    ref !== undefined && mask.hidden.has(keyOf(ref));
  const ranges = [
    ...contextRefs.filter(isHidden).flatMap((ref) => ref.ranges),
    ...mask.find(prompt.text),
  ];
  let { text } = prompt;
  for (const { start, end } of ranges) {
    text = text.slice(0, start) + COVER.repeat(end - start) + text.slice(end);
  }
  const ledger = prompt.ledger.map((row) => (isHidden(row.ref) ? withoutNote(row) : row));
  return { prompt: { ...prompt, text, ledger }, redactor: mask.redactor };
}

const COVER = "█";

/** What leaves must be free of what was redacted since; a text with holes in it is not what was compiled. */
export function* requireShowable(
  packet: Packet,
  prompt: CompiledPrompt,
): DatabaseWork<CompiledPrompt> {
  const { isMasked } = yield* readableWords(packet.projectId, prompt);
  if (!isMasked) return prompt;
  throw new ProductError(
    "packet_redacted_since",
    `Packet "${packet.id}" holds something that was redacted after it was compiled.`,
    {
      kind: "conflict",
      hint: "Compile it again; `redact --purge` takes the words out of the old one.",
      details: { id: packet.id },
    },
  );
}

interface Mask {
  readonly redactor: Redactor;
  /** Keys of what may not be shown at all. */
  readonly hidden: ReadonlySet<string>;
  find(text: string): readonly TextRange[];
}

/** What it shows, and what was left out of it: the ledger calls both by their titles. */
function namedIn(prompt: CompiledPrompt): readonly NamedSource[] {
  return [...contextRefsOf(prompt), ...prompt.ledger.flatMap(({ ref }) => ref ?? [])];
}

/** Undefined when nothing is redacted. */
function* createMask(
  projectId: string | undefined,
  refs: readonly NamedSource[],
): DatabaseWork<Mask | undefined> {
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  if (isIdle(scope)) return undefined;
  const redactor = createRedactor({ texts: scope.passages.map(({ text }) => text) });
  return {
    redactor,
    hidden: yield* findHidden(refs, scope),
    find: (text) => [...redactor.find(text), ...findInDrawn(scope, NOWHERE, text)],
  };
}

const NOWHERE = { conversationId: null, messageId: null };

function keyOf({ type, id }: SourceRef): string {
  return `${type}:${id}`;
}

export function withoutNote(row: LedgerRow): LedgerRow {
  const { note: _note, ...rest } = row;
  return rest;
}
