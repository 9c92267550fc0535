/**
 * Synthesis in jj. Every step is an operation under our name; the operation from before is restored when one fails,
 * and by the next process when one died. The bookmark goes last.
 */

import { describeError, ProductError } from "../../kernel/base/errors.ts";
import type {
  Hand,
  LeftSynthesis,
  Synthesis,
  Synthesised,
  SynthesisPlan,
  WorkingCopy,
} from "../../kernel/vcs/vcs.ts";
import { vcsConflict, vcsFailed } from "../../kernel/vcs/vcs-errors.ts";
import { type JjCommit, parseSummaries } from "./jj-commits.ts";
import { KEPT, listCommits } from "./jj-history.ts";
import { type JjProgram, quoted } from "./jj-program.ts";
import { undoOperations } from "./jj-undo.ts";
import { currentOperation, listConflicts, lookClosely } from "./jj-working-copy.ts";

export function jjSynthesis(jj: JjProgram, write: WorkingCopy["write"]): Synthesis {
  return {
    perform: async (plan) => {
      const { working } = await lookClosely(jj);
      const before = await currentOperation(jj);
      try {
        return await perform({ jj, write, plan }, working);
      } catch (error) {
        await restore(jj, plan.hand, before, error);
        throw error;
      }
    },
    undo: (left: LeftSynthesis) => undoOperations(jj, left),
    // The working copy moves with the history here.
    settle: async () => {},
  };
}

async function restore(
  jj: JjProgram,
  hand: Hand,
  operation: string,
  failure: unknown,
): Promise<void> {
  const { exitCode, errors } = await jj.attempt(hand, ["operation", "restore", operation]);
  if (exitCode === 0) return;
  throw new ProductError(
    "vcs_not_restored",
    `${describeError(failure).message} Going back failed, too: ${errors.trim()}`,
    {
      kind: "internal",
      hint: `Go back by hand: jj operation restore ${operation}`,
      cause: failure,
    },
  );
}

interface Shop {
  readonly jj: JjProgram;
  readonly write: WorkingCopy["write"];
  readonly plan: SynthesisPlan;
}

async function perform(shop: Shop, working: JjCommit): Promise<Synthesised> {
  const { jj, write, plan } = shop;
  const { hand } = plan;
  const others = await listOthers(shop, working);
  const changeId = await makePlace(shop);
  const duplicates = await squashDuplicates(shop, changeId);
  if (!working.isEmpty) await squashInto(jj, hand, "@", changeId);
  if (others.length > 0) {
    await jj.change(hand, [
      "rebase",
      ...others.map((other) => `--revisions=${other.changeId}`),
      `--destination=${changeId}`,
    ]);
  }
  await refuseConflicts(shop, changeId);
  const composed = await plan.compose({
    changeId,
    duplicates: duplicates.map((each) => each.changeId),
  });
  await jj.change(hand, ["new", changeId]);
  await write(composed.files);
  await squashInto(jj, hand, "@", changeId);
  await jj.change(hand, ["describe", "--stdin", changeId], composed.message);
  const keptCommitId = await keepAlive(shop, changeId, duplicates);
  await moveBookmarks(shop, changeId);
  const top = findTop(plan, others, working);
  if (top !== undefined) await jj.change(hand, ["new", top.changeId]);
  await jj.change(hand, ["bookmark", "set", `--revision=${changeId}`, "--", quoted(plan.bookmark)]);
  const [commit] = await listCommits(jj, changeId);
  if (commit === undefined) throw vcsFailed("jj", "the commit it made is not there");
  return { commit, duplicates: duplicates.map((each) => each.changeId), keptCommitId };
}

/** What the working copy stood on of what others made, nearest first: it stands on that again. */
function findTop(
  { originals }: SynthesisPlan,
  others: readonly JjCommit[],
  working: JjCommit,
): JjCommit | undefined {
  const ours = new Map(originals.map((original) => [original.commitId, original]));
  let place = working.parents[0];
  while (place !== undefined && ours.has(place)) place = ours.get(place)?.parents[0];
  return others.find(({ commitId }) => commitId === place);
}

/** Not ours, but on top of or among the originals, the working copy left out: it is begun anew. */
async function listOthers({ jj, plan }: Shop, working: JjCommit): Promise<readonly JjCommit[]> {
  const ours = plan.originals.map(({ changeId }) => changeId);
  const above = ours.length === 0 ? "none()" : `(${ours.join(" | ")})::`;
  const touched = await listCommits(
    jj,
    `((${plan.onto}..@) | ${above}) ~ ::${plan.onto} ~ ${ours.length === 0 ? "none()" : `(${ours.join(" | ")})`} ~ ${KEPT}`,
  );
  const others = touched.filter(({ commitId }) => commitId !== working.commitId);
  const merge = others.find(({ parents }) => parents.length > 1);
  if (merge === undefined) return others;
  throw new ProductError(
    "vcs_tangled",
    `The merge ${merge.changeId.slice(0, 12)} stands among the commits of this session.`,
    {
      kind: "conflict",
      hint: "Move it away from them (jj rebase), or record it as an intent of the session.",
      details: { changeId: merge.changeId },
    },
  );
}

