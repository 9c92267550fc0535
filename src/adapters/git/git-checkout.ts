/**
 * Lets index and working copy follow a history that changed places under them. Files that are neither what the old
 * commit held nor our own are somebody's work and stay; running it again finishes what was interrupted.
 */

import { lstat, readFile, readlink, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { listTreeChanges, readTreeFiles } from "../../kernel/vcs/git-objects.ts";
import type { GitProgram } from "../../kernel/vcs/git-program.ts";
import type { ChangedPath } from "../../kernel/vcs/vcs.ts";

export interface CheckoutMove {
  readonly root: string;
  readonly from: string;
  readonly to: string;
  /** Below these, what the working copy holds is ours to replace. */
  readonly ownFolders: readonly string[];
}

export async function followHistory(git: GitProgram, move: CheckoutMove): Promise<void> {
  git.refusePrograms("files");
  await git.run(["read-tree", "--reset", move.to]);
  const free = await listReplaceable(git, move);
  const written = free.filter(({ kind }) => kind !== "deleted").map(({ path: file }) => file);
  if (written.length > 0) {
    await git.run(["checkout-index", "--force", "--quiet", "-z", "--stdin"], {
      input: written.map((file) => `${file}\0`).join(""),
    });
  }
  for (const { path: file, kind } of free)
    if (kind === "deleted") await removeFile(move.root, file);
  // Exits with 1 where something differs, which is no trouble of ours.
  await git.attempt(["update-index", "-q", "--refresh"]);
}

async function listReplaceable(
  git: GitProgram,
  { root, from, to, ownFolders }: CheckoutMove,
): Promise<readonly ChangedPath[]> {
  const changes = await listTreeChanges(git, from, to);
  const before = await readTreeFiles(
    git,
    from,
    changes.map(({ path: file }) => file),
  );
  const free: ChangedPath[] = [];
  for (const change of changes) {
    const isOwn = ownFolders.some((folder) => change.path.startsWith(`${folder}/`));
    const held = await readHeld(path.join(root, change.path));
    const was = before.get(change.path);
    const isAsItWas = held === undefined || (was !== undefined && Buffer.compare(held, was) === 0);
    if (isOwn || isAsItWas) free.push(change);
  }
  return free;
}

/** A link's content is where it points to, as git keeps it. Undefined where there is no file. */
async function readHeld(file: string): Promise<Uint8Array | undefined> {
  const stats = await lstat(file).catch(ignoreMissing);
  if (stats === undefined || stats.isDirectory()) return undefined;
  return stats.isSymbolicLink() ? Buffer.from(await readlink(file)) : readFile(file);
}

async function removeFile(root: string, file: string): Promise<void> {
  await rm(path.join(root, file), { force: true });
  for (let folder = path.dirname(file); folder !== "."; folder = path.dirname(folder)) {
    const isGone = await rmdir(path.join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
