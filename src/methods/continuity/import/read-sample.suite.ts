/** Reads a file as an import would, without a store. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { RECORD_LIMITS, type RecordLimits } from "./bytes/record.ts";
import { detectFormat } from "./detect-format.ts";
import type { ImportedConversation, ImportedMessage } from "./imported-conversation.ts";
import type { Branches, SourceFile } from "./source-file.ts";

export interface SampleOptions {
  readonly branches?: Branches;
  readonly limits?: RecordLimits;
  /** Sizes of the chunks in which the bytes come, over and over. */
  readonly sizes?: readonly number[];
  readonly known?: ReadonlySet<string>;
}

export interface Sample {
  readonly source: string | undefined;
  readonly reason: string | undefined;
  readonly conversations: readonly ImportedConversation[];
  readonly faults: readonly { code: string; offset: number; line: number; message: string }[];
  readonly notes: Readonly<Record<string, number>>;
  readonly known: number;
}

export function fixture(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, "fixtures", name));
}

export function fileOf(
  name: string,
  content: string | Buffer,
  sizes: readonly number[] = [1 << 20],
): SourceFile {
  const bytes = Buffer.from(content);
  return { name, bytes: bytes.length, open: () => chunksOf(bytes, sizes) };
}

export async function readSample(
  name: string,
  content: string | Buffer = fixture(name),
  options: SampleOptions = {},
): Promise<Sample> {
  const { branches = "visible", limits = RECORD_LIMITS, sizes, known = new Set() } = options;
  const file = fileOf(name, content, sizes);
  const detected = await detectFormat(file);
  const conversations: ImportedConversation[] = [];
  const faults: { code: string; offset: number; line: number; message: string }[] = [];
  const notes: Record<string, number> = {};
  let passed = 0;
  if (detected.source === undefined) {
    return { source: undefined, reason: detected.reason, conversations, faults, notes, known: 0 };
  }
  const pieces = detected.read({
    file,
    branches,
    limits,
    note: (note, count = 1) => {
      if (count > 0) notes[note] = (notes[note] ?? 0) + count;
    },
    isKnown: (digest) => known.has(digest),
  });
  for await (const piece of pieces) {
    if (piece.kind === "conversation") conversations.push(piece.conversation);
    else if (piece.kind === "known") passed += 1;
    else {
      const { code, offset, line, message } = piece;
      faults.push({ code, offset, line, message });
    }
  }
  return {
    source: detected.source,
    reason: undefined,
    conversations,
    faults,
    notes,
    known: passed,
  };
}

/** The words of a conversation's threads, short enough to compare at a glance. */
export function spoken(conversation: ImportedConversation | undefined): readonly string[][] {
  return (conversation?.threads ?? []).map(({ messages }) => messages.map(line));
}

function line({ role, content }: ImportedMessage): string {
  return `${role}: ${content.replaceAll(/\s+/g, " ")}`;
}

export async function* chunksOf(
  bytes: Buffer,
  sizes: readonly number[],
): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
