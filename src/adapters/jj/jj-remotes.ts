/** Remotes of a jj repository. */

import { bringObjects, listRemoteHeads } from "../../kernel/vcs/git-objects.ts";
import type { Remotes } from "../../kernel/vcs/vcs.ts";
import { pushRejected, remoteUnreachable, vcsFailed } from "../../kernel/vcs/vcs-errors.ts";
import { type JjProgram, quoted } from "./jj-program.ts";

export function jjRemotes(jj: JjProgram): Remotes {
  const { git } = jj;
  return {
    find: async (name) => {
      // A line is a name and an address; an address has no spaces before it ends.
      const names = (await jj.read(["git", "remote", "list"]))
        .split("\n")
        .flatMap((line) => /^(.+?) \S/.exec(line)?.[1] ?? []);
      if (name !== undefined) return names.find((each) => each === name);
      const origin = names.find((each) => each === "origin");
      return origin ?? (names.length === 1 ? names[0] : undefined);
    },
    heads: (remote, names) => listRemoteHeads(git, remote, names, unreachable(remote)),
    bring: (remote, names) => bringObjects(git, remote, names, unreachable(remote)),
    fetch: async (remote, name) => {
      git.refusePrograms("remotes");
      try {
        await jj.look([
          "git",
          "fetch",
          `--remote=exact:${quoted(remote)}`,
          `--branch=exact:${quoted(name)}`,
        ]);
      } catch (error) {
        throw remoteUnreachable(remote, error instanceof Error ? error.message : String(error));
      }
    },
    push: async (remote, targets, hand) => {
      git.refusePrograms("remotes");
      const { exitCode, errors } = await jj.attempt(hand, [
        "git",
        "push",
        `--remote=${remote}`,
        ...targets.map(({ name }) => `--bookmark=exact:${quoted(name)}`),
      ]);
      if (exitCode === 0) return;
      if (/stale info|rejected|unexpectedly moved/i.test(errors))
        throw pushRejected(remote, errors);
      if (/Won't push|Refusing/i.test(errors)) throw vcsFailed("jj git push", errors);
      throw remoteUnreachable(remote, errors);
    },
  };
}

function unreachable(remote: string): (errors: string) => Error {
  return (errors) => remoteUnreachable(remote, errors);
}
