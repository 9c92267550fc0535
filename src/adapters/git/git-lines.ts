/** The lines of work that a synthesis touches: what is brought together, what stands among it, where names point. */

import { ProductError } from "../../kernel/base/errors.ts";
import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import { KEPT_PREFIX, type SynthesisPlan } from "../../kernel/vcs/vcs.ts";
import { type GitCommit, logCommits } from "./git-commits.ts";
import { type Head, readHead } from "./git-working-copy.ts";

export interface Lines {
  readonly head: Head;
  readonly onto: GitCommit;
  readonly originals: readonly GitCommit[];
  /** Not ours, but on top of or among the originals: they will stand on the new commit. Parents first. */
  readonly others: readonly GitCommit[];
  /** All of these and what the first ones stand on, by id. */
  readonly between: ReadonlyMap<string, GitCommit>;
  /** Full names of the local branches and where they point, without those that keep sessions. */
  readonly branches: ReadonlyMap<string, string>;
}

export async function readLines(git: GitProgram, plan: SynthesisPlan): Promise<Lines> {
  const head = await readHead(git);
  const branches = await listBranches(git);
  const ours = new Set(plan.originals.map(({ commitId }) => commitId));
  const tips = await tipsWithOriginals(git, branches, ours);
  const touched = await logCommits(git, [
    "--topo-order",
    "--reverse",
    `^${plan.onto}`,
    ...new Set([head.commitId, ...tips, ...ours]),
    "--",
  ]);
  const between = new Map(touched.map((commit) => [commit.commitId, commit]));
  const missing = [...touched.flatMap(({ parents }) => parents), plan.onto].filter(
    (id) => !between.has(id),
  );
  const below = await logCommits(git, ["--no-walk", ...new Set(missing), "--"]);
  for (const commit of below) between.set(commit.commitId, commit);
  const onto = between.get(plan.onto);
  if (onto === undefined) throw new TypeError(`There is no commit ${plan.onto}.`);
  const others = touched.filter(({ commitId }) => !ours.has(commitId));
  refuseMerges(others);
  const originals = touched.filter(({ commitId }) => ours.has(commitId));
  return { head, onto, originals, others, between, branches };
}

async function listBranches(git: GitProgram): Promise<ReadonlyMap<string, string>> {
  const output = decode(
    await git.run(["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/"]),
  );
  const kept = `refs/heads/${KEPT_PREFIX}`;
  return new Map(
    output
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith(kept))
      .map((line): [string, string] => {
        const [ref = "", commitId = ""] = line.split(" ");
        return [ref, commitId];
      }),
  );
}

async function tipsWithOriginals(
  git: GitProgram,
  branches: ReadonlyMap<string, string>,
  ours: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (ours.size === 0) return [];
  const output = await git.run([
    "for-each-ref",
    "--format=%(refname)",
    ...Array.from(ours, (commitId) => `--contains=${commitId}`),
    "refs/heads/",
  ]);
  return decode(output)
    .split("\n")
    .flatMap((ref) => branches.get(ref) ?? []);
}

function refuseMerges(others: readonly GitCommit[]): void {
  const merge = others.find(({ parents }) => parents.length > 1);
  if (merge === undefined) return;
  throw new ProductError(
    "vcs_tangled",
    `The merge ${merge.commitId.slice(0, 12)} stands among the commits of this session.`,
    {
      kind: "conflict",
      hint: "Move it away from them (git rebase), or record it as an intent of the session.",
      details: { commitId: merge.commitId },
    },
  );
}
