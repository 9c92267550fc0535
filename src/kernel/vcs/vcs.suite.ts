/** What every adapter of version control promises. Run against real repositories. */

import { describe } from "node:test";
import { missingProgram } from "../../../tests/scratch/scratch-repository.ts";
import type { VcsKind } from "./vcs.ts";
import { describeHistory } from "./vcs-history.suite.ts";
import { describeRemotes } from "./vcs-remotes.suite.ts";
import { describeSynthesis } from "./vcs-synthesis.suite.ts";

export function describeVcs(kind: VcsKind): void {
  const skip = missingProgram(kind) ?? false;
  describe(`${kind} as version control`, { skip }, () => {
    describeHistory(kind);
    describeSynthesis(kind);
    describeRemotes(kind);
  });
}
