/**
 * One import from its file to its end. Each batch is one transaction with its counts, so that an import that dies at
 * any instant has lost nothing and doubles nothing when somebody goes on with it: it is read again, and what is there
 * is passed over.
 */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import type { Progress } from "../../../kernel/operation/operation.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import {
  type ImportProgress,
  type ImportTotals,
  importProgressSchema,
  plannedTotals,
  storedTotals,
} from "./import-progress.ts";
import type { ImportProblem } from "./import-rows.ts";
import { importProgressText } from "./import-view.ts";
import { beatImport, endImport, insertProblems, releaseImport, tell } from "./import-work.ts";
import { loadKnownDigests } from "./known-digests.ts";
import { openSourceFiles } from "./open-source-files.ts";
import { type PlacedConversation, placeConversations } from "./place-conversations.ts";
import { type ImportBatch, KEPT_PROBLEMS, type ReadOptions, readImport } from "./read-import.ts";
import { readImportInThread } from "./read-in-thread.ts";
import type { Branches } from "./source-file.ts";
import { storeConversations } from "./store-conversations.ts";

export interface ImportTask {
  readonly place: string;
  readonly name: string;
  readonly bytes: number;
  readonly branches: Branches;
  readonly projectId: string | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
}

export interface ImportWorker {
  readonly id: string;
  readonly worker: string;
}

export interface ImportOutcome {
  readonly progress: ImportProgress;
  readonly totals: ImportTotals;
  readonly problems: readonly ImportProblem[];
}

/** Does it in earnest. Ends the import's record whatever happens, or lets go of it when told to leave off. */
export async function runImport(
  kernel: Kernel,
  worker: ImportWorker,
  task: ImportTask,
): Promise<ImportOutcome> {
  const { store, clock } = kernel;
  const actor = task.caller.userId;
  try {
    // Also for one that goes on: rights may have changed since it began.
    await store.read(() => requireRight(task.caller, task.projectId, "edit"));
    const outcome = await readAll(kernel, task, storing(kernel, worker, task));
    await store.write(() => endImport(worker, { state: "completed" }, { actor, now: clock.now() }));
    return outcome;
  } catch (error) {
    if (task.signal.aborted) await store.write(() => releaseImport(worker));
    else if (!isLost(error)) {
      const reason = describeError(error).message;
      await store.write(() =>
        endImport(worker, { state: "failed", reason }, { actor, now: clock.now() }),
      );
    }
    throw error;
  } finally {
    kernel.changes.notify();
  }
}

function isLost(error: unknown): boolean {
  return error instanceof ProductError && error.code === "import_stopped";
}

/** Says what would come, and writes nothing. */
export function rehearseImport(kernel: Kernel, task: ImportTask): Promise<ImportOutcome> {
  const draft = plannedTotals();
  return readAll(kernel, task, {
    get totals() {
      return draft.totals;
    },
    beat: async () => undefined,
    take: async ({ conversations }) => {
      const context = { caller: task.caller, nextId: () => kernel.ids.next() };
      const placed = await kernel.store.read(() => placeConversations(conversations, context));
      draft.add(placed);
      return placed;
    },
  });
}

interface Taker {
  readonly totals: ImportTotals;
  /** Says that the import is still being worked on. */
  beat(): Promise<void>;
  take(batch: ImportBatch): Promise<readonly PlacedConversation[]>;
}

/** How often others hear of an import under way, beside whoever waits for it. */
const TELL_MS = 2000;

function storing(kernel: Kernel, worker: ImportWorker, task: ImportTask): Taker {
  const { store, clock, ids } = kernel;
  const { caller, projectId } = task;
  const draft = storedTotals();
  let problemCount = 0;
  let toldAt = -Infinity;
  let latest: ImportProgress = importProgressSchema.parse({});
  return {
    get totals() {
      return draft.totals;
    },
    beat: () => store.write(() => beatImport(worker, latest, clock.now())),
    async take({ conversations, problems, progress }) {
      const now = clock.now();
      const isDue = clock.elapsed() - toldAt > TELL_MS;
      const first = problemCount;
      const act = { actor: caller.userId, now, because: `import ${worker.id}` };
      const context = { caller, act, projectId, importId: worker.id, nextId: () => ids.next() };
      const placed = await store.write(function* (): DatabaseWork<readonly PlacedConversation[]> {
        // First, so that nothing is read or placed for an import that is another's by now.
        yield* beatImport(worker, progress, now);
        const stored = yield* storeConversations(conversations, context);
        yield* insertProblems(worker.id, first, problems);
        if (isDue) {
          const place = { id: worker.id, projectId, startedBy: caller.userId };
          yield* tell(place, "advanced", factsOf(progress), now);
        }
        return stored;
      });
      latest = progress;
      problemCount += problems.length;
      if (isDue) toldAt = clock.elapsed();
      draft.add(placed);
      kernel.changes.notify();
      return placed;
    },
  };
}

