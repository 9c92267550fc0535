/** Reading commits' contents. Both systems keep their history as git objects, so both read them the same way. */

import { decode, type GitProgram } from "./git-program.ts";
import type { ChangedPath, TouchedFile, TrackedFile } from "./vcs.ts";
import { vcsFailed } from "./vcs-errors.ts";

export async function isAncestorOf(
  git: GitProgram,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { exitCode, errors } = await git.attempt([
    "merge-base",
    "--is-ancestor",
    ancestor,
    descendant,
  ]);
  if (exitCode > 1) throw vcsFailed("git merge-base", errors);
  return exitCode === 0;
}

/** `from` and `to` are commits or trees. */
export async function listTreeChanges(
  git: GitProgram,
  from: string,
  to: string,
): Promise<readonly ChangedPath[]> {
  const output = await git.run([
    "diff-tree",
    "-r",
    "-z",
    "--no-renames",
    "--name-status",
    from,
    to,
  ]);
  const parts = decode(output).split("\0");
  const changes: ChangedPath[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    changes.push({ kind: kindOf(parts[i] ?? ""), path: parts[i + 1] ?? "" });
  }
  return changes;
}

function kindOf(status: string): ChangedPath["kind"] {
  return status === "A" ? "added" : status === "D" ? "deleted" : "modified";
}

export async function listTouchedPaths(
  git: GitProgram,
  commitIds: readonly string[],
): Promise<readonly string[]> {
  if (commitIds.length === 0) return [];
  const output = await git.run(
    [
      "diff-tree",
      "--stdin",
      "--root",
      "-r",
      "-z",
      "--no-renames",
      "--no-commit-id",
      "--name-only",
      "--diff-merges=first-parent",
    ],
    { input: commitIds.map((id) => `${id}\n`).join("") },
  );
  return [...new Set(decode(output).split("\0"))].filter((path) => path !== "");
}

/** Deleted files and submodules hold nothing to read. */
export async function readTouchedFiles(
  git: GitProgram,
  commitIds: readonly string[],
): Promise<readonly TouchedFile[]> {
  if (commitIds.length === 0) return [];
  const output = await git.run(
    [
      "diff-tree",
      "--stdin",
      "--root",
      "-r",
      "-z",
      "--no-renames",
      "--no-commit-id",
      "--diff-merges=first-parent",
    ],
    { input: commitIds.map((id) => `${id}\n`).join("") },
  );
  const parts = decode(output).split("\0");
  const files: { readonly path: string; readonly before: string; readonly now: string }[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [mode, before = "", now = ""] = (parts[i] ?? "").split(" ").slice(1);
    if (mode !== SUBMODULE && !NOTHING.test(now))
      files.push({ path: parts[i + 1] ?? "", before, now });
  }
  const ids = [...new Set(files.flatMap(({ before, now }) => [before, now]))].filter(
    (id) => !NOTHING.test(id),
  );
  const contents = await readObjects(git, ids);
  const byId = new Map(ids.map((id, i) => [id, contents[i]]));
  return files.map(({ path, before, now }) => ({
    path,
    now: byId.get(now) ?? new Uint8Array(),
    before: byId.get(before),
  }));
}

const SUBMODULE = "160000";
const NOTHING = /^0+$/;

interface TreeEntry extends TrackedFile {
  readonly object: string;
}

export async function listTreeFiles(
  git: GitProgram,
  commitId: string,
  folders: readonly string[],
): Promise<readonly TreeEntry[]> {
  const output = await git.run(["ls-tree", "-r", "-z", "--full-tree", commitId, "--", ...folders]);
  return decode(output)
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const [, mode = "", object = "", path = ""] =
        /^(\d+) \w+ ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
      const kind = mode === "120000" ? "symlink" : mode === SUBMODULE ? "submodule" : "file";
      return { path, kind, object };
    });
}

/** More names than this are looked up in the whole tree instead: a command line has an end. */
const MOST_NAMED = 200;

export async function readTreeFiles(
  git: GitProgram,
  commitId: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (paths.length === 0) return new Map();
  const wanted = new Set(paths);
  const entries = await listTreeFiles(git, commitId, paths.length > MOST_NAMED ? [] : paths);
  const files = entries.filter(({ path, kind }) => wanted.has(path) && kind !== "submodule");
  const contents = await readObjects(
    git,
    files.map(({ object }) => object),
  );
  return new Map(files.map(({ path }, i) => [path, contents[i] ?? new Uint8Array()]));
}

/** In the order of the ids. */
async function readObjects(
  git: GitProgram,
  ids: readonly string[],
): Promise<readonly Uint8Array[]> {
  if (ids.length === 0) return [];
  const output = await git.run(["cat-file", "--batch"], { input: `${ids.join("\n")}\n` });
  const contents: Uint8Array[] = [];
  let place = 0;
  for (const id of ids) {
    const end = output.indexOf(LINE_BREAK, place);
    const [, kind, size] = decode(output.subarray(place, end)).split(" ");
    if (kind === "missing" || size === undefined)
      throw vcsFailed("git cat-file", `${id} is missing`);
    const begin = end + 1;
    place = begin + Number(size) + 1;
    contents.push(output.subarray(begin, place - 1));
  }
  return contents;
}

const LINE_BREAK = 10;

/** Where branches stand at a remote; throws what `unreachable` makes of git's complaint. */
export async function listRemoteHeads(
  git: GitProgram,
  remote: string,
  names: readonly string[],
  unreachable: (errors: string) => Error,
): Promise<ReadonlyMap<string, string>> {
  git.refusePrograms("remotes");
  const refs = names.map((name) => `refs/heads/${name}`);
  const { exitCode, output, errors } = await git.attempt(["ls-remote", "--", remote, ...refs]);
  if (exitCode !== 0) throw unreachable(errors);
  const heads = new Map<string, string>();
  for (const line of decode(output).split("\n")) {
    const [commitId = "", ref = ""] = line.split("\t");
    // A pattern also matches longer names that end with it.
    if (refs.includes(ref)) heads.set(ref.slice("refs/heads/".length), commitId);
  }
  return heads;
}

/** Brings objects of branches here; no name points to them, here or as seen at the remote. */
export async function bringObjects(
  git: GitProgram,
  remote: string,
  names: readonly string[],
  unreachable: (errors: string) => Error,
): Promise<void> {
  if (names.length === 0) return;
  git.refusePrograms("remotes");
  const refs = names.map((name) => `refs/heads/${name}`);
  const { exitCode, errors } = await git.attempt([
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--refmap=",
    "--",
    remote,
    ...refs,
  ]);
  if (exitCode !== 0) throw unreachable(errors);
}
