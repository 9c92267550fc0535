/**
 * Everything a workspace holds, in a folder that needs no program to be read: the portable JSON Lines with their
 * manifest, every artifact as a file, and the workspace's own library. `init --from` makes the same workspace of it.
 * Where something is redacted it is left out, unless it is asked for: then the export is for reading only.
 */

import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { hashJson, hashText } from "../../kernel/base/hash.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation } from "../../kernel/operation/operation.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { bytesText, count } from "../../kernel/operation/terminal-text.ts";
import { backupStore } from "../../kernel/store/backup.ts";
import { fileExists, readLines } from "../../kernel/store/backup-files.ts";
import { type DumpCell, readDumpLine } from "../../kernel/store/dump-format.ts";
import { coverStore } from "../../kernel/store/cover-rows.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import { REDACTION_MARK } from "../../kernel/store/redacted-text.ts";
import type { Store } from "../../kernel/store/store.ts";
import { DUMP_FILE, LIBRARY_FOLDER } from "./export-layout.ts";

const exported = z.object({
  name: z.string(),
  path: z.string(),
  createdAt: z.number(),
  rows: z.number(),
  artifacts: z.number(),
  bytes: z.number(),
  digest: z.string().describe("Of all that is in it; the workspace made from it has the same."),
  isCovered: z
    .boolean()
    .describe("Redacted words were left out: it is there to be read, no workspace is made of it."),
});

export const exportOperation = defineOperation({
  name: "workspace.export",
  summary:
    "Writes everything into a folder, without redacted words: JSON Lines, artifacts as files, the library. `init --from` makes the same workspace of it.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,120}$/, "must be letters, digits, dots and dashes")
      .optional()
      .describe("What to call the folder; the moment if left out."),
    withRedacted: z
      .boolean()
      .default(false)
      .describe("With redacted words and their redactions, to move the workspace as it is."),
  }),
  output: exported,
  surfaces: {
    cli: {
      words: ["export"],
      examples: ["export", "export --name moving-house --with-redacted"],
      render: rendering(exported, ({ path: folder, rows, artifacts, bytes, digest, isCovered }) =>
        [
          doneLine(
            `Exported ${count(rows, "row")} and ${count(artifacts, "artifact")} (${bytesText(bytes)}) to ${folder}`,
          ),
          `Digest ${digest}`,
          ...(isCovered ? [COVERED] : []),
        ].join("\n"),
      ),
    },
    mcp: "none",
  },
  run: async (context, { name = stamp(context.kernel.clock.now()), withRedacted }) => {
    const { kernel, report } = context;
    const now = kernel.clock.now();
    const place = path.join(kernel.folder, "exports", name);
    if (await fileExists(place)) throw exportExists(place);
    const partial = `${place}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true, mode: 0o700 });
    report({ message: "Writing everything" });
    const dump = path.join(partial, DUMP_FILE);
    const {
      content,
      bytes,
      isCovered = false,
    } = await backupStore(kernel.store, {
      path: dump,
      now,
      form: "dump",
      isCovered: !withRedacted,
    });
    report({ message: "Writing artifacts" });
    const artifacts = await writeArtifacts(dump, partial, isCovered);
    const library = path.join(kernel.folder, LIBRARY_FOLDER);
    if (await fileExists(library)) {
      await cp(library, path.join(partial, LIBRARY_FOLDER), { recursive: true });
      if (isCovered) await coverFiles(path.join(partial, LIBRARY_FOLDER), kernel.store);
    }
    await rename(partial, place);
    const digest = hashJson(content);
    await change(context, ({ actor }) =>
      appendEvents(
        [
          {
            stream: WORKSPACE_STREAM,
            type: "workspace.exported",
            projectId: null,
            actor,
            data: { name, digest, isCovered },
          },
        ],
        now,
      ),
    );
    const rows = Object.values(content.tables).reduce((sum, table) => sum + table.rows, 0);
    return { name, path: place, createdAt: now, rows, artifacts, bytes, digest, isCovered };
  },
});

const COVERED =
  "Redacted words are left out, so this is for reading. To move the workspace as it is: throughline export --with-redacted";

async function coverFiles(folder: string, store: Store): Promise<void> {
  const cover = await coverStore(store);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const words = await readFile(file, "utf8");
    const covered = cover?.text(words) ?? words;
    if (covered !== words) await writeFile(file, covered);
  }
}

/** Out of the dump itself, so that both are of one moment. A pruned one has no words any more. */
async function writeArtifacts(dump: string, folder: string, isCovered: boolean): Promise<number> {
  await mkdir(path.join(folder, "artifacts"), { mode: 0o700 });
  const index: string[] = [];
  for await (const artifact of artifactsIn(dump)) {
    const { id, body, hash } = artifact;
    if (typeof body !== "string") continue;
    const isMasked = isCovered && body.includes(REDACTION_MARK);
    if (!isMasked && hashText(body) !== hash) throw artifactDamaged(String(id));
    const file = `artifacts/${fileName(String(id), String(artifact["path"]))}`;
    await writeFile(path.join(folder, file), body, { mode: 0o600 });
    const { run_id: runId, kind, identity, path: known, media_type: mediaType } = artifact;
    index.push(JSON.stringify({ file, id, runId, kind, identity, path: known, mediaType, hash }));
  }
  await writeFile(path.join(folder, "artifacts.jsonl"), index.map((line) => `${line}\n`).join(""), {
    mode: 0o600,
  });
  return index.length;
}

type DumpRow = Readonly<Record<string, DumpCell>>;

async function* artifactsIn(dump: string): AsyncGenerator<DumpRow> {
  let columns: readonly string[] | undefined;
  let number = 0;
  for await (const text of readLines(dump)) {
    number += 1;
    const isOther = columns === undefined && !text.startsWith('{"table":"artifact"');
    if (isOther) continue;
    const line = readDumpLine(text, number);
    if (Array.isArray(line)) {
      const cells = line as readonly DumpCell[];
      yield Object.fromEntries((columns ?? []).map((name, at) => [name, cells[at] ?? null]));
    } else if ("table" in line && line.table === "artifact") columns = line.columns;
    else return;
  }
}

/** Its id names it; the path it had is in the index, and only its ending is trusted. */
function fileName(id: string, known: string): string {
  const ending = /\.[a-z0-9]{1,8}$/i.exec(known)?.[0] ?? ".txt";
  return `${id.replaceAll(/[^\w-]/g, "_")}${ending.toLowerCase()}`;
}

/** A moment as a folder's name, on every file system. */
function stamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(":", "-");
}

function exportExists(place: string): ProductError {
  return new ProductError("export_exists", `There is already an export in ${place}.`, {
    kind: "conflict",
    hint: "Exports are never overwritten; choose another name.",
  });
}

function artifactDamaged(id: string): ProductError {
  return new ProductError("artifact_damaged", `The words of artifact ${id} are not those it had.`, {
    kind: "check_failed",
    hint: "Run `doctor`; restore a backup from before the damage.",
    details: { id },
  });
}
