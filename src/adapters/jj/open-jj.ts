/** A jj repository as version control, beside git or on its own. */

import path from "node:path";
import type { Author, NewFile, Vcs } from "../../kernel/vcs/vcs.ts";
import type { VcsTools } from "../../kernel/vcs/vcs-tools.ts";
import { jjHistory } from "./jj-history.ts";
import { type JjProgram, openJjProgram } from "./jj-program.ts";
import { jjRemotes } from "./jj-remotes.ts";
import { jjSynthesis } from "./jj-synthesis.ts";
import { jjWorkingCopy } from "./jj-working-copy.ts";

/** `root` is the folder that holds `.jj`. */
export async function openJj(root: string, tools: VcsTools): Promise<Vcs> {
  const jj = await openJjProgram(root, tools);
  const write = (files: readonly NewFile[]) => tools.write(root, files);
  return {
    kind: "jj",
    root,
    history: jjHistory(jj),
    workingCopy: jjWorkingCopy(jj, write),
    synthesis: jjSynthesis(jj, write),
    remotes: jjRemotes(jj),
    findIdentity: () => findIdentity(jj),
    lock: (work) => tools.lock(path.join(jj.gitFolder, "throughline.lock"), work),
  };
}

async function findIdentity(jj: JjProgram): Promise<Author | undefined> {
  const find = async (key: string) => {
    // Exits with 1 where it is not set.
    const value = await jj.read(["config", "get", key]).catch(() => "");
    return value.trim();
  };
  const [name, email] = await Promise.all([find("user.name"), find("user.email")]);
  return name && email ? { name, email } : undefined;
}
