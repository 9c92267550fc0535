/** Bringing in conversations that were held elsewhere: exports, session files, transcripts. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import {
  idField,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { withoutRedacted } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { clip } from "../../../kernel/operation/terminal-text.ts";
import {
  appendUpload,
  beginUpload,
  openUpload,
  removeUpload,
} from "../../../kernel/operation/uploads.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { getImport, type Import, listChanged, listImports, listProblems } from "./import-rows.ts";
import {
  type ImportResult,
  importDetail,
  importList,
  importResult,
  importShape,
} from "./import-shape.ts";
import { renderImport, renderImportList, renderImportResult } from "./import-view.ts";
import { claimImport, endImport, insertImport } from "./import-work.ts";
import { workerName } from "./import-worker.ts";
import { TEXT_ENDINGS } from "./open-source-files.ts";
import { type ImportOutcome, rehearseImport, runImport } from "./run-import.ts";
import type { Branches } from "./source-file.ts";

const start = defineOperation({
  name: "import.start",
  summary: "Brings in conversations held elsewhere: exports, session files, transcripts.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    file: z
      .string()
      .min(1)
      .max(4000)
      .optional()
      .describe(
        "What to read: on the command line a file, a folder or `-`; elsewhere the id of an upload.",
      ),
    text: z
      .string()
      .min(1)
      .max(2_000_000)
      .optional()
      .describe("A transcript itself, instead of a file."),
    project: projectField.optional().describe("The project the conversations belong to."),
    branch: z
      .enum(["visible", "all"])
      .default("visible")
      .describe(
        "Only what is shown there, or also branches that were left, as conversations of their own.",
      ),
    dryRun: z.boolean().default(false).describe("Say what would come and write nothing."),
  }),
  output: importResult,
  surfaces: {
    cli: {
      words: ["import"],
      positionals: ["file"],
      files: { file: TEXT_ENDINGS },
      render: rendering(importResult, renderImportResult),
      outcome: (output) =>
        importResult.parse(output).progress.problems > 0 ? "check_failed" : "ok",
      examples: [
        "import chatgpt-export.zip --dry-run",
        "import chatgpt-export.zip --project Tidepool --branch all",
        "import ~/.claude/projects",
        "import - < transcript.md",
      ],
    },
    mcp: "full",
  },
  run: async (context, { file, text, project, branch, dryRun }) => {
    const { kernel, caller } = context;
    const projectId = await kernel.store.read(() =>
      resolveOptional(project, (given) => resolveProject(given, caller)),
    );
    const uploadId = await uploadOf(context, file, text);
    return importUpload(context, { uploadId, projectId, branches: branch, isDryRun: dryRun });
  },
});

const list = defineOperation({
  name: "import.list",
  summary: "Lists imports, the newest first.",
  effect: "reads",
  permission: "read",
  input: z.object({ order: orderField, ...pageFields }),
  output: importList,
  surfaces: { cli: { render: rendering(importList, renderImportList) }, mcp: "full" },
  run: ({ kernel, caller }, page) =>
    kernel.store.read(function* () {
      const asOf = kernel.clock.now();
      const { items, nextCursor } = yield* listImports({ ...page, viewer: caller }, asOf);
      return { items: items.map(toShape), nextCursor, asOf };
    }),
});

const SHOWN = 50;

const show = defineOperation({
  name: "import.show",
  summary: "Shows how far an import is, what came of it, and what could not be read.",
  effect: "reads",
  permission: "read",
  input: z.object({
    importId: idField("import"),
    problems: z.int().min(0).max(1000).default(SHOWN).describe("How many problems at most."),
  }),
  output: importDetail,
  surfaces: {
    cli: { positionals: ["importId"], render: rendering(importDetail, renderImport) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { importId, problems }) =>
    kernel.store.read(function* () {
      const asOf = kernel.clock.now();
      const found = yield* getImport(importId, caller, asOf);
      const changed = yield* listChanged(found.id, caller, SHOWN);
      const shown = changed.map((each) => ({ ...each, projectId: found.projectId }));
      return {
        import: toShape(found),
        problems: [...(yield* listProblems(found.id, problems))],
        changed: [...(yield* withoutRedacted(shown, ["title"]))],
        asOf,
      };
    }),
});

const resume = defineOperation({
  name: "import.resume",
  summary:
    "Goes on with an import that was interrupted or stopped, or tries one again that failed.",
  effect: "writes",
  permission: "edit",
  input: z.object({ importId: idField("import") }),
  output: importResult,
  surfaces: {
    cli: {
      positionals: ["importId"],
      render: rendering(importResult, renderImportResult),
      outcome: (output) =>
        importResult.parse(output).progress.problems > 0 ? "check_failed" : "ok",
    },
    mcp: "full",
  },
  run: async (context, { importId }) => {
    const { kernel, caller } = context;
    const now = kernel.clock.now();
    const found = await kernel.store.read(() => getOwn(importId, caller, now));
    const { id, uploadId, projectId, branches, state } = found;
    if (state === "completed") throw notResumable(found);
    // Asked for before it is claimed: without its file there is nothing to go on with.
    await openUpload(kernel, caller, uploadId);
    const worker = { id, worker: workerName(kernel.ids.next()) };
    const gone = state === "interrupted" ? found.worker : undefined;
    const claimed = await kernel.store.write(() => claimImport(worker, now, gone));
    if (claimed === undefined) throw notResumable(found);
    return importUpload(context, { uploadId, projectId, branches, isDryRun: false, worker });
  },
});

const stop = defineOperation({
  name: "import.stop",
  summary: "Stops an import; what came in stays.",
  effect: "writes",
  permission: "edit",
  input: z.object({ importId: idField("import") }),
  output: importShape,
  surfaces: {
    cli: {
      positionals: ["importId"],
      render: rendering(importShape, ({ id, name }) =>
        doneLine(`Stopped import ${shortId(id)} of ${clip(name, 60)}. What came in stays.`),
      ),
    },
    mcp: "full",
  },
  run: async ({ kernel, caller }, { importId }) => {
    const now = kernel.clock.now();
    const stopped = await kernel.store.write(function* () {
      const { id, state } = yield* getOwn(importId, caller, now);
      const end = { state: "stopped" as const, reason: `Stopped by ${caller.name}.` };
      const isStopped = yield* endImport({ id }, end, { actor: caller.userId, now });
      if (!isStopped) throw notRunning(id, state);
      return yield* getImport(id, caller, now);
    });
    kernel.changes.notify();
    return toShape(stopped);
  },
});

export const importOperations: readonly Operation[] = [start, list, show, resume, stop];

interface UploadedImport {
  readonly uploadId: string;
  readonly projectId: string | undefined;
  readonly branches: Branches;
  readonly isDryRun: boolean;
  /** Given when the import is on record already. */
  readonly worker?: { readonly id: string; readonly worker: string };
}

