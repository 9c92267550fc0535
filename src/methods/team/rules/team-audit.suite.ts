/** What must hold of any team's state, however it came about. Each violation is told in a sentence. */

import type { Product } from "../state/team-records.ts";
import type { TeamState } from "../state/team-state.ts";
import { verdictOf } from "./acceptance.ts";
import { deltasOf } from "./deltas.ts";
import { Draft } from "./draft.ts";
import { checkEnvoy } from "./envoy-gate.ts";
import { isSameText } from "./similar-text.ts";
import { canHold } from "./tree-gates.ts";

export function auditTeam(state: TeamState): readonly string[] {
  const draft = new Draft(state);
  return [
    ...auditTree(draft),
    ...auditComments(draft),
    ...auditVersions(draft),
    ...auditAcceptance(draft),
    ...auditTraces(draft),
    ...auditEnvoy(draft),
  ];
}

function auditTree(draft: Draft): readonly string[] {
  const products = draft.products();
  const faults: string[] = [];
  const roots = products.filter(({ parentId }) => parentId === null);
  if (roots.length !== 1) faults.push(`there are ${roots.length} roots`);
  for (const product of products) {
    const { id, parentId, type, name, ownerId } = product;
    if (wayUp(draft, product) === undefined) faults.push(`${id} does not hang on the root`);
    const owner = draft.find("members", ownerId);
    if (ownerId !== null && owner?.role !== "operative")
      faults.push(`${id} is owned by ${ownerId}`);
    const parent = draft.find("products", parentId);
    if (parentId === null) continue;
    if (parent === undefined || parent.status === "removed")
      faults.push(`${id} has no parent ${parentId}`);
    else if (!canHold(parent, type)) faults.push(`${parent.id} may not hold ${id}`);
    for (const twin of draft.childrenOf(parentId)) {
      if (twin.id < id && isSameText(twin.name, name))
        faults.push(`${twin.id} and ${id} are one product`);
    }
  }
  return faults;
}

function wayUp(draft: Draft, product: Product): number | undefined {
  let steps = 0;
  for (
    let at: Product | undefined = product;
    at !== undefined;
    at = draft.find("products", at.parentId)
  ) {
    if (at.parentId === null) return steps;
    steps += 1;
    if (steps > 500) return undefined;
  }
  return undefined;
}

function auditComments(draft: Draft): readonly string[] {
  const faults: string[] = [];
  for (const { id } of draft.products()) {
    const said = draft.collabsOn(id).filter(({ kind }) => kind !== "agreement");
    said.forEach((one, place) => {
      for (const other of said.slice(0, place)) {
        if (isSameText(one.content, other.content)) faults.push(`${one.id} repeats ${other.id}`);
      }
    });
  }
  return faults;
}

function auditVersions(draft: Draft): readonly string[] {
  const faults: string[] = [];
  const used = new Set<string>();
  for (const { id, lastDirectiveId, authorId, productId } of draft.list("versions")) {
    const directive = draft.find("directives", lastDirectiveId);
    if (authorId === "user") continue;
    if (directive === undefined) faults.push(`${id} was written without a directive`);
    else if (directive.operativeId !== authorId || directive.productId !== productId)
      faults.push(`${id} was not assigned so`);
    if (lastDirectiveId !== null && used.has(lastDirectiveId))
      faults.push(`${id} is a second version for ${lastDirectiveId}`);
    if (lastDirectiveId !== null) used.add(lastDirectiveId);
  }
  for (const { id } of draft.list("products")) {
    draft.versionsOf(id).forEach((version, place, all) => {
      if (version.number !== place + 1) faults.push(`${version.id} is counted wrong`);
      if (all[place - 1]?.hash === version.hash) faults.push(`${version.id} changes nothing`);
    });
  }
  for (const { id, operativeId } of draft.list("directives")) {
    if (draft.find("members", operativeId)?.role !== "operative")
      faults.push(`${id} is for ${operativeId}`);
  }
  return faults;
}

function auditAcceptance(draft: Draft): readonly string[] {
  const faults: string[] = [];
  for (const { id, findings, verdict } of draft.list("inspections")) {
    if (verdict !== verdictOf(findings)) faults.push(`${id} comes to ${verdict}`);
  }
  for (const product of draft.products()) {
    if (product.status !== "accepted") continue;
    const { id, selectedVersionId, dod } = product;
    if (draft.childrenOf(id).some(({ status }) => status !== "accepted"))
      faults.push(`${id} is accepted before what it holds`);
    if (selectedVersionId === null) continue;
    const inspection = draft.inspectionOf(selectedVersionId);
    if (inspection === undefined || inspection.verdict === "blocked")
      faults.push(`${id} is accepted without an inspection that lets it pass`);
    const passed = new Set(
      inspection?.dod.filter(({ passes }) => passes).map(({ criterion }) => criterion),
    );
    if (dod.some((criterion) => !passed.has(criterion)))
      faults.push(`${id} is accepted and not done`);
  }
  return faults;
}

function auditTraces(draft: Draft): readonly string[] {
  const nouns = [
    "versions",
    "collabs",
    "directives",
    "reflections",
    "actions",
    "inspections",
  ] as const;
  const known = (ref: string) =>
    /^round\d+$/.test(ref) ||
    [...nouns, "missions" as const, "userMessages" as const].some(
      (noun) => draft.find(noun, ref) !== undefined,
    );
  return nouns.flatMap((noun) =>
    draft.list(noun).flatMap(({ id, trace }) => {
      if (trace.length === 0) return [`${id} has no trace`];
      return trace
        .filter((ref) => !known(ref))
        .map((ref) => `${id} rests on ${ref}, which is nothing`);
    }),
  );
}

function auditEnvoy(draft: Draft): readonly string[] {
  return draft.list("messages").flatMap((message) => {
    const deltas = new Map(deltasOf(draft, message.round).map((delta) => [delta.id, delta]));
    const fault = checkEnvoy(message, deltas);
    return fault === undefined ? [] : [`${message.id} ${fault.message}`];
  });
}
