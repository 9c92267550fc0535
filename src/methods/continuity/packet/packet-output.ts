/** From packets as they are kept to packets as operations give them. */

import type { z } from "zod";
import { nameOf, projectNames, userNames } from "../../../kernel/operation/names.ts";
import type { CutRecord } from "../../../kernel/prompt/compiled-prompt.ts";
import { explainRow, type LedgerRow } from "../../../kernel/prompt/ledger.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { contextRefsOf, isContextType } from "./context-refs.ts";
import type { MadePacket } from "./make-packet.ts";
import type { Wish } from "./packet-context.ts";
import type { cutShape, ledgerShape, packetHead, packetWords } from "./packet-shape.ts";
import type { PacketHead } from "./packets.ts";
import { withoutNote, withReadableTitles } from "./shown-packets.ts";

export function toWords({ compiled, budget }: MadePacket): z.input<typeof packetWords> {
  const { name, prompt, tokens, counts } = compiled;
  return {
    promptText: prompt.text,
    contextRefs: contextRefsOf(prompt),
    name,
    hash: prompt.hash,
    characters: prompt.characters,
    tokens,
    budget: budget.characters,
    isTruncated: prompt.marker === "shown",
    cuts: toCuts(prompt.cuts, prompt.ledger),
    counts,
  };
}

/** As a request takes them. */
export function toWishes(wishes: readonly Wish[]): string[] {
  return wishes.map(({ type, id }) => `${type}:${id}`);
}

export function toCuts(
  cuts: readonly CutRecord[],
  ledger: readonly LedgerRow[],
): z.input<typeof cutShape>[] {
  const notes = notesOf(ledger);
  return cuts.map(({ part, layer, ref, cause, from, to }) => ({
    section: layer,
    ...sourceOf(ref),
    ...titleOf(notes.get(part)),
    cause,
    from,
    to,
  }));
}

export function toLedger(ledger: readonly LedgerRow[]): z.input<typeof ledgerShape>[] {
  const notes = notesOf(ledger);
  return ledger.map((row) => ({
    section: row.layer,
    outcome: row.outcome,
    reason: row.reason,
    why: whyOf(row, notes),
    ...(row.kind === undefined ? {} : { kind: row.kind }),
    ...sourceOf(row.ref),
    ...titleOf(row.note),
    ...(row.score === undefined ? {} : { score: row.score.value, terms: row.score.terms }),
    ...(row.characters === undefined ? {} : { characters: row.characters }),
  }));
}

export type LedgerNotes = ReadonlyMap<string, string | undefined>;

/** What people know each part by. */
export function notesOf(ledger: readonly LedgerRow[]): LedgerNotes {
  return new Map(ledger.map(({ part, note }) => [part, note]));
}

/** The title is told beside it; another part that it speaks of is called by its own. */
export function whyOf(row: LedgerRow, notes: LedgerNotes): string {
  if (row.reason === "limit") return "Others matter more, and there are no more places.";
  const { because, ...rest } = withoutNote(row);
  if (because === undefined) return explainRow(rest);
  const note = notes.get(because);
  return explainRow({ ...rest, because: note === undefined ? "another part" : `“${note}”` });
}

export function* toHeads(
  packets: readonly PacketHead[],
): DatabaseWork<readonly z.input<typeof packetHead>[]> {
  const readable = yield* withReadableTitles(packets);
  const projects = yield* projectNames(packets.map(({ projectId }) => projectId));
  const users = yield* userNames(packets.map(({ createdBy }) => createdBy));
  return readable.map((packet) => ({
    ...packet,
    budget: packet.budget.characters,
    tokenBudget: packet.budget.tokens,
    hasAnswer: packet.answeredAt !== undefined && packet.purgedAt === undefined,
    projectName: nameOf(projects, packet.projectId),
    createdByName: nameOf(users, packet.createdBy),
  }));
}

export function* toHeadOf(packet: PacketHead): DatabaseWork<z.input<typeof packetHead>> {
  const [head] = yield* toHeads([packet]);
  if (head === undefined) throw new TypeError("One packet in, one packet out.");
  return head;
}

function sourceOf(ref: LedgerRow["ref"]): { readonly type?: string; readonly id?: string } {
  return ref !== undefined && isContextType(ref.type) ? { type: ref.type, id: ref.id } : {};
}

function titleOf(note: string | undefined): { readonly title?: string } {
  return note === undefined ? {} : { title: note };
}
