/** The chair: what changes in the tree, who writes what and why, what is asked of the person outside. */

import type { Product, StructuralAction } from "../state/team-records.ts";
import { acceptanceObstacles } from "./acceptance.ts";
import { setPersonas } from "./apply-bootstrap.ts";
import { breach } from "./breach.ts";
import type { Fault, Gate } from "./gate.ts";
import { type ActionShape, type DirectiveShape, OPEN_SHAPES } from "./reply-shapes.ts";
import { takeItems } from "./take-items.ts";
import { canHold, checkDuplicate, checkPlace, checkRemoval, checkType } from "./tree-gates.ts";

type Reply = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

export function applyPlan(gate: Gate, reply: Reply): void {
  const { call, breaches } = gate;
  assess(gate, reply);
  const created = new Map<string, string>();
  const done = new Set<string>();
  for (const { value, path } of takeItems(reply, "actions", OPEN_SHAPES.action, breaches)) {
    // Said twice in one reply, it is still one action.
    const key = value.action === "add" ? value.newId : `${value.action} ${value.productId}`;
    if (done.has(key) && value.action !== "add") continue;
    done.add(key);
    act(gate, value, path, created);
  }
  for (const { value, path } of takeItems(reply, "assignments", OPEN_SHAPES.assignment, breaches)) {
    const productId = created.get(value.productId) ?? value.productId;
    const isNew = created.has(value.productId);
    const passes = gate.passes({ path, item: value }, () =>
      isNew ? undefined : gate.known("product", [productId], call.allowed.assignable),
    );
    if (passes) assign(gate, productId, value, path);
  }
  takeNotes(gate, reply);
  replaceMission(gate, reply);
  if (reply["replacesPersonas"] !== null) setPersonas(gate, reply, "replacesPersonas");
  halt(gate, reply["halt"]);
}

function assess(gate: Gate, reply: Reply): void {
  const { call, breaches } = gate;
  const told = new Set<string>();
  for (const { value, path } of takeItems(reply, "objectives", OPEN_SHAPES.objective, breaches)) {
    gate.passes({ path, item: value }, () =>
      gate.known("objective", [value.objectiveId], call.allowed.objectives),
    );
    told.add(value.objectiveId);
  }
  for (const id of call.allowed.objectives) {
    if (!told.has(id))
      gate.refuse("team_objective_missing", `says nothing about ${id}`, ["objectives"], null);
  }
}

function act(gate: Gate, value: ActionShape, path: Path, created: Map<string, string>): void {
  if (value.action === "add") return add(gate, value, path, created);
  const { draft, call } = gate;
  const product = draft.find("products", value.productId);
  const place = { path, item: value };
  const isFree = gate.passes(
    place,
    () => gate.known("product", [value.productId], call.allowed.products),
    () => gate.known("decision", [value.decisionId], call.allowed.decisions),
    () => gate.traced(value.trace),
    () => gone(product),
  );
  if (!isFree || product === undefined) return;
  switch (value.action) {
    case "remove":
      if (
        gate.passes(
          place,
          () => settled(product),
          () => checkRemoval(draft, product),
        )
      ) {
        change(gate, value, product, { status: "removed" });
      }
      return;
    case "reparent": {
      const parent = draft.find("products", value.parentId);
      const passes = gate.passes(
        place,
        () => gate.known("parent product", [value.parentId], call.allowed.parents),
        () =>
          product.parentId === null ? breach("team_tree_broken", "moves the whole") : undefined,
        () => (parent === undefined ? undefined : settled(parent)),
        () => (parent === undefined ? undefined : checkPlace(draft, product, parent)),
      );
      if (passes && parent !== undefined) change(gate, value, product, { parentId: parent.id });
      return;
    }
    case "change_param":
      changeParams(gate, value, path, product);
      return;
    case "accept": {
      const versionId = draft.lastVersionOf(product.id)?.id ?? null;
      if (product.status === "accepted") return;
      const obstacles = acceptanceObstacles(draft, product, versionId);
      const passes = gate.passes(place, () =>
        obstacles.length === 0
          ? undefined
          : breach("team_acceptance_refused", `accepts ${product.id}, but ${obstacles.join("; ")}`),
      );
      if (passes)
        change(
          gate,
          value,
          product,
          { status: "accepted", selectedVersionId: versionId },
          versionId,
        );
      return;
    }
    case "reject": {
      const versionId = draft.lastVersionOf(product.id)?.id ?? null;
      change(gate, value, product, { status: "rejected" }, versionId);
      reopenAbove(gate, product);
      return;
    }
    case "select_version": {
      const version = draft.find("versions", value.versionId);
      const passes = gate.passes(
        place,
        () => settled(product),
        () => gate.known("version", [value.versionId], call.allowed.versions),
        () =>
          version?.productId === product.id
            ? undefined
            : breach(
                "team_id_unknown",
                `selects ${value.versionId}, which is no version of ${product.id}`,
              ),
      );
      if (passes)
        change(gate, value, product, { selectedVersionId: value.versionId }, value.versionId);
    }
  }
}

