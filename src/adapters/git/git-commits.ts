/** Commits as git prints and takes them. */

import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import type { Author, Commit } from "../../kernel/vcs/vcs.ts";
import { ownChangeId, parseMessage, withChangeId } from "./change-id.ts";

export interface GitCommit extends Commit {
  readonly tree: string;
  /** When it was first written, in epoch milliseconds. */
  readonly authoredAt: number;
}

/** A message cannot hold NUL, so fields cannot run into each other. */
const FORMAT = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B";
const FIELDS = 8;

/** `args` say which commits; a range never comes from outside without having been looked up. */
export async function logCommits(
  git: GitProgram,
  args: readonly string[],
  input?: string,
): Promise<readonly GitCommit[]> {
  const output = await git.run(
    ["log", "-z", FORMAT, ...args],
    input === undefined ? {} : { input },
  );
  const fields = decode(output).split("\0");
  const commits: GitCommit[] = [];
  for (let i = 0; i + FIELDS <= fields.length; i += FIELDS) {
    commits.push(toCommit(fields.slice(i, i + FIELDS)));
  }
  return commits;
}

function toCommit(fields: readonly string[]): GitCommit {
  const [commitId = "", tree = "", parents = "", name = "", email = "", ...rest] = fields;
  const [authoredAt = "", at = "", stored = ""] = rest;
  const { changeId, message } = parseMessage(stored);
  return {
    changeId: changeId ?? ownChangeId(commitId),
    commitId,
    tree,
    parents: parents === "" ? [] : parents.split(" "),
    message,
    author: { name, email },
    authoredAt: Number(authoredAt) * 1000,
    at: Number(at) * 1000,
    isConflicted: false,
  };
}

export async function getCommit(git: GitProgram, commitId: string): Promise<GitCommit> {
  const [commit] = await logCommits(git, ["--no-walk", commitId, "--"]);
  if (commit === undefined) throw new TypeError(`There is no commit ${commitId}.`);
  return commit;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly changeId: string;
  readonly author: Author;
  readonly authoredAt: number;
  readonly committer: Author;
  readonly at: number;
}

/** Writes the object; nothing points to it yet. Nothing is cleaned up in the message. */
export function writeCommit(git: GitProgram, commit: NewCommit): Promise<string> {
  const { tree, parents, message, changeId, author, authoredAt, committer, at } = commit;
  return git.text(
    ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"],
    {
      input: withChangeId(message, changeId),
      environment: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: gitDate(authoredAt),
        GIT_COMMITTER_NAME: committer.name,
        GIT_COMMITTER_EMAIL: committer.email,
        GIT_COMMITTER_DATE: gitDate(at),
      },
    },
  );
}

function gitDate(at: number): string {
  return `@${Math.floor(at / 1000)} +0000`;
}