async function importUpload(
  { kernel, caller, signal, report }: OperationContext,
  { uploadId, projectId, branches, isDryRun, worker: claimed }: UploadedImport,
): Promise<ImportResult> {
  const { upload, path: place } = await openUpload(kernel, caller, uploadId);
  const { name, bytes } = upload;
  const task = { place, name, bytes, branches, projectId, caller, signal, report };
  const startedAt = kernel.clock.elapsed();
  const toResult = (outcome: ImportOutcome, importId?: string): ImportResult => ({
    ...(importId === undefined ? {} : { importId }),
    state: isDryRun ? "planned" : "completed",
    name,
    bytes,
    branch: branches,
    ...(projectId === undefined ? {} : { projectId }),
    ...outcome,
    problems: [...outcome.problems],
    tookMs: Math.round(kernel.clock.elapsed() - startedAt),
  });
  if (isDryRun) return toResult(await rehearseImport(kernel, task));
  const worker = claimed ?? { id: kernel.ids.next(), worker: workerName(kernel.ids.next()) };
  if (claimed === undefined) {
    const made = {
      ...worker,
      name,
      bytes,
      branches,
      projectId,
      uploadId,
      startedBy: caller.userId,
    };
    await kernel.store.write(() => insertImport(made, kernel.clock.now()));
    kernel.changes.notify();
  }
  const outcome = await runImport(kernel, worker, task).catch(async (error: unknown) => {
    // Reading it again would find no more.
    if (isNothing(error)) await removeUpload(kernel, caller, uploadId);
    throw error;
  });
  await removeUpload(kernel, caller, uploadId);
  const { totals } = await kernel.store.read(() =>
    getImport(worker.id, caller, kernel.clock.now()),
  );
  return toResult({ ...outcome, totals }, worker.id);
}

function isNothing(error: unknown): boolean {
  return error instanceof ProductError && error.code === "import_nothing";
}

/** A text goes the way of a file, so that it can be gone on with like one. */
async function uploadOf(
  { kernel, caller }: OperationContext,
  file: string | undefined,
  text: string | undefined,
): Promise<string> {
  if ((file === undefined) === (text === undefined)) {
    throw new ProductError("import_source", "Give either a file or a text.", {
      hint: "On the command line: `import FILE`, or `import -` for standard input.",
    });
  }
  if (file !== undefined) return file;
  const bytes = Buffer.from(text ?? "");
  const { id } = await beginUpload(kernel, caller, { name: "pasted.md", bytes: bytes.length });
  await appendUpload(kernel, caller, { id, offset: 0, chunk: once(bytes) });
  return id;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** What was begun in somebody's name is theirs to stop and to go on with. */
function* getOwn(given: string, caller: Caller, now: number): DatabaseWork<Import> {
  const found = yield* getImport(given, caller, now);
  if (found.startedBy === caller.userId) return found;
  throw new ProductError("import_of_another", "Somebody else began this import.", {
    kind: "not_allowed",
    hint: "Ask them, or import the file yourself: what is there is not doubled.",
  });
}

/** The schema drops what is nobody's business: the upload, the worker. */
function toShape({ branches, ...same }: Import): z.input<typeof importShape> {
  return { ...same, branch: branches };
}

function notResumable({ id, state }: Import): ProductError {
  return state === "completed"
    ? new ProductError("import_completed", `The import "${id}" is complete.`, {
        kind: "conflict",
        hint: "Import the file again to bring in what is new in it.",
      })
    : new ProductError("import_running", `The import "${id}" is under way.`, {
        kind: "conflict",
        hint: "Follow it with `import show`, or stop it with `import stop`.",
      });
}

function notRunning(id: string, state: Import["state"]): ProductError {
  return new ProductError("import_ended", `The import "${id}" is ${state} already.`, {
    kind: "conflict",
    details: { state },
  });
}