type AddShape = Extract<ActionShape, { readonly action: "add" }>;

function add(gate: Gate, value: AddShape, path: Path, created: Map<string, string>): void {
  const { draft, call } = gate;
  const parentId =
    value.parentId === null ? draft.root()?.id : (created.get(value.parentId) ?? value.parentId);
  const parent = draft.find("products", parentId);
  const isOwn =
    parentId !== undefined && [...created.values(), draft.root()?.id].includes(parentId);
  const passes = gate.passes(
    { path, item: value },
    () =>
      isOwn ? undefined : gate.known("parent product", [value.parentId], call.allowed.parents),
    () =>
      parent === undefined
        ? breach(
            "team_id_unknown",
            `goes below ${value.parentId ?? "nothing"}, which is no product`,
          )
        : undefined,
    () =>
      created.has(value.newId)
        ? breach("team_id_unknown", `calls two products ${value.newId}`)
        : undefined,
    () => gate.known("operative", [value.ownerId], call.allowed.operatives),
    () => gate.known("decision", [value.decisionId], call.allowed.decisions),
    () => gate.traced(value.trace),
    () => (parent === undefined ? undefined : settled(parent)),
    () => (parent === undefined ? undefined : checkPlace(draft, value, parent)),
    () =>
      draft.products().length >= draft.brief.mostProducts
        ? breach(
            "team_too_many_products",
            `would be one more than the ${draft.brief.mostProducts} products the team may have`,
          )
        : undefined,
  );
  if (!passes || parent === undefined) return;
  const product = draft.add("products", {
    round: call.round,
    parentId: parent.id,
    name: value.name,
    type: value.type,
    ownerId: value.ownerId,
    description: value.description,
    dod: value.definitionOfDone,
    summary: "",
    selectedVersionId: null,
    status: "pending",
  });
  created.set(value.newId, product.id);
  record(gate, value, { productId: product.id, parentId: parent.id, versionId: null, changes: {} });
  if (value.assignment !== null)
    assign(gate, product.id, value.assignment, [...path, "assignment"]);
}

type ChangeShape = Extract<ActionShape, { readonly action: "change_param" }>;

function changeParams(gate: Gate, value: ChangeShape, path: Path, product: Product): void {
  const { draft, call } = gate;
  const { name, type, description, definitionOfDone: dod, ownerId, summary } = value.set;
  const passes = gate.passes(
    { path, item: value },
    () => settled(product),
    () => gate.known("operative", [ownerId ?? null], call.allowed.operatives),
    () =>
      name === undefined || product.parentId === null
        ? undefined
        : checkDuplicate(draft, { id: product.id, name }, product.parentId),
    () => (type === undefined ? undefined : checkType(draft, product, type)),
    () =>
      type !== undefined && product.parentId === null && !canHold({ ...product, type })
        ? breach("team_composition", "makes the whole something that holds nothing")
        : undefined,
  );
  if (!passes) return;
  const set = { name, type, description, dod, ownerId, summary };
  const given = Object.entries(set).filter(([, to]) => to !== undefined);
  change(gate, value, product, Object.fromEntries(given));
}

/** Puts the product as it now is and the action that made it so. */
function change(
  gate: Gate,
  value: Exclude<ActionShape, AddShape>,
  product: Product,
  to: Partial<Product>,
  versionId: string | null = null,
): void {
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const [key, after] of Object.entries(to)) {
    const before = product[key as keyof Product];
    if (JSON.stringify(before) !== JSON.stringify(after))
      changes[key] = { from: before, to: after };
  }
  gate.draft.put("products", { ...product, ...to });
  record(gate, value, {
    productId: product.id,
    parentId: to.parentId ?? product.parentId,
    versionId,
    changes,
  });
}

