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

/** What these lines of work brought since the base. */
export async function scanCommits(
  vcs: Vcs,
  base: Commit,
  heads: readonly Commit[],
  touched: readonly string[],
): Promise<readonly SecretFinding[]> {
  const findings: SecretFinding[] = [];
  for (const { commitId } of heads) {
    const now = await vcs.history.read(commitId, touched);
    findings.push(...(await scanAgainst(vcs, base.commitId, now)));
  }
  return findings;
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
