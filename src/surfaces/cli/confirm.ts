/** Asks before something that people may regret; without a terminal, `--yes` must say it. */

import type { CliWorld } from "./cli-world.ts";
import type { GlobalOptions } from "./global-options.ts";
import { usageError } from "./usage-error.ts";

export async function confirm(
  { stdin, stderr }: Pick<CliWorld, "stdin" | "stderr">,
  { isSure, isBatch }: GlobalOptions,
  { question, refusal }: { readonly question: string; readonly refusal: string },
): Promise<boolean> {
  if (isSure) return true;
  if (!stdin.isTTY || isBatch)
    throw usageError("confirmation_required", refusal, "Add --yes if you mean it.");
  const answer = await stdin.ask(`${question} Go on? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  stderr.write("Nothing was changed.\n");
  return false;
}
