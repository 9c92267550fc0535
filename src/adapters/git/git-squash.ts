/** Duplicates of commits on top of another commit, and one tree that holds what all of them brought. */

import type { GitProgram } from "../../kernel/vcs/git-program.ts";
import type { Hand } from "../../kernel/vcs/vcs.ts";
import { newChangeId } from "./change-id.ts";
import { type CommitObject, encodeCommit, type GitCommit, writeCommits } from "./git-commits.ts";
import { mergeCommits, replayTree, rootOf } from "./git-replay.ts";

export interface Duplicated {
  /** In the order of the originals. */
  readonly duplicates: readonly Duplicate[];
  /** Those that no other stands on. */
  readonly heads: readonly Duplicate[];
  /** What all of them together make of `onto`. */
  readonly tree: string;
}

export interface Duplicate {
  readonly original: GitCommit;
  readonly commitId: string;
  readonly changeId: string;
  readonly tree: string;
  readonly parents: readonly string[];
}

export interface Squash {
  readonly onto: GitCommit;
  /** Parents before children. */
  readonly originals: readonly GitCommit[];
  /** By id, every commit on the way to them and what the first ones stand on: not all of it is theirs. */
  readonly between: ReadonlyMap<string, GitCommit>;
  /** Something on the way is not theirs. */
  readonly hasOthers: boolean;
  readonly hand: Hand;
  readonly random: (count: number) => Uint8Array;
}

/** Commits that nothing points to yet. A merge is replayed as the difference to its first parent. */
export async function duplicateCommits(git: GitProgram, squash: Squash): Promise<Duplicated> {
  const made = new Map<string, Duplicate>();
  const objects: CommitObject[] = [];
  for (const original of squash.originals) {
    const { object, ...each } = await duplicate(git, squash, original, made);
    objects.push(object);
    made.set(original.commitId, each);
  }
  await writeCommits(git, objects);
  const duplicates = [...made.values()];
  const parents = new Set(duplicates.flatMap((each) => each.parents));
  const heads = duplicates.filter(({ commitId }) => !parents.has(commitId));
  return { duplicates, heads, tree: await bringTogether(git, squash.onto, heads) };
}

async function duplicate(
  git: GitProgram,
  squash: Squash,
  original: GitCommit,
  made: ReadonlyMap<string, Duplicate>,
): Promise<Duplicate & { readonly object: CommitObject }> {
  const { onto, hand, random } = squash;
  const below = nearestMade(squash.between, original, made);
  const tree = await standOn(git, squash, original, below[0]?.tree ?? onto.tree);
  const changeId = newChangeId(random);
  const { message, author, authoredAt } = original;
  const parents =
    below.length === 0 ? [onto.commitId] : [...new Set(below.map(({ commitId }) => commitId))];
  const object = encodeCommit({
    tree,
    parents,
    message,
    changeId,
    author,
    authoredAt,
    committer: hand.author,
    at: hand.at,
  });
  return { original, commitId: object.id, changeId, tree, parents, object };
}

/**
 * Where nothing of others lies among the originals, one that has `onto` below it already stands there as it is. One
 * before it need not go together with `onto`: whoever made that merge has seen both.
 */
async function standOn(
  git: GitProgram,
  squash: Squash,
  original: GitCommit,
  ours: string,
): Promise<string> {
  const { onto, originals, between, hasOthers } = squash;
  if (hasOthers) return replayOnto(git, squash, original, ours);
  const isOnto = (commit: GitCommit) => isBelow(between, onto.commitId, commit);
  if (isOnto(original)) return original.tree;
  try {
    return await replayOnto(git, squash, original, ours);
  } catch (error) {
    const isSettled = originals.some(
      (each) => isOnto(each) && isBelow(between, original.commitId, each),
    );
    if (!isSettled) throw error;
    return original.tree;
  }
}

/** Whether a commit is among the ancestors of another one, or is it. */
function isBelow(between: Squash["between"], wanted: string, top: GitCommit): boolean {
  const seen = new Set<string>();
  const open = [top.commitId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === wanted) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(between.get(id)?.parents ?? []));
  }
  return false;
}

export function replayOnto(
  git: GitProgram,
  { between }: Pick<Squash, "between">,
  commit: GitCommit,
  ours: string,
): Promise<string> {
  const [first] = commit.parents;
  const base = first === undefined ? undefined : between.get(first);
  if (base === undefined) throw new TypeError(`The parent of ${commit.commitId} is not known.`);
  return replayTree(
    git,
    { base: base.tree, ours, theirs: commit.tree },
    `"${titleOf(commit)}" and what it would stand on`,
  );
}

/** Of each parent the nearest ancestor that was duplicated, looked for through what is not ours. */
function nearestMade(
  between: Squash["between"],
  { parents }: GitCommit,
  made: ReadonlyMap<string, Duplicate>,
): readonly Duplicate[] {
  return parents.flatMap((parent): readonly Duplicate[] => {
    const known = made.get(parent);
    if (known !== undefined) return [known];
    const passed = between.get(parent);
    return passed === undefined ? [] : nearestMade(between, passed, made);
  });
}

async function bringTogether(
  git: GitProgram,
  onto: GitCommit,
  [first, ...others]: readonly Duplicate[],
): Promise<string> {
  if (first === undefined) return onto.tree;
  let { tree } = first;
  let together = [first.commitId];
  for (const { commitId } of others) {
    const [joined = ""] = together.length === 1 ? together : [await rootOf(git, tree, together)];
    tree = await mergeCommits(git, joined, commitId, "Parallel lines of this session");
    together = [joined, commitId];
  }
  return tree;
}

function titleOf({ message }: GitCommit): string {
  return message.split("\n")[0] ?? "";
}
