/** Commits as git prints and takes them. */

import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import type { Author, Commit } from "../../kernel/vcs/vcs.ts";
import { vcsFailed } from "../../kernel/vcs/vcs-errors.ts";
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
export async function writeCommit(git: GitProgram, commit: NewCommit): Promise<string> {
  const object = encodeCommit(commit);
  await git.run(["hash-object", "-t", "commit", "-w", "--stdin"], { input: object.bytes });
  return object.id;
}

export interface CommitObject {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A commit as git keeps it. Its id follows from it, so that a child can be made before anything is written. */
export function encodeCommit(commit: NewCommit): CommitObject {
  const { tree, parents, message, changeId, author, authoredAt, committer, at } = commit;
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature(author, authoredAt)}`,
    `committer ${signature(committer, at)}`,
  ].join("\n");
  const bytes = Buffer.from(`${head}\n\n${withChangeId(message, changeId)}`);
  const id = createHash("sha1").update(`commit ${bytes.length}\0`).update(bytes).digest("hex");
  return { id, bytes };
}

/** All of them in one go: starting a program for each would take longer than everything else. */
export async function writeCommits(
  git: GitProgram,
  objects: readonly CommitObject[],
): Promise<void> {
  const written = await writeObjects(
    git,
    "commit",
    objects.map(({ bytes }) => bytes),
  );
  const isSame = objects.every(({ id }, i) => id === written[i]);
  if (!isSame) throw vcsFailed("git hash-object", "the commits came out as others");
}

/** Gives their ids, in order. */
export async function writeObjects(
  git: GitProgram,
  kind: "commit" | "blob",
  objects: readonly (Uint8Array | string)[],
): Promise<readonly string[]> {
  if (objects.length === 0) return [];
  const folder = await mkdtemp(path.join(tmpdir(), "throughline-objects-"));
  try {
    const files = objects.map((_, i) => path.join(folder, String(i)));
    await Promise.all(objects.map((each, i) => writeFile(files[i] ?? "", each, { mode: 0o600 })));
    const args = ["hash-object", "-t", kind, "-w", "--no-filters", "--stdin-paths"];
    const written = await git.text(args, { input: files.map((file) => `${file}\n`).join("") });
    return written.split("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function signature({ name, email }: Author, at: number): string {
  return `${name} <${email}> ${Math.floor(at / 1000)} +0000`;
}