/** The commit that everything goes into: the only original itself, or a new one. Gives its change id. */
async function makePlace({ jj, plan }: Shop): Promise<string> {
  const { originals, onto, hand } = plan;
  const [only, ...more] = originals;
  if (only !== undefined && more.length === 0) {
    if (only.parents[0] !== onto) {
      const { changeId } = only;
      await jj.change(hand, ["rebase", `--revisions=${changeId}`, `--destination=${onto}`]);
    }
    return only.changeId;
  }
  const said = await jj.change(hand, ["new", "--no-edit", `--message=${hand.tag}`, onto]);
  const [made] = parseSummaries(said);
  if (made === undefined) throw vcsFailed("jj new", said);
  return made.changeId;
}

interface Duplicate {
  readonly original: string;
  readonly changeId: string;
}

/** They hang below the commit they went into, emptied, so that their ids stay. In the order of the originals. */
async function squashDuplicates(
  { jj, plan }: Shop,
  changeId: string,
): Promise<readonly Duplicate[]> {
  const { originals, hand } = plan;
  if (originals.length < 2) return [];
  const said = await jj.change(hand, [
    "duplicate",
    `--destination=${changeId}`,
    ...originals.map((original) => original.commitId),
  ]);
  const made = [...said.matchAll(/^Duplicated ([0-9a-f]+) as (.*)$/gm)].map(
    ([, original = "", summary = ""]) => ({ original, ids: parseSummaries(summary)[0] }),
  );
  const duplicates = originals.map(({ commitId, changeId: original }) => {
    const ids = made.find((each) => commitId.startsWith(each.original))?.ids;
    if (ids === undefined) throw vcsFailed("jj duplicate", said);
    return { original, changeId: ids.changeId };
  });
  await jj.change(hand, [
    "squash",
    "--keep-emptied",
    "--use-destination-message",
    ...duplicates.map((each) => `--from=${each.changeId}`),
    `--into=${changeId}`,
  ]);
  return duplicates;
}

async function squashInto(jj: JjProgram, hand: Hand, from: string, into: string): Promise<void> {
  await jj.change(hand, [
    "squash",
    "--use-destination-message",
    `--from=${from}`,
    `--into=${into}`,
  ]);
}

async function refuseConflicts({ jj, plan }: Shop, changeId: string): Promise<void> {
  const ours = plan.originals.map((original) => original.changeId);
  const conflicted = await listCommits(jj, `conflicts() & (${[changeId, ...ours].join(" | ")})::`);
  if (conflicted.length === 0) return;
  const paths = new Set<string>();
  for (const { commitId } of conflicted) {
    for (const path of await listConflicts(jj, commitId)) paths.add(path);
  }
  throw vcsConflict([...paths], "The changes that would be brought together");
}

/** A commit that reaches originals and duplicates, so that one bookmark keeps them all and carries them to a remote. */
async function keepAlive(
  { jj, plan }: Shop,
  changeId: string,
  duplicates: readonly Duplicate[],
): Promise<string | undefined> {
  const { hand, keep } = plan;
  if (duplicates.length === 0) return undefined;
  const ids = duplicates.flatMap((each) => [each.original, each.changeId]);
  const heads = await listCommits(jj, `heads(${ids.join(" | ")})`);
  const said = await jj.change(hand, [
    "new",
    "--no-edit",
    `--message=Kept for the references of ${keep}`,
    ...heads.map(({ commitId }) => commitId),
  ]);
  const [kept] = parseSummaries(said);
  if (kept === undefined) throw vcsFailed("jj new", said);
  // Whatever its parents make of each other, it shows what came of them.
  await jj.change(hand, ["restore", `--from=${changeId}`, `--into=${kept.changeId}`]);
  await jj.change(hand, ["bookmark", "set", `--revision=${kept.changeId}`, "--", quoted(keep)]);
  return (await listCommits(jj, kept.changeId))[0]?.commitId;
}

/** Bookmarks of people on the originals go along, as they would have with any rewriting. */
async function moveBookmarks({ jj, plan }: Shop, changeId: string): Promise<void> {
  const { originals, hand } = plan;
  if (originals.length < 2) return;
  const ours = originals.map((original) => original.changeId).join(" | ");
  const names = (await listCommits(jj, `(${ours}) & bookmarks()`)).flatMap(
    (each) => each.bookmarks,
  );
  if (names.length === 0) return;
  await jj.change(hand, [
    "bookmark",
    "set",
    "--allow-backwards",
    `--revision=${changeId}`,
    "--",
    ...names.map(quoted),
  ]);
}
