/** What a round changed, each change under the id of what it made, in words. The envoy may say this and nothing else. */

import type { StructuralAction } from "../state/team-records.ts";
import type { Draft } from "./draft.ts";
import type { Delta } from "./envoy-gate.ts";
import { PRUNED } from "../state/version-content.ts";

export interface RoundDelta extends Delta {
  readonly kind:
    | "version"
    | "action"
    | "directive"
    | "reflection"
    | "comment"
    | "inspection"
    | "mission"
    | "answer";
  /** One line; `text` is all of it. */
  readonly line: string;
}

export function deltasOf(draft: Draft, round: number): readonly RoundDelta[] {
  const name = (id: string | null) => nameOf(draft, id);
  const product = (id: string) => `“${draft.find("products", id)?.name ?? id}” (${id})`;
  const own = <Record extends { readonly round: number }>(list: readonly Record[]) =>
    list.filter((each) => each.round === round);
  return [
    ...own(draft.list("userMessages")).map(({ id, content }) =>
      delta(id, "answer", `${name("user")} said: ${firstLine(content)}`, content),
    ),
    ...own(draft.list("missions")).map(
      ({ id, statement, charter, objectives, constraints, setBy }) =>
        delta(
          id,
          "mission",
          `${name(setBy)} set the mission: ${statement}`,
          [charter, ...objectives, ...constraints].join("\n"),
        ),
    ),
    ...own(draft.list("reflections")).map(({ id, authorId, productId, note, nextVersionDelta }) =>
      delta(
        id,
        "reflection",
        `${name(authorId)} reflected on ${product(productId)}: ${note}`,
        nextVersionDelta,
      ),
    ),
    ...own(draft.list("actions")).map((action) =>
      delta(
        action.id,
        "action",
        `${name(action.byId)} ${actionWords(action, product)}: ${action.reason}`,
        JSON.stringify(action.changes),
      ),
    ),
    ...own(draft.list("directives")).map(
      ({ id, productId, operativeId, objective, motivationNote, importance, dueRound }) =>
        delta(
          id,
          "directive",
          `${name(operativeId)} was assigned ${product(productId)}, importance ${importance}, due in round ${dueRound}: ${objective}`,
          motivationNote,
        ),
    ),
    ...own(draft.list("versions")).map(
      ({ id, authorId, number, productId, changeSummary, content }) =>
        delta(
          id,
          "version",
          `${name(authorId)} wrote version ${number} of ${product(productId)}: ${changeSummary}`,
          content ?? PRUNED,
        ),
    ),
    ...own(draft.list("collabs")).map(({ id, authorId, productId, kind, importance, content }) =>
      delta(
        id,
        "comment",
        `${name(authorId)} on ${product(productId)}, ${kind} of importance ${importance}: ${content}`,
        "",
      ),
    ),
    ...own(draft.list("inspections")).map(
      ({ id, byId, versionId, productId, verdict, summary, findings }) =>
        delta(
          id,
          "inspection",
          `${name(byId)} inspected ${versionId} of ${product(productId)}, ${verdict.replace("_", " ")}: ${summary}`,
          findings.map(({ issue, recommendation }) => `${issue} ${recommendation}`).join("\n"),
        ),
    ),
  ];
}

function delta(id: string, kind: RoundDelta["kind"], line: string, more: string): RoundDelta {
  return { id, kind, line, text: more === "" ? line : `${line}\n${more}` };
}

const DONE: Readonly<Record<StructuralAction["action"], string>> = {
  add: "added",
  remove: "removed",
  reparent: "moved",
  change_param: "changed",
  accept: "accepted",
  reject: "sent back",
  select_version: "selected a version of",
};

export function actionWords(
  {
    action,
    productId,
    parentId,
    versionId,
  }: Pick<StructuralAction, "action" | "productId" | "parentId" | "versionId">,
  product: (id: string) => string,
): string {
  const where =
    parentId === null || (action !== "add" && action !== "reparent")
      ? ""
      : ` below ${product(parentId)}`;
  const which = versionId === null ? "" : ` (${versionId})`;
  return `${DONE[action]} ${product(productId)}${which}${where}`;
}

export function nameOf(draft: Draft, id: string | null): string {
  if (id === null) return "Nobody";
  return id === "user" ? "The person you work for" : (draft.find("members", id)?.name ?? id);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
