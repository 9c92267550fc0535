/** Takes back operations that a dead process left, and nothing that anybody else did since. */

import type { LeftSynthesis } from "../../kernel/vcs/vcs.ts";
import { type JjProgram, OPERATION_USER } from "./jj-program.ts";
import { lookClosely } from "./jj-working-copy.ts";

interface Operation {
  readonly id: string;
  readonly user: string;
  readonly isSnapshot: boolean;
}

export async function undoOperations(jj: JjProgram, left: LeftSynthesis): Promise<void> {
  const { operation, hand, ownFolders } = left;
  const mine = `${OPERATION_USER}@${hand.tag}`;
  const isMine = ({ user }: Operation) => user === mine;
  const steps = (await listSince(jj, operation)).filter(({ isSnapshot }) => !isSnapshot);
  if (!steps.some(isMine)) return;
  // Recorded first, so that edits made since are seen and, where there are any, survive.
  const { changes } = (await lookClosely(jj)).state;
  const isOwn = (path: string) => ownFolders.some((folder) => path.startsWith(`${folder}/`));
  if (steps.every(isMine) && changes.every(({ path }) => isOwn(path))) {
    await jj.change(hand, ["operation", "restore", operation]);
    return;
  }
  for (const { id } of steps.filter(isMine)) await jj.change(hand, ["operation", "revert", id]);
}

/** Newest first. */
async function listSince(jj: JjProgram, operation: string): Promise<readonly Operation[]> {
  const output = await jj.read([
    "operation",
    "log",
    "--no-graph",
    '--template=id ++ "\\t" ++ user ++ "\\t" ++ description.first_line() ++ "\\n"',
  ]);
  const all = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", user = "", description = ""] = line.split("\t");
      return { id, user, isSnapshot: description === "snapshot working copy" };
    });
  const end = all.findIndex(({ id }) => id === operation);
  return end === -1 ? [] : all.slice(0, end);
}
