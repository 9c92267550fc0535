/** What lies in the folders of reports and strategies, wherever it is written down already. */

import { ProductError } from "../../kernel/base/errors.ts";
import { decode } from "../../kernel/vcs/git-program.ts";
import { isTold, STRATEGIES, TOLD_FOLDERS } from "../../kernel/vcs/repository-path.ts";
import type { Commit, Vcs, WorkingCopyState } from "../../kernel/vcs/vcs.ts";
import { listSubjectFolders, parseAliases } from "./counterparts.ts";

export interface ToldState {
  readonly paths: readonly string[];
  /** By folder, the aliases its strategy names. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

/** As of these commits, later ones over earlier ones, and of the working copy. */
export async function readToldFiles(
  { history }: Vcs,
  commits: readonly Commit[],
  { changes }: Pick<WorkingCopyState, "changes">,
): Promise<ToldState> {
  const paths = new Set<string>();
  const strategies = new Map<string, Uint8Array>();
  const found = await Promise.all(commits.map((commit) => readTold(history, commit)));
  for (const { files, heads } of found) {
    for (const { path } of files) paths.add(path);
    for (const [path, bytes] of heads) strategies.set(path, bytes);
  }
  for (const { path, kind } of changes) {
    if (!isTold(path)) continue;
    if (kind === "deleted") paths.delete(path);
    else paths.add(path);
  }
  const all = [...paths];
  const folders = listSubjectFolders(all).map((folder): [string, readonly string[]] => {
    const bytes = strategies.get(`${STRATEGIES}/${folder}/STRATEGY.md`);
    return [folder, bytes === undefined ? [] : parseAliases(decode(bytes))];
  });
  return { paths: all, folders: new Map(folders) };
}

async function readTold(history: Vcs["history"], { commitId }: Commit) {
  const files = await history.listFiles(commitId, TOLD_FOLDERS);
  refuseLinks(files);
  const strategies = files.map(({ path }) => path).filter(isStrategy);
  return { files, heads: await history.read(commitId, strategies) };
}

function isStrategy(path: string): boolean {
  return path.startsWith(`${STRATEGIES}/`) && path.endsWith("/STRATEGY.md");
}

/** What is written below a link would lie somewhere else. */
function refuseLinks(files: readonly { readonly path: string; readonly kind: string }[]): void {
  const link = files.find(({ path, kind }) => kind !== "file" || TOLD_FOLDERS.includes(path));
  if (link === undefined) return;
  throw new ProductError(
    "path_not_own",
    `${link.path} is a ${link.kind === "file" ? "file where a folder should be" : link.kind}.`,
    { kind: "not_allowed", hint: "Remove it; reports are written to real folders only." },
  );
}
