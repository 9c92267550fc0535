/** What the team made, as one Markdown document: the mission, the products in their order, and where each came from. */

import { treeOrder } from "../envelope/product-views.ts";
import { nameOf } from "../rules/deltas.ts";
import { Draft } from "../rules/draft.ts";
import { countsOf } from "../envelope/round-history.ts";
import type { Product } from "../state/team-records.ts";
import type { TeamState } from "../state/team-state.ts";
import { PRUNED } from "../state/version-content.ts";
import { coverageOf } from "./coverage.ts";

export function reportOf(state: TeamState, stop: string | null): string {
  const draft = new Draft(state);
  const mission = draft.mission();
  const products = treeOrder(draft);
  return [
    `# ${state.brief.teamName}`,
    `> ${state.brief.prompt.replaceAll("\n", "\n> ")}`,
    ...(mission === undefined
      ? []
      : [
          "## Mission",
          mission.statement,
          mission.charter,
          `Objectives:\n${mission.objectives.map((text) => `- ${text}`).join("\n")}`,
          `Constraints:\n${mission.constraints.map((text) => `- ${text}`).join("\n")}`,
        ]),
    "## Where it stands",
    [
      `${state.round} rounds; ${products.filter(({ status }) => status === "accepted").length} of ${products.length} products accepted.`,
      ...(stop === null ? [] : [stop]),
    ].join(" "),
    ...roundLines(draft),
    "## Products",
    ...products.flatMap((product) => productText(draft, product)),
    ...openText(draft),
  ].join("\n\n");
}

function roundLines(draft: Draft): readonly string[] {
  const lines = Array.from(
    { length: draft.round },
    (_, place) => `- Round ${place + 1}: ${countsOf(draft, place + 1, place + 1)}`,
  );
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function productText(draft: Draft, product: Product): readonly string[] {
  const { id, name, status, selectedVersionId, type } = product;
  const version = draft.find("versions", selectedVersionId);
  const { byRound, total } = coverageOf(draft, id);
  const made =
    version === undefined
      ? "not written"
      : `${version.id} by ${nameOf(draft, version.authorId)}, round ${version.round}${version.lastDirectiveId === null ? "" : `, for ${version.lastDirectiveId}`}`;
  return [
    `### ${name}`,
    `*${id}, ${type}, ${status}; ${byRound.at(-1) ?? 0} of ${total} criteria pass; ${made}*`,
    ...(version === undefined ? [] : [version.content ?? `*${PRUNED}*`]),
  ];
}

function openText(draft: Draft): readonly string[] {
  const open = draft
    .list("collabs")
    .filter(
      ({ kind, state }) => kind !== "agreement" && (state === "open" || state === "deferred"),
    );
  if (open.length === 0) return [];
  return [
    "## Left open",
    open
      .map(
        ({ id, productId, content }) =>
          `- ${id} on ${productId}: ${content.split("\n", 1)[0] ?? ""}`,
      )
      .join("\n"),
  ];
}
