/**
 * Synthesis in git. All commits are written aside first; then every name changes places in one transaction of refs,
 * which is the only step that anybody can see; then the working copy follows.
 */

import { ProductError } from "../../kernel/base/errors.ts";
import type { GitProgram } from "../../kernel/vcs/git-program.ts";
import { decode } from "../../kernel/vcs/git-program.ts";
import type {
  Composed,
  LeftSynthesis,
  Synthesis,
  Synthesised,
  SynthesisPlan,
} from "../../kernel/vcs/vcs.ts";
import { newChangeId } from "./change-id.ts";
import { followHistory } from "./git-checkout.ts";
import { getCommit, writeCommit, writeObjects } from "./git-commits.ts";
import { findRef, listWorktrees } from "./git-history.ts";
import { type Lines, readLines } from "./git-lines.ts";
import { type Duplicate, duplicateCommits, replayOnto } from "./git-squash.ts";
import { type GitPlaces, parseStatus, readHead, withOwnIndex } from "./git-working-copy.ts";

export function gitSynthesis(
  git: GitProgram,
  places: GitPlaces,
  random: (count: number) => Uint8Array,
): Synthesis {
  return {
    perform: (plan) => perform({ git, places, random }, plan),
    // Until the names change places there is nothing to take back; from then on it is done.
    undo: async () => {},
    settle: async ({ operation, ownFolders }) => {
      const from = headOf({ operation });
      const { commitId: to } = await readHead(git);
      await followHistory(git, { root: places.root, from, to, ownFolders });
    },
  };
}

interface Shop {
  readonly git: GitProgram;
  readonly places: GitPlaces;
  readonly random: (count: number) => Uint8Array;
}

async function perform(shop: Shop, plan: SynthesisPlan): Promise<Synthesised> {
  const { git, places } = shop;
  git.refusePrograms("files");
  const lines = await readLines(git, plan);
  const squashed = await squash(shop, plan, lines);
  const { changeId, duplicates } = squashed;
  const composed = await plan.compose({
    changeId,
    duplicates: duplicates.map((each) => each.changeId),
  });
  const made = await writeSession(shop, plan, { lines, squashed, composed });
  const standsFor = await moveOthers(git, plan, lines, made);
  const kept = await writeKept(shop, plan, squashed, made);
  const moves = await planMoves(git, plan, { lines, made: made.commitId, standsFor, kept });
  await moveRefs(git, moves, plan.hand.tag);
  const from = lines.head.commitId;
  const { commitId: to } = await readHead(git);
  const checkout = { root: places.root, from, to, ownFolders: plan.ownFolders };
  try {
    await followHistory(git, checkout);
  } catch (error) {
    await moveRefs(git, moves.map(reversed), `${plan.hand.tag}: back`);
    await followHistory(git, { ...checkout, from: to, to: from, ownFolders: [] });
    throw error;
  }
  return {
    commit: await getCommit(git, made.commitId),
    duplicates: duplicates.map((each) => each.changeId),
    keptCommitId: kept,
  };
}

interface Squashed {
  readonly changeId: string;
  readonly tree: string;
  readonly duplicates: readonly Duplicate[];
  readonly heads: readonly Duplicate[];
}

async function squash(
  { git, random }: Shop,
  { hand }: SynthesisPlan,
  { onto, originals, between, others }: Lines,
): Promise<Squashed> {
  const [only, ...more] = originals;
  if (only === undefined || more.length > 0) {
    const changeId = newChangeId(random);
    return {
      changeId,
      ...(await duplicateCommits(git, {
        onto,
        originals,
        between,
        hasOthers: others.length > 0,
        hand,
        random,
      })),
    };
  }
  const { changeId } = only;
  const tree = await replayOnto(git, { between }, only, onto.tree);
  return { changeId, tree, duplicates: [], heads: [] };
}

interface Made {
  readonly commitId: string;
  readonly tree: string;
}

async function writeSession(
  { git, places }: Shop,
  { hand, ownFolders }: SynthesisPlan,
  {
    lines: { onto, originals },
    squashed,
    composed,
  }: { readonly lines: Lines; readonly squashed: Squashed; readonly composed: Composed },
): Promise<Made> {
  const tree = await addFiles(git, places, { tree: squashed.tree, ownFolders, composed });
  const [only, ...more] = originals;
  const isRewritten = only !== undefined && more.length === 0;
  const commitId = await writeCommit(git, {
    tree,
    parents: [onto.commitId],
    message: composed.message,
    changeId: squashed.changeId,
    author: isRewritten ? only.author : hand.author,
    authoredAt: isRewritten ? only.authoredAt : hand.at,
    committer: hand.author,
    at: hand.at,
  });
  return { commitId, tree };
}

/** What the working copy holds in our own folders, and over it what was composed. */
function addFiles(
  git: GitProgram,
  places: GitPlaces,
  {
    tree,
    ownFolders,
    composed,
  }: {
    readonly tree: string;
    readonly ownFolders: readonly string[];
    readonly composed: Composed;
  },
): Promise<string> {
  return withOwnIndex(places, async (environment) => {
    await git.run(["read-tree", tree], { environment });
    const pending = await listPending(git, ownFolders);
    if (pending.length > 0) {
      await git.run(["update-index", "--add", "--remove", "-z", "--stdin"], {
        environment,
        input: pending.map((file) => `${file}\0`).join(""),
      });
    }
    const blobs = await writeObjects(
      git,
      "blob",
      composed.files.map(({ text }) => text),
    );
    const entries = composed.files.map(({ path: file }, i) => `100644 ${blobs[i]}\t${file}\0`);
    await git.run(["update-index", "-z", "--index-info"], { environment, input: entries.join("") });
    return git.text(["write-tree"], { environment });
  });
}

