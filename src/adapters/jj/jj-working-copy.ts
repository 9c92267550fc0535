/** The working copy of a jj repository: itself a commit, recorded anew with every look. */

import { ProductError } from "../../kernel/base/errors.ts";
import { listTreeChanges } from "../../kernel/vcs/git-objects.ts";
import type {
  Commit,
  CommitRequest,
  Hand,
  WorkingCopy,
  WorkingCopyState,
} from "../../kernel/vcs/vcs.ts";
import { nothingChanged } from "../../kernel/vcs/vcs-errors.ts";
import { type JjCommit, logArgs, parseCommits } from "./jj-commits.ts";
import { listCommits, treeOf } from "./jj-history.ts";
import { type JjProgram, quoted } from "./jj-program.ts";

export function jjWorkingCopy(jj: JjProgram, write: WorkingCopy["write"]): WorkingCopy {
  return {
    operation: () => currentOperation(jj),
    look: async () => (await lookClosely(jj)).state,
    commit: (request) => commitChanges(jj, request),
    write,
    beginFresh: (commitId, hand) => beginFresh(jj, commitId, hand),
  };
}

export async function currentOperation(jj: JjProgram): Promise<string> {
  return (await jj.read(["operation", "log", "--no-graph", "--limit=1", "--template=id"])).trim();
}

export async function lookClosely(
  jj: JjProgram,
): Promise<{ readonly state: WorkingCopyState; readonly working: JjCommit }> {
  const commits = parseCommits(await jj.look(logArgs("@ | @-")));
  const working = commits.find(({ isWorkingCopy }) => isWorkingCopy);
  const [parent, another] = commits.filter(({ isWorkingCopy }) => !isWorkingCopy);
  if (working === undefined || parent === undefined)
    throw new TypeError("jj shows no working copy.");
  if (another !== undefined) throw severalParents();
  const conflicts = working.isConflicted ? await listConflicts(jj, working.commitId) : [];
  const changes = working.isEmpty
    ? []
    : (await listTreeChanges(jj.git, treeOf(parent.commitId), working.commitId)).filter(
        ({ path }) => !path.startsWith(".jjconflict-"),
      );
  const isFresh = working.isEmpty && working.message === "" && !working.isConflicted;
  return { working, state: { parent, changes, conflicts, isFresh } };
}

export async function listConflicts(jj: JjProgram, revset: string): Promise<readonly string[]> {
  const output = await jj.read([
    "file",
    "list",
    `--revision=${revset}`,
    '--template=if(conflict, path ++ "\\0")',
  ]);
  return output.split("\0").filter((path) => path !== "");
}

function severalParents(): ProductError {
  return new ProductError("vcs_tangled", "The working copy stands on several parents.", {
    kind: "conflict",
    hint: "Record the merge first: jj commit -m 'Merge …'",
  });
}

/** A command line has an end, and a process list shows it; longer messages go in by the door for texts. */
const MOST_IN_ARGUMENT = 4000;

async function commitChanges(
  jj: JjProgram,
  { message, paths, hand }: CommitRequest,
): Promise<Commit> {
  const { changes } = (await lookClosely(jj)).state;
  const isMeant = ({ path }: { readonly path: string }) =>
    paths === undefined || paths.some((each) => path === each || path.startsWith(`${each}/`));
  if (!changes.some(isMeant)) throw nothingChanged();
  const isShort = message.length <= MOST_IN_ARGUMENT;
  await jj.change(hand, [
    "commit",
    `--message=${isShort ? message : hand.tag}`,
    "--",
    ...(paths ?? []).map((path) => `root:${quoted(path)}`),
  ]);
  if (!isShort) await jj.change(hand, ["describe", "--stdin", "@-"], message);
  const [made] = await listCommits(jj, "@-");
  if (made === undefined) throw new TypeError("jj shows no commit it made.");
  return isBy(made, hand) ? made : signed(jj, made, hand);
}

/** jj keeps the author of the moment the working copy was begun, who may have been somebody else. */
async function signed(jj: JjProgram, made: JjCommit, hand: Hand): Promise<Commit> {
  const { name, email } = hand.author;
  await jj.change(hand, ["metaedit", `--author=${name} <${email}>`, made.commitId]);
  const [commit] = await listCommits(jj, "@-");
  return commit ?? made;
}

function isBy({ author }: Commit, hand: Hand): boolean {
  return author.name === hand.author.name && author.email === hand.author.email;
}

async function beginFresh(jj: JjProgram, commitId: string, hand: Hand): Promise<void> {
  const { state, working } = await lookClosely(jj);
  const stands = await listCommits(jj, `${commitId} & ::${working.commitId}`);
  if (stands.length > 0 && (state.isFresh || state.changes.length > 0)) return;
  await jj.change(hand, ["new", commitId]);
}
