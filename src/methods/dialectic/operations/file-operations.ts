/** A session as files: what there is, and all of it written to a folder or a ZIP. */

import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { hashText } from "../../../kernel/base/hash.ts";
import { packFiles } from "../../../kernel/base/pack-files.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { asOfField } from "../../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { bytesText, count } from "../../../kernel/operation/terminal-text.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { filesOfSession, type SessionFile } from "../files/session-files.ts";
import type { Session } from "../running/load-session.ts";
import { placeOfSession, resolveSession, sessionField } from "./session-ref.ts";

const treeShape = z.object({
  runId: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      kind: z.string(),
      bytes: z.int(),
      hash: z.string(),
      artifactId: z.string().optional(),
    }),
  ),
  asOf: asOfField,
});

const tree = defineOperation({
  name: "dialectic.tree",
  summary:
    "Lists the files of a dialectic: prompts, replies, headers, documents, feedback, manifests.",
  effect: "reads",
  permission: "read",
  input: z.object({ session: sessionField }),
  output: treeShape,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(treeShape, ({ files }) => drawTree(files.map((file) => file.path))),
      examples: ["dialectic tree"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { session: given }) =>
    kernel.store.read(function* () {
      const session = yield* resolveSession(given, caller);
      const files = yield* readableFiles(session);
      return { runId: session.runId, files: files.map(described), asOf: kernel.clock.now() };
    }),
});

/** Without what is redacted: files leave the house. Their hashes are of what is in them. */
function* readableFiles(session: Session): DatabaseWork<readonly SessionFile[]> {
  const files = yield* filesOfSession(session);
  const projectId = session.projectId ?? undefined;
  const texts = yield* withoutRedactedPassages(
    files.map(({ text }) => text),
    projectId,
  );
  return files.map((file, index) => {
    const text = texts[index] ?? "";
    return text === file.text ? file : { ...file, text, hash: hashText(text) };
  });
}

function described({ path: name, kind, text, hash, artifactId }: SessionFile) {
  const file = { path: name, kind, bytes: Buffer.byteLength(text), hash };
  return artifactId === undefined ? file : { ...file, artifactId };
}

/** Folders once, files indented below them. */
export function drawTree(paths: readonly string[]): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const each of paths) {
    const parts = each.split("/");
    const folders = parts.slice(0, -1);
    let shared = 0;
    while (shared < folders.length && folders[shared] === open[shared]) shared += 1;
    for (const [depth, folder] of folders.entries()) {
      if (depth >= shared) lines.push(`${"  ".repeat(depth)}${folder}/`);
    }
    lines.push(`${"  ".repeat(folders.length)}${parts.at(-1) ?? ""}`);
    open = folders;
  }
  return lines.length === 0 ? "Nothing has been written yet." : lines.join("\n");
}

const exportShape = z.object({
  path: z.string(),
  files: z.int(),
  bytes: z.int(),
  sha256: z.string().describe("Of the manifest, which holds the hash of every file."),
});

const exported = defineOperation({
  name: "dialectic.export",
  summary: "Writes all files of a dialectic with a manifest of their hashes, as a folder or a ZIP.",
  effect: "writes",
  permission: "run",
  projectScope: { session: placeOfSession },
  input: z.object({
    session: sessionField,
    as: z.enum(["tree", "zip"]).default("tree").describe("A folder of files, or one ZIP."),
  }),
  output: exportShape,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(exportShape, ({ path: place, files, bytes }) =>
        doneLine(`${count(files, "file")}, ${bytesText(bytes)}: ${place}`),
      ),
      examples: ["dialectic export", "dialectic export --as zip"],
    },
    mcp: "full",
  },
  run: async ({ kernel, caller }, { session: given, as }) => {
    const { session, files } = await kernel.store.read(function* () {
      const found = yield* resolveSession(given, caller);
      const title = yield* withoutRedactedPassages(found.title, found.projectId ?? undefined);
      return { session: { ...found, title }, files: yield* readableFiles(found) };
    });
    const manifest = manifestOf(session.runId, session.title, files, kernel.clock.now());
    const all = [...files, { path: "manifest.json", text: manifest }];
    const name = `dialectic-${session.runId}`;
    const place =
      as === "zip" ? await writeZip(kernel, name, all) : await writeTree(kernel, name, all);
    return {
      path: place,
      files: all.length,
      bytes: all.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      sha256: createHash("sha256").update(manifest).digest("hex"),
    };
  },
});

function manifestOf(
  runId: string,
  title: string,
  files: readonly SessionFile[],
  at: number,
): string {
  const listed = files.map(described);
  return `${JSON.stringify({ dialectic: runId, title, exportedAt: new Date(at).toISOString(), files: listed }, null, 2)}\n`;
}

interface NamedText {
  readonly path: string;
  readonly text: string;
}

async function exportFolder({ folder }: Kernel): Promise<string> {
  const place = path.join(folder, "exports");
  await mkdir(place, { recursive: true, mode: 0o700 });
  return place;
}

/** Written beside and moved into place, so that nobody meets half of it. */
async function writeTree(
  kernel: Kernel,
  name: string,
  files: readonly NamedText[],
): Promise<string> {
  const place = await exportFolder(kernel);
  const draft = path.join(place, `.${name}.${kernel.ids.next()}`);
  const target = path.join(place, name);
  try {
    for (const file of files) {
      const full = path.join(draft, file.path);
      await mkdir(path.dirname(full), { recursive: true, mode: 0o700 });
      await writeFile(full, file.text, { mode: 0o600, flag: "wx" });
    }
    while (!(await takePlace(draft, target))) {}
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return target;
}

/** False where another export of the same name took the place meanwhile. */
async function takePlace(draft: string, target: string): Promise<boolean> {
  const old = `${draft}.old`;
  await rename(target, old).catch(unlessMissing);
  try {
    await rename(draft, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    await rename(old, target).catch(unlessMissing);
    throw error;
  } finally {
    await rm(old, { recursive: true, force: true });
  }
  return true;
}

async function writeZip(
  kernel: Kernel,
  name: string,
  files: readonly NamedText[],
): Promise<string> {
  const place = await exportFolder(kernel);
  const draft = path.join(place, `.${name}.${kernel.ids.next()}.zip`);
  const target = path.join(place, `${name}.zip`);
  const packed = packFiles(
    files.map((file) => {
      const bytes = Buffer.from(file.text);
      return {
        name: file.path,
        bytes: bytes.length,
        async *open() {
          yield bytes;
        },
      };
    }),
  );
  try {
    await pipeline(
      Readable.from(packed.stream()),
      createWriteStream(draft, { mode: 0o600, flags: "wx" }),
    );
    const handle = await open(draft, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
  return target;
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

export const fileOperations: readonly Operation[] = [tree, exported];
