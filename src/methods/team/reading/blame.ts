/** Which version a sentence came in with: the first of the unbroken line of versions that have it. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { diffLines } from "../../../kernel/prompt/diff-lines.ts";
import type { Draft } from "../rules/draft.ts";
import type { Version } from "../state/team-records.ts";
import { contentOf } from "../state/version-content.ts";
import { type ChainLink, chainFrom } from "./trace-chain.ts";

export interface Blame {
  readonly productId: string;
  readonly sentence: string;
  /** The version that brought it. */
  readonly version: Version;
  /** The lines that this version added and that hold the sentence. */
  readonly added: readonly string[];
  /** The version before was pruned: the sentence may have come in with it, or earlier. */
  readonly isCutOff: boolean;
  readonly chain: readonly ChainLink[];
}

export function blameOf(
  draft: Draft,
  productId: string,
  sentence: string,
  versionId?: string,
): Blame {
  const versions = draft.versionsOf(productId);
  const asked = versionId ?? draft.find("products", productId)?.selectedVersionId;
  const last = versions.findIndex(({ id }) => id === asked);
  const current = versions[last];
  const wanted = flat(sentence);
  if (current === undefined || wanted === "" || !flat(contentOf(current)).includes(wanted)) {
    throw new ProductError("team_sentence_unknown", `${asked ?? productId} does not say that.`, {
      kind: "not_found",
      hint: "Copy a sentence of the version as it stands: `team product RUN " + productId + "`.",
      details: { productId, versionId: asked ?? null },
    });
  }
  let place = last;
  while (place > 0 && flat(versions[place - 1]?.content ?? "").includes(wanted)) place -= 1;
  const version = versions[place] ?? current;
  const before = versions[place - 1];
  const added = diffLines(before?.content ?? "", contentOf(version))
    .filter(({ change, text }) => change === "added" && overlaps(flat(text), wanted))
    .map(({ text }) => text);
  const isCutOff = before?.content === null;
  return { productId, sentence, version, added, isCutOff, chain: chainFrom(draft, version.id) };
}

/** A sentence may run over several lines, or be a part of one. */
function overlaps(line: string, wanted: string): boolean {
  return line !== "" && (line.includes(wanted) || wanted.includes(line));
}

function flat(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
