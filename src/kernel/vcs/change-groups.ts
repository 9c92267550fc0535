/** Changes that were there before a session, sorted into groups that may be recorded one by one. */

import type { ChangedPath } from "./vcs.ts";

export interface ChangeGroup {
  /** What the group is about, as an intent would say it. */
  readonly what: string;
  /** `files in docs` */
  readonly place: string;
  readonly paths: readonly string[];
}

/** A folder is taken for a purpose; files beside no folder stand together. */
export function groupChanges(changes: readonly ChangedPath[]): readonly ChangeGroup[] {
  const groups = new Map<string, ChangedPath[]>();
  for (const change of changes) {
    const folder = folderOf(change.path);
    groups.set(folder, [...(groups.get(folder) ?? []), change]);
  }
  return [...groups].map(([folder, members]) => ({
    what: `Keep what was there before: ${placeOf(folder)} (${countsOf(members)})`,
    place: placeOf(folder),
    paths: members.map(({ path }) => path),
  }));
}

function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.slice(0, Math.min(2, parts.length - 1)).join("/");
}

function countsOf(members: readonly ChangedPath[]): string {
  const count = (kind: ChangedPath["kind"]) => members.filter((each) => each.kind === kind).length;
  return (["added", "modified", "deleted"] as const)
    .filter((kind) => count(kind) > 0)
    .map((kind) => `${count(kind)} ${kind}`)
    .join(", ");
}

function placeOf(folder: string): string {
  return folder === "" ? "files at the root" : `files in ${printable(folder)}`;
}

/** An intent is one line, whatever a folder is called. */
function printable(name: string): string {
  const plain = name.replaceAll(/\p{Cc}+/gu, "?");
  return plain.length > 100 ? `${plain.slice(0, 99)}…` : plain;
}
