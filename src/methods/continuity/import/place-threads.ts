/**
 * Where messages of an import belong, given what is stored already. Pure; the state is a draft that grows, so that the
 * same conversation may come several times in one go.
 *
 * A stored conversation is one thread. Messages that go on where it ends are added to it, messages between two that
 * are there go between them, and messages that leave from its middle become a conversation of their own.
 */

import type { ImportedMessage, ImportedThread } from "./imported-conversation.ts";

/** Everything stored of one conversation of the source: its visible thread, and branches that left it. */
export interface FamilyDraft {
  /** Absent until something of it is stored. */
  main: string | undefined;
  /** Of messages the import brings, those that are there, by their id at the source. */
  readonly known: Map<string, StoredMessage>;
  /** The greatest position in each of its conversations. */
  readonly last: Map<string, number>;
}

export interface StoredMessage {
  readonly conversationId: string;
  readonly position: number;
  readonly content: string;
}

export interface Placement {
  readonly conversationId: string;
  /** What a conversation that begins here is: the visible thread, or a branch that leaves after a message. */
  readonly begins: "main" | "branch" | undefined;
  readonly after: string | undefined;
  readonly messages: readonly PlacedMessage[];
}

export interface PlacedMessage {
  readonly message: ImportedMessage;
  readonly position: number;
}

export interface PlacedThreads {
  readonly placements: readonly Placement[];
  /** Messages that are there with other words: what was imported first stays. */
  readonly edited: readonly string[];
}

/** Room for what turns up later between two messages. */
const STRIDE = 1000;

export function placeThreads(
  threads: readonly ImportedThread[],
  family: FamilyDraft,
  nextId: () => string,
): PlacedThreads {
  const edited: string[] = [];
  const placements = threads.flatMap((thread) => placeThread(thread, family, { nextId, edited }));
  return { placements, edited };
}

interface Placing {
  readonly nextId: () => string;
  readonly edited: string[];
}

function placeThread(
  { after, messages }: ImportedThread,
  family: FamilyDraft,
  { nextId, edited }: Placing,
): readonly Placement[] {
  const placements: Placement[] = [];
  let before = after === undefined ? undefined : { id: after, stored: family.known.get(after) };
  for (let at = 0; at < messages.length; ) {
    const message = messages[at];
    if (message === undefined) break;
    const stored = family.known.get(message.id);
    if (stored !== undefined) {
      if (stored.content !== message.content) edited.push(message.id);
      before = { id: message.id, stored };
      at += 1;
      continue;
    }
    const end = endOfUnknown(messages, at, family);
    const next = messages[end];
    const placement = placeRun(messages.slice(at, end), family, {
      before,
      next: next && family.known.get(next.id),
      nextId,
    });
    remember(placement, family);
    placements.push(placement);
    at = end;
    before = undefined;
    const last = placement.messages.at(-1)?.message.id;
    if (last !== undefined) before = { id: last, stored: family.known.get(last) };
  }
  return placements;
}

function endOfUnknown(
  messages: readonly ImportedMessage[],
  from: number,
  { known }: FamilyDraft,
): number {
  const seen = new Set<string>();
  for (let at = from; at < messages.length; at += 1) {
    const id = messages[at]?.id ?? "";
    if (known.has(id) || seen.has(id)) return at;
    seen.add(id);
  }
  return messages.length;
}

interface Neighbours {
  readonly before: { readonly id: string; readonly stored: StoredMessage | undefined } | undefined;
  readonly next: StoredMessage | undefined;
  readonly nextId: () => string;
}

function placeRun(
  run: readonly ImportedMessage[],
  { main, last }: FamilyDraft,
  { before, next, nextId }: Neighbours,
): Placement {
  const begin = (begins: "main" | "branch"): Placement => ({
    conversationId: nextId(),
    begins,
    after: begins === "branch" ? before?.id : undefined,
    messages: spread(run, 0, Infinity),
  });
  if (main === undefined) return begin("main");
  const home = before?.stored ?? next;
  if (home === undefined) return begin("branch");
  const { conversationId } = home;
  const end = last.get(conversationId) ?? 0;
  const from = before?.stored?.position ?? 0;
  const isBetween = next?.conversationId === conversationId && next.position - from > run.length;
  const added = { conversationId, begins: undefined, after: undefined };
  if (isBetween) return { ...added, messages: spread(run, from, next.position) };
  // Between two neighbours without room: at the end is better than nowhere.
  const isAtEnd = from === end || next?.conversationId === conversationId;
  return isAtEnd ? { ...added, messages: spread(run, end, Infinity) } : begin("branch");
}

function spread(run: readonly ImportedMessage[], from: number, to: number): PlacedMessage[] {
  const step = Math.min(STRIDE, Math.floor((to - from) / (run.length + 1)));
  return run.map((message, index) => ({ message, position: from + (index + 1) * step }));
}

function remember({ conversationId, begins, messages }: Placement, family: FamilyDraft): void {
  if (begins === "main") family.main = conversationId;
  for (const { message, position } of messages) {
    family.known.set(message.id, { conversationId, position, content: message.content });
    family.last.set(conversationId, Math.max(position, family.last.get(conversationId) ?? 0));
  }
}
