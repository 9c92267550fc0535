/** The history of a jj repository: what is visible in jj decides, contents are read as git objects. */

import { ProductError } from "../../kernel/base/errors.ts";
import { isBookmarkName } from "../../kernel/vcs/bookmark-name.ts";
import {
  isAncestorOf,
  listTouchedPaths,
  listTreeChanges,
  listTreeFiles,
  readTouchedFiles,
  readTreeFiles,
} from "../../kernel/vcs/git-objects.ts";
import { type Commit, type CommitRange, type History, KEPT_PREFIX } from "../../kernel/vcs/vcs.ts";
import { type JjCommit, logArgs, parseCommits } from "./jj-commits.ts";
import { type JjProgram, quoted } from "./jj-program.ts";

/** The root of every jj history is no git object. */
const ROOT = /^0+$/;
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export function jjHistory(jj: JjProgram): History {
  const { git } = jj;
  return {
    findAll: (ids) => findCommits(jj, ids),
    findBookmark: (name, remote) => findBookmark(jj, name, remote),
    list: async (range) => {
      const commits = await listCommits(jj, rangeRevset(range));
      const { title } = range;
      return title === undefined
        ? commits
        : commits.filter((each) => each.message.startsWith(title));
    },
    isAncestor: async (ancestor, descendant) => {
      if (ROOT.test(ancestor)) return true;
      return ROOT.test(descendant) ? false : isAncestorOf(git, ancestor, descendant);
    },
    listChanges: (from, to) => listTreeChanges(git, treeOf(from), treeOf(to)),
    listTouched: (commitIds) => listTouchedPaths(git, commitIds),
    readTouched: (commitIds) => readTouchedFiles(git, commitIds),
    read: (commitId, paths) => readTreeFiles(git, treeOf(commitId), paths),
    listFiles: (commitId, folders) => listTreeFiles(git, treeOf(commitId), folders),
  };
}

export function treeOf(commitId: string): string {
  return ROOT.test(commitId) ? EMPTY_TREE : commitId;
}

export async function listCommits(jj: JjProgram, revset: string): Promise<readonly JjCommit[]> {
  return parseCommits(await jj.read(logArgs(revset)));
}

const KEEPING = `(bookmarks(glob:${quoted(`${KEPT_PREFIX}*`)}) | remote_bookmarks(glob:${quoted(`${KEPT_PREFIX}*`)}))`;
const WORKING = `((bookmarks() | remote_bookmarks() | working_copies()) ~ ${KEEPING})`;

/** What sessions keep aside, here and at remotes, and no line of work reaches: duplicates stand on finished commits. */
export const KEPT = `(::${KEEPING} ~ ::${WORKING})`;

function rangeRevset({ after, upTo, title }: CommitRange): string {
  const beginning = title === undefined ? "" : ` & description(substring:${quoted(title)})`;
  if (upTo !== undefined) {
    const range = after === undefined ? `::${upTo}` : `${after}..${upTo}`;
    return `(${range}) ~ root()${beginning}`;
  }
  const all = after === undefined ? "all()" : `(${after}:: ~ ${after})`;
  return `(${all} ~ root() ~ ${KEPT})${beginning}`;
}

async function findCommits(
  jj: JjProgram,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Commit>> {
  const changeIds = ids.filter((id) => /^[k-z]{4,32}$/.test(id));
  const commitIds = ids.filter((id) => /^[0-9a-f]{4,64}$/.test(id));
  const terms = [
    ...changeIds.map((id) => `change_id(${id})`),
    ...commitIds.map((id) => `commit_id(${id})`),
  ];
  if (terms.length === 0) return new Map();
  const commits = await listCommits(jj, terms.join(" | "));
  const found = new Map<string, Commit>();
  for (const id of changeIds) {
    // A change that diverged has several; the newest counts.
    const commit = commits.findLast(({ changeId }) => changeId.startsWith(id));
    if (commit !== undefined) found.set(id, commit);
  }
  for (const id of commitIds) {
    const commit = commits.find(({ commitId }) => commitId.startsWith(id));
    if (commit !== undefined) found.set(id, commit);
  }
  return found;
}

async function findBookmark(
  jj: JjProgram,
  name: string,
  remote: string | undefined,
): Promise<Commit | undefined> {
  if (!isBookmarkName(name)) return undefined;
  const exact = `exact:${quoted(name)}`;
  const revset =
    remote === undefined
      ? `bookmarks(${exact})`
      : `remote_bookmarks(${exact}, exact:${quoted(remote)})`;
  const [commit, another] = await listCommits(jj, revset);
  if (another === undefined) return commit;
  throw new ProductError(
    "bookmark_conflicted",
    `The bookmark "${name}" points to several commits.`,
    {
      kind: "conflict",
      hint: "Decide where it belongs: jj bookmark set",
    },
  );
}
