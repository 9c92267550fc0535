/** Looks for credentials in changed files: as they lie in the working copy, or as commits hold them. */

import { lstat, readFile } from "node:fs/promises";
import path from "node:path";
import type { Commit, Vcs, WorkingCopyState } from "../../kernel/vcs/vcs.ts";
import { type SecretFinding, scanFiles } from "./secret-scan.ts";

export async function scanChanges(
  vcs: Vcs,
  { parent, changes }: WorkingCopyState,
  isMeant: (file: string) => boolean = () => true,
): Promise<readonly SecretFinding[]> {
  const now = new Map<string, Uint8Array>();
  for (const { path: file, kind } of changes) {
    if (kind === "deleted" || !isMeant(file)) continue;
    const place = path.join(vcs.root, file);
    if ((await lstat(place)).isFile()) now.set(file, await readFile(place));
  }
  return scanAgainst(vcs, parent.commitId, now);
}

/** What each of these commits brought: what a later one took out again is still in the history, and is pushed. */
export async function scanCommits(
  { history }: Vcs,
  commits: readonly Commit[],
): Promise<readonly SecretFinding[]> {
  const touched = await history.readTouched(commits.map(({ commitId }) => commitId));
  const findings = touched.flatMap(({ path: file, now, before }) =>
    scanFiles(new Map([[file, now]]), new Map(before === undefined ? [] : [[file, before]])),
  );
  return [...new Map(findings.map((each) => [`${each.place} ${each.hash}`, each])).values()];
}

async function scanAgainst(
  { history }: Vcs,
  base: string,
  now: ReadonlyMap<string, Uint8Array>,
): Promise<readonly SecretFinding[]> {
  const suspicious = scanFiles(now, new Map());
  if (suspicious.length === 0) return [];
  return scanFiles(now, await history.read(base, [...now.keys()]));
}
