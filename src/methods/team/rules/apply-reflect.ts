/** An operative looks at what it owns: where it stands, what was said about it, what comes next. */

import type { Collab, Directive } from "../state/team-records.ts";
import { breach } from "./breach.ts";
import { criterionOf } from "./criteria.ts";
import type { Gate } from "./gate.ts";
import { OPEN_SHAPES } from "./reply-shapes.ts";
import { takeItems } from "./take-items.ts";

type Reply = Readonly<Record<string, unknown>>;

export function applyReflect(gate: Gate, reply: Reply): void {
  const statuses = takeStatuses(gate, reply);
  const { draft, call, breaches } = gate;
  const { allowed, memberId, round } = call;
  const seen = new Set<string>();
  for (const { value, path } of takeItems(reply, "reflections", OPEN_SHAPES.reflection, breaches)) {
    const { productId, trace } = value;
    const passes = gate.passes(
      { path, item: value },
      () => gate.known("product", [productId], allowed.assignable),
      () => gate.traced(trace),
      () =>
        seen.has(productId)
          ? breach("team_id_unknown", `reflects on ${productId} twice`)
          : undefined,
    );
    if (!passes) continue;
    seen.add(productId);
    draft.add("reflections", {
      ...value,
      round,
      authorId: memberId,
      versionId: draft.lastVersionOf(productId)?.id ?? null,
      criteria: statuses.get(productId) ?? [],
      exchangeId: call.exchangeId,
    });
  }
  answerCollabs(gate, reply);
  answerDirectives(gate, reply);
}

function takeStatuses(gate: Gate, reply: Reply) {
  const byProduct = new Map<string, { criterion: string; status: string; evidence: string }[]>();
  const { draft, call, breaches } = gate;
  const seen = new Set<string>();
  for (const { value, path } of takeItems(
    reply,
    "criteria",
    OPEN_SHAPES.criterionStatus,
    breaches,
  )) {
    const { criterionId, status, evidence } = value;
    const found = criterionOf(draft, criterionId);
    const isKnown = gate.passes({ path, item: value }, () =>
      gate.known("criterion", [criterionId], call.allowed.criteria),
    );
    if (!isKnown || found === undefined || seen.has(criterionId)) continue;
    seen.add(criterionId);
    const list = byProduct.get(found.productId) ?? [];
    list.push({ criterion: found.criterion, status, evidence });
    byProduct.set(found.productId, list);
  }
  return byProduct;
}

const STATE_AFTER = { accept: "accepted", defer: "deferred", reject: "rejected" } as const;

/** Every comment shown is answered once; one that is not goes on to the next round, heavier by one. */
function answerCollabs(gate: Gate, reply: Reply): void {
  const { draft, call, breaches } = gate;
  const answered = new Set<string>();
  for (const { value, path } of takeItems(
    reply,
    "collabAnswers",
    OPEN_SHAPES.collabAnswer,
    breaches,
  )) {
    const { collabId, action, rationale, plannedChange } = value;
    const passes = gate.passes({ path, item: value }, () =>
      gate.known("comment", [collabId], call.allowed.collabs),
    );
    const collab = draft.find("collabs", collabId);
    if (!passes || collab === undefined || answered.has(collabId)) continue;
    answered.add(collabId);
    const answer = plannedChange === null ? rationale : `${rationale} ${plannedChange}`;
    if (isOpen(collab)) draft.put("collabs", { ...collab, state: STATE_AFTER[action], answer });
  }
  for (const collabId of call.allowed.collabs) {
    const collab = draft.find("collabs", collabId);
    if (answered.has(collabId) || collab === undefined || !isOpen(collab)) continue;
    gate.refuse(
      "team_unanswered",
      `leaves the comment ${collabId} without an answer`,
      ["collabAnswers"],
      null,
    );
    draft.put("collabs", { ...collab, age: collab.age + 1 });
  }
}

function answerDirectives(gate: Gate, reply: Reply): void {
  const { draft, call, breaches } = gate;
  const answered = new Set<string>();
  for (const { value, path } of takeItems(
    reply,
    "directiveAnswers",
    OPEN_SHAPES.directiveAnswer,
    breaches,
  )) {
    const { directiveId, status, evidence, recovery } = value;
    const passes = gate.passes({ path, item: value }, () =>
      gate.known("directive", [directiveId], call.allowed.directives),
    );
    const directive = draft.find("directives", directiveId);
    if (!passes || directive === undefined || answered.has(directiveId)) continue;
    answered.add(directiveId);
    const told = recovery === null ? evidence : `${evidence} ${recovery}`;
    draft.put("directives", { ...directive, state: status, evidence: told });
  }
  for (const directiveId of call.allowed.directives) {
    const directive = draft.find("directives", directiveId);
    if (answered.has(directiveId) || directive === undefined) continue;
    gate.refuse(
      "team_unanswered",
      `leaves the directive ${directiveId} without an answer`,
      ["directiveAnswers"],
      null,
    );
    draft.put("directives", { ...directive, age: directive.age + 1 });
  }
}

/** Deferred is not settled: it comes back. */
export function isOpen({ kind, state }: Pick<Collab, "kind" | "state">): boolean {
  return kind !== "agreement" && (state === "open" || state === "deferred");
}

export function isOwedAnAnswer({ state }: Pick<Directive, "state">): boolean {
  return state === "open" || state === "written" || state === "partial" || state === "unfulfilled";
}
