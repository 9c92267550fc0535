/** The working copy of a git repository: what changed in it, and commits made of that. */

import { rm } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../kernel/base/errors.ts";
import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import type {
  ChangedPath,
  Commit,
  CommitRequest,
  WorkingCopy,
  WorkingCopyState,
} from "../../kernel/vcs/vcs.ts";
import { nothingChanged } from "../../kernel/vcs/vcs-errors.ts";
import type { VcsTools } from "../../kernel/vcs/vcs-tools.ts";
import { newChangeId } from "./change-id.ts";
import { getCommit, writeCommit } from "./git-commits.ts";

export interface GitPlaces {
  readonly root: string;
  /** Of this working copy; a linked one has its own. */
  readonly gitFolder: string;
  /** Of the repository, for all its working copies. */
  readonly commonFolder: string;
}

export function gitWorkingCopy(
  git: GitProgram,
  places: GitPlaces,
  { random, write }: Pick<VcsTools, "random" | "write">,
): WorkingCopy {
  return {
    operation: async () => {
      const { branch, commitId } = await readHead(git);
      return `${branch ?? ""}@${commitId}`;
    },
    look: () => look(git),
    commit: (request) => commitChanges(git, places, random, request),
    write: (files) => write(places.root, files),
    // There is no empty change to begin: being clean on top of it is all.
    beginFresh: async () => {},
  };
}

export interface Head {
  /** The full name of the branch; undefined when it is detached. */
  readonly branch: string | undefined;
  readonly commitId: string;
}

export async function readHead(git: GitProgram): Promise<Head> {
  const { exitCode, output } = await git.attempt([
    "rev-parse",
    "HEAD^{commit}",
    "--symbolic-full-name",
    "HEAD",
  ]);
  if (exitCode !== 0) {
    throw new ProductError("vcs_no_commit", "This repository has no commit yet.", {
      kind: "conflict",
      hint: "Make a first one: git commit --allow-empty -m 'Begin'",
    });
  }
  const [commitId = "", name = ""] = decode(output).split("\n");
  return { branch: name.startsWith("refs/") ? name : undefined, commitId };
}

async function look(git: GitProgram): Promise<WorkingCopyState> {
  git.refusePrograms("files");
  const { commitId } = await readHead(git);
  const output = await git.run([
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
  ]);
  const { changes, conflicts } = parseStatus(decode(output));
  return {
    parent: await getCommit(git, commitId),
    changes,
    conflicts,
    isFresh: changes.length === 0 && conflicts.length === 0,
  };
}

/** Porcelain v2: ordinary `1 XY … path`, unmerged `u XY … path`, untracked `? path`. */
export function parseStatus(output: string): {
  readonly changes: readonly ChangedPath[];
  readonly conflicts: readonly string[];
} {
  const changes: ChangedPath[] = [];
  const conflicts: string[] = [];
  for (const line of output.split("\0")) {
    if (line.startsWith("? ")) changes.push({ path: line.slice(2), kind: "added" });
    else if (line.startsWith("u ")) conflicts.push(line.split(" ").slice(10).join(" "));
    else if (line.startsWith("1 ")) {
      const states = line.slice(2, 4);
      const file = line.split(" ").slice(8).join(" ");
      const kind = states.includes("D") ? "deleted" : states.startsWith("A") ? "added" : "modified";
      changes.push({ path: file, kind });
    }
  }
  return { changes, conflicts };
}

async function commitChanges(
  git: GitProgram,
  places: GitPlaces,
  random: (count: number) => Uint8Array,
  { message, paths, hand }: CommitRequest,
): Promise<Commit> {
  git.refusePrograms("files");
  const { commitId } = await readHead(git);
  const parent = await getCommit(git, commitId);
  const tree =
    paths === undefined ? await stageAll(git) : await stageSome(git, places, commitId, paths);
  if (tree === parent.tree) throw nothingChanged();
  const { author, at } = hand;
  const made = await writeCommit(git, {
    tree,
    parents: [commitId],
    message,
    changeId: newChangeId(random),
    author,
    authoredAt: at,
    committer: author,
    at,
  });
  // Only if nobody has moved it meanwhile.
  await git.run(["update-ref", "-m", hand.tag, "HEAD", made, commitId]);
  return getCommit(git, made);
}

async function stageAll(git: GitProgram): Promise<string> {
  await git.run(["add", "--all"]);
  return git.text(["write-tree"]);
}

/** The index keeps what else was staged; the commit is made of an index of its own. */
async function stageSome(
  git: GitProgram,
  places: GitPlaces,
  head: string,
  paths: readonly string[],
): Promise<string> {
  const add = ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
  const input = paths.map((each) => `${each}\0`).join("");
  await git.run(add, { input });
  return withOwnIndex(places, async (environment) => {
    await git.run(["read-tree", head], { environment });
    await git.run(add, { input, environment });
    return git.text(["write-tree"], { environment });
  });
}

/** Work on trees without touching what the person has staged. Under the repository's lock there is one at a time. */
export async function withOwnIndex<Result>(
  { gitFolder }: GitPlaces,
  work: (environment: { readonly GIT_INDEX_FILE: string }) => Promise<Result>,
): Promise<Result> {
  const file = path.join(gitFolder, "throughline-index");
  await rm(`${file}.lock`, { force: true });
  try {
    return await work({ GIT_INDEX_FILE: file });
  } finally {
    await rm(file, { force: true });
  }
}
