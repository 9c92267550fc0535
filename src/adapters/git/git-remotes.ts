/** Remotes of a git repository. What is pushed is named by commit, so that no local name can stand in for another. */

import { bringObjects, listRemoteHeads } from "../../kernel/vcs/git-objects.ts";
import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import type { Remotes } from "../../kernel/vcs/vcs.ts";
import { pushRejected, remoteUnreachable } from "../../kernel/vcs/vcs-errors.ts";

export function gitRemotes(git: GitProgram): Remotes {
  return {
    find: async (name) => {
      const names = decode(await git.run(["remote"]))
        .split("\n")
        .filter((line) => line !== "");
      if (name !== undefined) return names.find((each) => each === name);
      return names.includes("origin") || names.length > 1 ? names.find(isOrigin) : names[0];
    },
    heads: (remote, names) => listRemoteHeads(git, remote, names, unreachable(remote)),
    bring: (remote, names) => bringObjects(git, remote, names, unreachable(remote)),
    fetch: async (remote, name) => {
      git.refusePrograms("remotes");
      const { exitCode, errors } = await git.attempt([
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--",
        remote,
        `+refs/heads/${name}:refs/remotes/${remote}/${name}`,
      ]);
      if (exitCode !== 0) throw remoteUnreachable(remote, errors);
    },
    push: async (remote, targets) => {
      git.refusePrograms("remotes");
      const { exitCode, output, errors } = await git.attempt([
        "push",
        "--porcelain",
        "--no-verify",
        "--",
        remote,
        ...targets.map(({ name, commitId }) => `${commitId}:refs/heads/${name}`),
      ]);
      if (exitCode === 0) return;
      const refused = decode(output)
        .split("\n")
        .filter((line) => line.startsWith("!"));
      if (refused.length > 0) throw pushRejected(remote, refused.join("\n"));
      throw remoteUnreachable(remote, errors);
    },
  };
}

function isOrigin(name: string): boolean {
  return name === "origin";
}

function unreachable(remote: string): (errors: string) => Error {
  return (errors) => remoteUnreachable(remote, errors);
}
