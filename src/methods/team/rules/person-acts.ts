/** What the person does as a member: the same records, through the same gates; a gate that stays shut is an error told at once. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import type { COLLAB_KINDS, Mission } from "../state/team-records.ts";
import { USER } from "../state/team-records.ts";
import type { Put, TeamState } from "../state/team-state.ts";
import { NOTHING_ALLOWED, type StepCall } from "./allowed.ts";
import { addComment, repeatedComment } from "./apply-peer-review.ts";
import { applyReply } from "./apply-reply.ts";
import { sameAsLast, settleCollabs } from "./apply-write.ts";
import type { Breach } from "./breach.ts";
import { Draft } from "./draft.ts";
import { Gate } from "./gate.ts";

/** Accepts a product, or sends it back with a reason. */
export function judgeProduct(
  state: TeamState,
  {
    action,
    productId,
    reason,
  }: { readonly action: "accept" | "reject"; readonly productId: string; readonly reason: string },
): readonly Put[] {
  requireProduct(new Draft(state), productId);
  const act = { action, productId, reason, decisionId: null, trace: [beginningOf(state)] };
  const { puts, breaches } = applyReply(state, callOf(state), { actions: [act] });
  refuseOn(breaches);
  return puts;
}

export interface PersonComment {
  readonly productId: string;
  readonly content: string;
  readonly kind: Exclude<(typeof COLLAB_KINDS)[number], "agreement">;
  readonly importance: number;
}

export function commentOn(
  state: TeamState,
  { productId, content, kind, importance }: PersonComment,
): { puts: readonly Put[]; id: string } {
  const draft = new Draft(state);
  const gate = new Gate(draft, callOf(state));
  const product = requireProduct(draft, productId);
  const comment = {
    comment: content,
    kind,
    importance,
    respondsTo: null,
    trace: [beginningOf(state)],
  };
  gate.passes({ path: [], item: comment }, () => repeatedComment(gate, productId, comment));
  refuseOn(gate.breaches);
  const to = product.ownerId === null ? [] : [product.ownerId];
  const id = addComment(gate, comment, { productId, versionId: product.selectedVersionId, to });
  return { puts: draft.puts(), id };
}

/** Another version in the person's own words. */
export function writeVersion(
  state: TeamState,
  {
    productId,
    content,
    changeSummary,
    settles,
  }: { productId: string; content: string; changeSummary: string; settles: readonly string[] },
): { puts: readonly Put[]; id: string } {
  const draft = new Draft(state);
  const gate = new Gate(draft, callOf(state));
  const product = requireProduct(draft, productId);
  const known = draft.collabsOn(productId).map(({ id }) => id);
  gate.passes(
    { path: [], item: null },
    () =>
      product.status === "accepted"
        ? {
            code: "team_product_closed",
            message: `changes ${productId}, which is accepted: send it back first`,
          }
        : undefined,
    () => sameAsLast(gate, productId, content),
    () => gate.known("comment", settles, known),
  );
  refuseOn(gate.breaches);
  const how = new Map(settles.map((collabId) => [collabId, changeSummary]));
  const version = draft.add("versions", {
    round: state.round,
    productId,
    number: draft.versionsOf(productId).length + 1,
    authorId: USER,
    content,
    changeSummary,
    lastDirectiveId: null,
    reflectionNote: changeSummary,
    addressed: [...how].map(([collabId, said]) => ({ collabId, how: said })),
    trace: [beginningOf(state)],
    hash: hashText(content),
    exchangeId: null,
  });
  draft.put("products", {
    ...product,
    selectedVersionId: version.id,
    summary: changeSummary,
    status: "pending",
  });
  settleCollabs(gate, how);
  return { puts: draft.puts(), id: version.id };
}

export type MissionChange = Partial<
  Pick<Mission, "statement" | "charter" | "objectives" | "constraints">
>;

/** What is not said stays as it was. Also the way to give a team the mission its chair failed to write. */
export function changeMission(state: TeamState, change: MissionChange): readonly Put[] {
  const draft = new Draft(state);
  const current = draft.mission();
  const prompt = draft.list("userMessages")[0]?.content ?? "";
  draft.add("missions", {
    round: state.round,
    statement: change.statement ?? current?.statement ?? prompt.slice(0, 1000),
    charter: change.charter ?? current?.charter ?? "",
    objectives: change.objectives ?? current?.objectives ?? [],
    constraints: change.constraints ?? current?.constraints ?? [],
    missingDetails: current?.missingDetails ?? [],
    setBy: USER,
  });
  return draft.puts();
}

function requireProduct(draft: Draft, productId: string) {
  const product = draft.find("products", productId);
  if (product !== undefined && product.status !== "removed") return product;
  throw new ProductError("team_product_not_found", `The team has no product "${productId}".`, {
    kind: "not_found",
    hint: "`team tree` lists them: p1, p2, …",
  });
}

function refuseOn(breaches: readonly Breach[]): void {
  const [first] = breaches;
  if (first === undefined) return;
  throw new ProductError(
    first.code,
    `Refused: this ${breaches.map(({ message }) => message).join("; ")}.`,
    {
      kind: "conflict",
      hint: "Nothing was changed. `team tree` shows what stands in the way.",
      details: { breaches: breaches.map(({ code, message }) => ({ code, message })) },
    },
  );
}

function callOf(state: TeamState): StepCall {
  const draft = new Draft(state);
  const products = draft.products().map(({ id }) => id);
  return {
    step: "plan_assign",
    round: state.round,
    memberId: USER,
    target: null,
    allowed: { ...NOTHING_ALLOWED, refs: [beginningOf(state)], products, acceptable: products },
    exchangeId: null,
  };
}

function beginningOf(state: TeamState): string {
  return state.userMessages[0]?.id ?? "u1";
}
