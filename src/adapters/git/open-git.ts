/** A git repository as version control: a `Change-Id` trailer stands in for change ids, branches for bookmarks. */

import { realpath } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../kernel/base/errors.ts";
import { type GitProgram, openGitProgram } from "../../kernel/vcs/git-program.ts";
import type { Author, Vcs } from "../../kernel/vcs/vcs.ts";
import type { VcsTools } from "../../kernel/vcs/vcs-tools.ts";
import { gitHistory } from "./git-history.ts";
import { gitRemotes } from "./git-remotes.ts";
import { gitSynthesis } from "./git-synthesis.ts";
import { type GitPlaces, gitWorkingCopy } from "./git-working-copy.ts";

/** `root` is the folder that holds `.git`. */
export async function openGit(root: string, tools: VcsTools): Promise<Vcs> {
  const { run, environment, random, lock, write } = tools;
  const git = await openGitProgram(run, { folder: root }, environment);
  const places = await findPlaces(git, root);
  return {
    kind: "git",
    root: places.root,
    history: gitHistory(git),
    workingCopy: gitWorkingCopy(git, places, { random, write }),
    synthesis: gitSynthesis(git, places, random),
    remotes: gitRemotes(git),
    findIdentity: async () => identityOf(git),
    lock: (work) => lock(path.join(places.commonFolder, "throughline.lock"), work),
  };
}

/** Settings may move a working copy elsewhere; then what we would write is not where we were sent. */
async function findPlaces(git: GitProgram, root: string): Promise<GitPlaces> {
  const answer = await git.text([
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--git-dir",
    "--git-common-dir",
  ]);
  const [top = "", gitFolder = "", commonFolder = ""] = answer.split("\n");
  if ((await realpath(top)) === (await realpath(root)))
    return { root: top, gitFolder, commonFolder };
  throw new ProductError(
    "vcs_moved",
    `The repository in ${root} says that its working copy is ${top}.`,
    { kind: "not_allowed", hint: "Remove core.worktree from its settings, or work there." },
  );
}

function identityOf({ settings }: GitProgram): Author | undefined {
  const name = settings.findLast(({ key }) => key === "user.name")?.value;
  const email = settings.findLast(({ key }) => key === "user.email")?.value;
  return name && email ? { name, email } : undefined;
}
