/** The tree and one product in full, on a terminal. */

import {
  blocks,
  clip,
  count,
  fieldLines,
  indent,
  manyLines,
  section,
} from "../../../kernel/operation/terminal-text.ts";
import type { ProductShape, TreeShape } from "../operations/team-fields.ts";
import { PRUNED } from "../state/version-content.ts";

const MARKS = { pending: "○", accepted: "✓", rejected: "✗", removed: "–" } as const;

export function renderTree({ products, round }: TreeShape): string {
  const lines = products.map(
    ({ depth, id, name, type, status, ownerId, versionIds, collabCount, coverage }) => {
      const dod = `${coverage.byRound.at(-1) ?? 0}/${coverage.total}`;
      const versions =
        versionIds.length === 0
          ? "not written"
          : `${versionIds.at(-1) ?? ""} (${versionIds.length})`;
      const owner = ownerId ?? "nobody";
      return `${"  ".repeat(depth)}${MARKS[status]} ${id} ${clip(name, 60)}  ${type}, ${owner}, ${versions}, done ${dod}${trend(coverage.byRound)}${collabCount === 0 ? "" : `, ${count(collabCount, "comment")}`}`;
    },
  );
  return blocks(
    lines.join("\n"),
    `After round ${round}. One in full: throughline team product RUN p2`,
  );
}

/** How many criteria passed, round by round: ` ▁▃▇`. */
function trend(byRound: readonly number[]): string {
  const most = Math.max(1, ...byRound);
  if (byRound.length < 2) return "";
  return ` ${byRound.map((passed) => "▁▂▃▄▅▆▇█"[Math.round((passed / most) * 7)] ?? "▁").join("")}`;
}

export function renderProduct(shown: ProductShape): string {
  const { product, versions, collabs, directives, inspections, actions, reflections, obstacles } =
    shown;
  const selected = versions.find(({ id }) => id === product.selectedVersionId);
  return blocks(
    fieldLines([
      ["Product", `${product.id} ${product.name}`],
      ["Type", product.type],
      ["Status", `${MARKS[product.status]} ${product.status}`],
      ["Owner", product.ownerId ?? "nobody"],
      ["About", product.description],
      ["To accept", obstacles.length === 0 ? "nothing stands in the way" : obstacles.join("; ")],
    ]),
    section(
      "Definition of done",
      product.coverage.criteria
        .map(
          ({ criterion, passes, evidence }) =>
            `${passes === null ? "○" : passes ? "✓" : "✗"} ${criterion}${evidence === "" ? "" : `\n    ${clip(evidence, 100)}`}`,
        )
        .join("\n"),
    ),
    section(
      "Versions",
      versions
        .toReversed()
        .map(
          ({ id, number, authorId, round, changeSummary, lastDirectiveId, reflectionNote }) =>
            `${id} (${number}) by ${authorId}, round ${round}${lastDirectiveId === null ? "" : `, for ${lastDirectiveId}`}: ${clip(changeSummary, 90)}\n${indent(`Note: ${clip(reflectionNote, 90)}`)}`,
        )
        .join("\n"),
    ),
    section(
      "Directives",
      directives
        .toReversed()
        .map(
          ({ id, operativeId, round, dueRound, importance, state, objective }) =>
            `${id} to ${operativeId}, round ${round}, due ${dueRound}, importance ${importance}, ${state}: ${clip(objective, 90)}`,
        )
        .join("\n"),
    ),
    section(
      "Reflections",
      reflections
        .toReversed()
        .map(
          ({ id, authorId, round, note }) =>
            `${id} by ${authorId}, round ${round}: ${clip(note, 100)}`,
        )
        .join("\n"),
    ),
    section(
      "Comments",
      collabs
        .toReversed()
        .map(
          ({ id, authorId, kind, importance, age, state, content }) =>
            `${id} by ${authorId}, ${kind} ${importance}${age > 0 ? `+${age}` : ""}, ${state}: ${clip(content, 90)}`,
        )
        .join("\n"),
    ),
    section(
      "Inspections",
      inspections
        .toReversed()
        .map(
          ({ id, versionId, verdict, findings }) =>
            `${id} of ${versionId}: ${verdict.replace("_", " ")}, ${count(findings.length, "finding")}`,
        )
        .join("\n"),
    ),
    section(
      "What was done",
      actions
        .map(
          ({ id, action, productId, round, reason, decisionId }) =>
            `${id} ${action} ${productId}, round ${round}${decisionId === null ? "" : `, decided in ${decisionId}`}: ${clip(reason, 90)}`,
        )
        .join("\n"),
    ),
    section(
      `Current version${selected === undefined ? "" : ` ${selected.id}`}`,
      selected === undefined ? "Not written yet." : manyLines(selected.content ?? PRUNED),
    ),
  );
}