async function listPending(
  git: GitProgram,
  folders: readonly string[],
): Promise<readonly string[]> {
  const output = await git.run([
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
    "--",
    ...folders,
  ]);
  return parseStatus(decode(output)).changes.map(({ path: file }) => file);
}

/** By an old commit id, what stands in its place on top of the new commit. */
type StandsFor = (commitId: string) => Made;

/** What others put between and on top goes along: what was brought together is gone from between them. */
async function moveOthers(
  git: GitProgram,
  { hand }: SynthesisPlan,
  { others, originals, between }: Lines,
  made: Made,
): Promise<StandsFor> {
  const moved = new Map<string, Made>();
  const ours = new Map(originals.map((original) => [original.commitId, original]));
  const standsFor = (commitId: string): Made => {
    const known = moved.get(commitId);
    const original = ours.get(commitId);
    return known ?? (original === undefined ? made : standsFor(original.parents[0] ?? ""));
  };
  for (const other of others) {
    const below = standsFor(other.parents[0] ?? "");
    const tree = await replayOnto(git, { between }, other, below.tree);
    const { message, changeId, author, authoredAt } = other;
    const commitId = await writeCommit(git, {
      tree,
      parents: [below.commitId],
      message,
      changeId,
      author,
      authoredAt,
      committer: hand.author,
      at: hand.at,
    });
    moved.set(other.commitId, { commitId, tree });
  }
  return standsFor;
}

/** A commit that reaches originals and duplicates, so that one branch keeps them all and carries them to a remote. */
async function writeKept(
  { git, random }: Shop,
  { hand, keep }: SynthesisPlan,
  { heads }: Squashed,
  { tree }: Made,
): Promise<string | undefined> {
  if (heads.length === 0) return undefined;
  const parents = heads.flatMap(({ original, commitId }) => [original.commitId, commitId]);
  return writeCommit(git, {
    tree,
    parents,
    message: keptMessage(keep),
    changeId: newChangeId(random),
    author: hand.author,
    authoredAt: hand.at,
    committer: hand.author,
    at: hand.at,
  });
}

interface RefMove {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

const NOTHING = "0".repeat(40);

async function planMoves(
  git: GitProgram,
  { bookmark, keep, onto }: SynthesisPlan,
  {
    lines: { head, branches, originals, others },
    made,
    standsFor,
    kept,
  }: {
    readonly lines: Lines;
    readonly made: string;
    readonly standsFor: StandsFor;
    readonly kept: string | undefined;
  },
): Promise<readonly RefMove[]> {
  const touched = new Set([...originals, ...others].map(({ commitId }) => commitId));
  const places = new Map<string, string>();
  for (const [ref, tip] of branches) {
    if (touched.has(tip)) places.set(ref, standsFor(tip).commitId);
  }
  const here = head.branch ?? "HEAD";
  if (touched.has(head.commitId)) places.set(here, standsFor(head.commitId).commitId);
  else if (others.length === 0 && (await isBelow(git, head.commitId, onto))) places.set(here, made);
  else throw elsewhere();
  const target = `refs/heads/${bookmark}`;
  if (!places.has(target)) places.set(target, made);
  if (kept !== undefined) places.set(`refs/heads/${keep}`, kept);
  await refuseUsedElsewhere(git, [...places.keys()], here);
  const before = new Map([...branches, ["HEAD", head.commitId]]);
  const keeper = `refs/heads/${keep}`;
  const keeping = kept === undefined ? undefined : await findRef(git, keeper);
  return Array.from(places, ([ref, to]) => ({
    ref,
    to,
    from: (ref === keeper ? keeping : before.get(ref)) ?? NOTHING,
  }));
}

async function isBelow(git: GitProgram, commitId: string, onto: string): Promise<boolean> {
  const { exitCode } = await git.attempt(["merge-base", "--is-ancestor", commitId, onto]);
  return exitCode === 0;
}

/** Another working copy would find its branch moved away under it. */
async function refuseUsedElsewhere(
  git: GitProgram,
  refs: readonly string[],
  here: string,
): Promise<void> {
  const used = (await listWorktrees(git)).find(
    ({ branch }) => branch !== undefined && branch !== here && refs.includes(branch),
  );
  if (used === undefined) return;
  throw new ProductError(
    "vcs_branch_in_use",
    `The branch ${used.branch ?? ""} is checked out in ${used.folder}.`,
    {
      kind: "conflict",
      hint: "Check out something else there first (git switch --detach), then try again.",
    },
  );
}

/** All of them or none, and none if any of them is not where it was. */
async function moveRefs(git: GitProgram, moves: readonly RefMove[], why: string): Promise<void> {
  const commands = moves.map(({ ref, from, to }) => {
    const option = ref === "HEAD" ? "option no-deref\0" : "";
    return to === NOTHING
      ? `${option}delete ${ref}\0${from}\0`
      : `${option}update ${ref}\0${to}\0${from}\0`;
  });
  await git.run(["update-ref", "-m", why, "-z", "--stdin"], {
    input: `start\0${commands.join("")}prepare\0commit\0`,
  });
}

function reversed({ ref, from, to }: RefMove): RefMove {
  return { ref, from: to, to: from };
}

function headOf({ operation }: Pick<LeftSynthesis, "operation">): string {
  return operation.slice(operation.lastIndexOf("@") + 1);
}

function elsewhere(): ProductError {
  return new ProductError(
    "vcs_elsewhere",
    "What is checked out here has nothing to do with this session.",
    { kind: "conflict", hint: "Check out the branch its intents are on, then try again." },
  );
}

export function keptMessage(keep: string): string {
  return `Kept for the references of ${keep}\n`;
}
