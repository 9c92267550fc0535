/** One file with conversations, on its own or in an archive, and what reading it needs and gives. */

import { createHash } from "node:crypto";
import type { Fault, Place, RecordLimits } from "./bytes/record.ts";
import { type ImportedConversation, READER_VERSION, type Source } from "./imported-conversation.ts";

export interface SourceFile {
  /** As it was called where it came from; inside an archive with its folders. */
  readonly name: string;
  /** Unpacked. */
  readonly bytes: number;
  /** From the beginning, each time; a chunk is valid until the next is asked for. `look` is not counted as progress. */
  open(purpose?: "look"): AsyncIterable<Uint8Array>;
}

export type Branches = "visible" | "all";

export interface Reading {
  readonly file: SourceFile;
  readonly branches: Branches;
  readonly limits: RecordLimits;
  /** Counts something that was changed or left out, by a short name. */
  readonly note: (name: string, count?: number) => void;
  /** Whether bytes with this digest were stored before. */
  readonly isKnown: (digest: string) => boolean;
}

export type ReadPiece =
  | ({ readonly kind: "conversation"; readonly conversation: ImportedConversation } & Place)
  /** Conversations that are stored already, unchanged. */
  | ({ readonly kind: "known" } & Place)
  | Fault;

export type Reader = (reading: Reading) => AsyncGenerator<ReadPiece, void>;

const DIGEST = 32;

/** Covers everything that decides what the bytes are read into. */
function startDigest({ branches }: Pick<Reading, "branches">, source: Source) {
  return createHash("sha256").update(`${source} ${READER_VERSION} ${branches}\n`);
}

export function digestBytes(
  reading: Pick<Reading, "branches">,
  source: Source,
  bytes: Uint8Array,
): string {
  return startDigest(reading, source).update(bytes).digest("hex").slice(0, DIGEST);
}

export async function digestFile(reading: Reading, source: Source): Promise<string> {
  const digest = startDigest(reading, source).update(`${reading.file.name}\n`);
  for await (const chunk of reading.file.open("look")) digest.update(chunk);
  return digest.digest("hex").slice(0, DIGEST);
}
