/** Envelopes and chains of origin on a terminal. */

import {
  blocks,
  clip,
  count,
  fieldLines,
  groupDigits,
  indent,
  manyLines,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import type { ChainShape, EnvelopesShape } from "../operations/team-fields.ts";

export function renderEnvelopes({ envelopes, shown }: EnvelopesShape): string {
  if (shown !== null) return renderOne(shown);
  if (envelopes.length === 0) return "There is no such envelope.";
  return blocks(
    table(
      [
        { title: "Envelope" },
        { title: "Round", align: "right" },
        { title: "Step" },
        { title: "Member" },
        { title: "About", isSpare: true },
        { title: "Characters", align: "right" },
        { title: "Budget", align: "right", isSpare: true },
        { title: "Left out", align: "right", isSpare: true },
      ],
      envelopes.map(({ hash, round, step, memberId, target, characters, budget, dropped }) => [
        hash.slice(0, 10),
        String(round),
        step.replace("_", " "),
        memberId,
        target ?? "",
        groupDigits(characters),
        groupDigits(budget),
        dropped.length === 0 ? "" : String(dropped.length),
      ]),
    ),
    "One in full, with what changed: throughline team envelope RUN --hash <envelope>",
  );
}

const MARKS = { added: "+", removed: "-", same: "@" } as const;

function renderOne({
  line,
  body,
  against,
  diff,
  exchangeId,
}: NonNullable<EnvelopesShape["shown"]>): string {
  const changed = diff.filter(({ change }) => change !== "same");
  return blocks(
    fieldLines([
      ["Envelope", line.hash],
      [
        "Call",
        `round ${line.round}, ${line.step.replace("_", " ")}, ${line.memberId}${line.target === null ? "" : ` about ${line.target}`}`,
      ],
      [
        "Prompt",
        `${groupDigits(line.characters)} of ${groupDigits(line.budget)} characters, ${line.promptHash.slice(0, 10)}`,
      ],
      ["Exchange", exchangeId ?? undefined],
    ]),
    section("Left out", line.dropped.map(({ slice, why }) => `${slice}: ${why}`).join("\n")),
    section("The envelope", manyLines(body)),
    against === null
      ? undefined
      : section(
          `Changed since round ${against.round} (${against.hash.slice(0, 10)}): ${count(changed.length, "line")}`,
          manyLines(changed.map(({ change, text }) => `${MARKS[change]} ${text}`).join("\n")),
        ),
  );
}

export function renderChain({
  productId,
  sentence,
  versionId,
  versionNumber,
  round,
  isCutOff,
  chain,
}: ChainShape): string {
  return blocks(
    `“${clip(sentence, 100)}”`,
    `came in with ${versionId}, version ${versionNumber} of ${productId}, in round ${round}${isCutOff ? ", or earlier: the words of the versions before were pruned" : ""}.`,
    chain
      .map(({ id, kind, by, round: at, text, from, depth }) =>
        indent(
          `${id} ${kind.replace("_", " ")} by ${by}, round ${at}: ${clip(text, 90)}${from.length === 0 ? "" : `\n   ← ${from.join(", ")}`}`,
          "  ".repeat(Math.min(depth, 6)),
        ),
      )
      .join("\n"),
  );
}