function factsOf({ bytesRead, conversations, problems }: ImportProgress) {
  return { bytesRead, conversations, problems };
}

async function readAll(kernel: Kernel, task: ImportTask, taker: Taker): Promise<ImportOutcome> {
  const { clock } = kernel;
  const startedAt = clock.elapsed();
  const problems: ImportProblem[] = [];
  const unchanged = countUnchanged();
  let progress: ImportProgress | undefined;
  for await (const batch of readWithBeats(kernel, task, taker)) {
    unchanged.add(await taker.take(withUnchanged(batch, unchanged.count)));
    progress = { ...batch.progress, unchanged: batch.progress.unchanged + unchanged.count };
    problems.push(...batch.problems.slice(0, KEPT_PROBLEMS - problems.length));
    const seconds = (clock.elapsed() - startedAt) / 1000;
    task.report(importProgressText(progress, taker.totals, { ...task, seconds }));
  }
  if (progress === undefined) throw new TypeError("A reading gives at least one batch.");
  if (progress.conversations === 0 && progress.problems === 0) throw nothing(task.name, progress);
  return { progress, totals: taker.totals, problems };
}

const BEAT_MS = 2000;

/** Looking through a huge file brings nothing for a while; the import is alive all the same and says so. */
async function* readWithBeats(
  kernel: Kernel,
  task: ImportTask,
  taker: Taker,
): AsyncGenerator<ImportBatch, void> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([task.signal, leaving.signal]);
  const batches = await openReading(kernel, task, signal);
  let next = batches.next();
  try {
    for (;;) {
      const got = await within(kernel, BEAT_MS, next);
      if (got === undefined) await taker.beat();
      else if (got.done) return;
      else {
        yield got.value;
        next = batches.next();
      }
    }
  } finally {
    // Whoever leaves early does not wait for what is just being read.
    leaving.abort();
    await next.catch(() => undefined);
    await batches.return(undefined);
  }
}

async function within<Value>(
  { clock }: Kernel,
  ms: number,
  awaited: Promise<Value>,
): Promise<Value | undefined> {
  const waiting = new AbortController();
  const silence = clock.sleep(ms, waiting.signal).then(() => undefined);
  try {
    return await Promise.race([awaited, silence]);
  } finally {
    waiting.abort();
  }
}

/** A thread is worth its start where there is much to read. */
const THREAD_BYTES = 8_000_000;

async function openReading(
  kernel: Kernel,
  { place, name, bytes, branches, caller, projectId }: ImportTask,
  signal: AbortSignal,
): Promise<AsyncGenerator<ImportBatch>> {
  const known = await kernel.store.read(() => loadKnownDigests(caller, projectId));
  if (bytes >= THREAD_BYTES)
    return readImportInThread({ place, name, branches, known: [...known] }, signal);
  const isKnown = (digest: string) => known.has(digest);
  const elapsed = () => kernel.clock.elapsed();
  return readHere(place, name, { branches, signal, isKnown, elapsed });
}

async function* readHere(
  place: string,
  name: string,
  options: ReadOptions,
): AsyncGenerator<ImportBatch, void> {
  const sources = await openSourceFiles(place, name);
  try {
    yield* readImport(sources, options);
  } finally {
    await sources.close();
  }
}

function nothing(name: string, { skipped, moreSkipped, notes }: ImportProgress): ProductError {
  const [only] = skipped;
  const why = skipped.length === 1 && moreSkipped === 0 ? `: ${only?.reason}` : "";
  return new ProductError("import_nothing", `No conversations were found in "${name}"${why}.`, {
    hint: "What can be read: exports of ChatGPT and Claude, sessions of Claude Code and Codex, transcripts that say who speaks, JSON Lines with role and content, and ZIP files of these.",
    details: { skipped, moreSkipped, notes },
  });
}

function withUnchanged(batch: ImportBatch, count: number): ImportBatch {
  const { progress } = batch;
  return { ...batch, progress: { ...progress, unchanged: progress.unchanged + count } };
}

/** Conversations that were looked at message by message and found as they were. */
function countUnchanged() {
  const touched = new Set<string>();
  let count = 0;
  return {
    add(placed: readonly PlacedConversation[]) {
      for (const { conversation, placements, edited, mainId } of placed) {
        const key = `${conversation.source} ${conversation.id}`;
        const isTouched = placements.length > 0 || edited.length > 0;
        if (isTouched) touched.add(key);
        if (conversation.digest === undefined) continue;
        if (!touched.delete(key) && mainId !== undefined) count += 1;
      }
    },
    get count() {
      return count;
    },
  };
}
