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
  const tree = await replayOnto(git, squash, original, below[0]?.tree ?? onto.tree);
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
  let { tree, commitId: joined } = first;
  for (const other of others) {
    tree = await mergeCommits(git, joined, other.commitId, "Parallel lines of this session");
    joined = await rootOf(git, tree, [joined, other.commitId]);
  }
  return tree;
}

function titleOf({ message }: GitCommit): string {
  return message.split("\n")[0] ?? "";
}