function record(
  { draft, call }: Gate,
  {
    action,
    reason,
    decisionId,
    trace,
  }: Pick<ActionShape, "action" | "reason" | "decisionId" | "trace">,
  about: Pick<StructuralAction, "productId" | "parentId" | "versionId" | "changes">,
): void {
  const { round, memberId: byId, exchangeId } = call;
  draft.add("actions", { ...about, action, reason, decisionId, trace, round, byId, exchangeId });
}

/** What holds something that is not accepted is not accepted either. */
function reopenAbove({ draft }: Gate, product: Product): void {
  for (
    let above = draft.find("products", product.parentId);
    above !== undefined;
    above = draft.find("products", above.parentId)
  ) {
    if (above.status === "accepted") draft.put("products", { ...above, status: "pending" });
  }
}

function assign(gate: Gate, productId: string, value: DirectiveShape, path: Path): void {
  const { draft, call } = gate;
  const { round, exchangeId, allowed } = call;
  const product = draft.find("products", productId);
  const { relevantProductIds, highlyRelevantProductIds, referencedProductIds } = value;
  const named = [...relevantProductIds, ...highlyRelevantProductIds, ...referencedProductIds];
  const passes = gate.passes(
    { path, item: value },
    () => gone(product),
    () => (product === undefined ? undefined : settled(product)),
    () => notOperative(gate, value.operativeId),
    () => gate.known("product", named, allowed.products),
    () => gate.traced(value.trace),
    () =>
      draft.directivesOf(productId).some((each) => each.round === round && each.state === "open")
        ? breach("team_assignment_repeated", `assigns ${productId} a second time in round ${round}`)
        : undefined,
  );
  if (!passes || product === undefined) return;
  draft.add("directives", {
    ...value,
    dueRound: Math.max(round, value.dueRound),
    productId,
    round,
    state: "open",
    evidence: null,
    age: 0,
    exchangeId,
  });
  if (product.ownerId === null) draft.put("products", { ...product, ownerId: value.operativeId });
}

function notOperative({ draft }: Gate, memberId: string): Fault | undefined {
  const member = draft.find("members", memberId);
  if (member?.role === "operative") return undefined;
  const what = member === undefined ? "no member" : `the ${member.role}`;
  return breach(
    "team_assignee_not_operative",
    `assigns work to ${memberId}, ${what}; only operatives write`,
  );
}

function takeNotes(gate: Gate, reply: Reply): void {
  const { draft, call, breaches } = gate;
  for (const { value, path } of takeItems(
    reply,
    "personalNotes",
    OPEN_SHAPES.personalNote,
    breaches,
  )) {
    const isKnown = gate.passes({ path, item: value }, () =>
      gate.known("member", [value.memberId], call.allowed.members),
    );
    const member = draft.find("members", value.memberId);
    if (isKnown && member !== undefined) draft.put("members", { ...member, chairNote: value.note });
  }
}

function replaceMission(gate: Gate, reply: Reply): void {
  const { draft, call } = gate;
  const given = reply["replacesMission"];
  const current = draft.mission();
  if (given === undefined || given === null || current === undefined) return;
  const mission = OPEN_SHAPES.mission.safeParse(given);
  if (!mission.success) {
    gate.refuse("team_reply_unreadable", "is no whole mission", ["replacesMission"], given);
    return;
  }
  const { missingDetails } = current;
  draft.add("missions", {
    ...mission.data,
    missingDetails,
    round: call.round,
    setBy: call.memberId,
  });
}

function halt(gate: Gate, given: unknown): void {
  if (given === undefined || given === null) return;
  const { draft, call } = gate;
  const read = OPEN_SHAPES.halt.safeParse(given);
  if (!read.success) {
    gate.refuse("team_reply_unreadable", "is neither a question nor an end", ["halt"], given);
    return;
  }
  const { kind, message, options } = read.data;
  draft.add("halts", {
    round: call.round,
    step: call.step,
    reason: kind,
    message,
    options,
    state: "open",
    answer: null,
  });
}

function gone(product: Product | undefined): Fault | undefined {
  if (product !== undefined && product.status !== "removed") return undefined;
  return breach("team_product_closed", "is about a product that is not there any more");
}

/** What is accepted stays as it is until it is sent back. */
function settled(product: Product): Fault | undefined {
  if (product.status !== "accepted") return undefined;
  return breach(
    "team_product_closed",
    `changes ${product.id}, which is accepted: send it back first`,
  );
}
