/** Reads everything that was sent, file by file, and hands it over in batches. Knows nothing of the store. */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import { RECORD_LIMITS, type RecordLimits } from "./bytes/record.ts";
import { detectFormat } from "./detect-format.ts";
import type { ImportProgress } from "./import-progress.ts";
import type { ImportProblem } from "./import-rows.ts";
import type { ImportedConversation } from "./imported-conversation.ts";
import type { FoundFile, SourceFiles } from "./open-source-files.ts";
import type { Branches, ReadPiece, SourceFile } from "./source-file.ts";

export interface ImportBatch {
  readonly conversations: readonly ImportedConversation[];
  /** Met since the last batch. */
  readonly problems: readonly ImportProblem[];
  readonly progress: ImportProgress;
}

export interface ReadOptions {
  readonly branches: Branches;
  readonly isKnown: (digest: string) => boolean;
  readonly elapsed: () => number;
  readonly signal: AbortSignal;
  readonly limits?: RecordLimits;
}

/** As much as is read before it is written: small enough not to keep others from writing for long. */
const BATCH_CHARACTERS = 1_000_000;
const BATCH_CONVERSATIONS = 100;
/** A batch comes at least so often, so that progress shows and whoever waits knows we are alive. */
const BATCH_MS = 1000;
const LISTED_FILES = 200;
const NOTE_KINDS = 200;
/** So many are kept one by one; all are counted. */
export const KEPT_PROBLEMS = 1000;

export async function* readImport(
  { files, bytesRead }: SourceFiles,
  { branches, isKnown, elapsed, signal, limits = RECORD_LIMITS }: ReadOptions,
): AsyncGenerator<ImportBatch, void> {
  const tally = createTally();
  let conversations: ImportedConversation[] = [];
  let characters = 0;
  let handedAt = elapsed();
  const take = (): ImportBatch => {
    const batch = { conversations, ...tally.take(bytesRead()) };
    conversations = [];
    characters = 0;
    handedAt = elapsed();
    return batch;
  };
  for (const found of files) {
    for await (const piece of readFound(found, { branches, isKnown, limits, tally })) {
      signal.throwIfAborted();
      if (piece.kind === "conversation") {
        conversations.push(piece.conversation);
        characters += charactersIn(piece.conversation);
      }
      const isFull = characters >= BATCH_CHARACTERS || conversations.length >= BATCH_CONVERSATIONS;
      if (isFull || elapsed() - handedAt > BATCH_MS) yield take();
    }
    signal.throwIfAborted();
  }
  yield take();
}

function charactersIn({ threads }: ImportedConversation): number {
  let sum = 0;
  for (const { messages } of threads) for (const { content } of messages) sum += content.length;
  return sum;
}

interface FoundOptions extends Pick<ReadOptions, "branches" | "isKnown"> {
  readonly limits: RecordLimits;
  readonly tally: Tally;
}

/** Trouble with one file is told and does not keep the others from being read. */
async function* readFound(
  found: FoundFile,
  options: FoundOptions,
): AsyncGenerator<ReadPiece, void> {
  const { tally } = options;
  if (found.kind === "skipped") return tally.skip(found.name, found.reason);
  if (found.kind === "refused") {
    const { name: file, code, message } = found;
    return tally.problem({ file, offset: undefined, line: undefined, code, message });
  }
  try {
    yield* readFile(found.file, options);
  } catch (error) {
    if (!isAboutTheFile(error)) throw error;
    const { code, message } = describeError(error);
    const file = found.file.name;
    tally.problem({ file, offset: undefined, line: undefined, code, message });
  }
}

/** Damaged archives and disks that do not answer; everything else is a fault of ours and flies through. */
function isAboutTheFile(error: unknown): boolean {
  if (error instanceof ProductError) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined;
}

async function* readFile(
  file: SourceFile,
  { branches, isKnown, limits, tally }: FoundOptions,
): AsyncGenerator<ReadPiece, void> {
  const format = await detectFormat(file);
  if (format.source === undefined) return tally.skip(file.name, format.reason);
  const counted = tally.file(file.name, format.source);
  const note = (name: string, count = 1) => tally.note(name, count);
  for await (const piece of format.read({ file, branches, limits, note, isKnown })) {
    if (piece.kind === "fault") {
      const { offset, line, code, message } = piece;
      // Most text files beside an export are no transcripts; that is no fault of theirs.
      if (code === "speakers_unknown") tally.skip(file.name, "nothing in it says who speaks");
      else tally.problem({ file: file.name, offset, line, code, message });
    }
    const isMore = piece.kind === "conversation" && piece.conversation.digest === undefined;
    if (piece.kind !== "fault" && !isMore) counted(piece.kind === "known");
    // Faults are handed on as well: a file of nothing else must not read on unseen.
    yield piece;
  }
}

interface Tally {
  note(name: string, count: number): void;
  skip(name: string, reason: string): void;
  problem(problem: ImportProblem): void;
  /** Gives a function that counts one conversation of the file. */
  file(name: string, format: string): (isUnchanged: boolean) => void;
  take(bytesRead: number): Pick<ImportBatch, "problems" | "progress">;
}

function createTally(): Tally {
  const notes = new Map<string, number>();
  const files: { name: string; format: string; conversations: number }[] = [];
  const skipped: { name: string; reason: string }[] = [];
  let problems: ImportProblem[] = [];
  const counts = { conversations: 0, unchanged: 0, problems: 0, moreFiles: 0, moreSkipped: 0 };
  return {
    note(name, count) {
      if (count === 0) return;
      // Names may come from the file: a hostile one must not fill the list.
      const kept = notes.has(name) || notes.size < NOTE_KINDS ? name : "and other things";
      notes.set(kept, (notes.get(kept) ?? 0) + count);
    },
    skip(name, reason) {
      if (skipped.length < LISTED_FILES) skipped.push({ name, reason });
      else counts.moreSkipped += 1;
    },
    problem(problem) {
      counts.problems += 1;
      if (counts.problems <= KEPT_PROBLEMS) problems.push(problem);
    },
    file(name, format) {
      const file = { name, format, conversations: 0 };
      return (isUnchanged) => {
        if (file.conversations === 0) {
          if (files.length < LISTED_FILES) files.push(file);
          else counts.moreFiles += 1;
        }
        file.conversations += 1;
        counts.conversations += 1;
        if (isUnchanged) counts.unchanged += 1;
      };
    },
    take(bytesRead) {
      const taken = problems;
      problems = [];
      const progress = {
        bytesRead,
        ...counts,
        notes: Object.fromEntries(notes),
        files: files.map((file) => ({ ...file })),
        skipped: [...skipped],
      };
      return { problems: taken, progress };
    },
  };
}
