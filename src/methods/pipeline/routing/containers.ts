/** A foreach at work: items are let in as there is room, and its join goes on when its policy is met. */

import type { JoinPolicy } from "../workflow/workflow-definition.ts";
import { addVisit, taskCap } from "./add-visit.ts";
import { type Draft, dropItems, isItemResting } from "./draft.ts";
import { isForeach } from "./graph.ts";
import { fail, isSatisfied } from "./joins.ts";
import { type Container, itemScope, type PendingItem } from "./open-run.ts";
import { goFrom } from "./pass-on.ts";
import type { Hold } from "./route-plan.ts";

/** Items under way at once where the workflow sets no limit; lanes limit the calls themselves. */
const WINDOW = 500;
/** Items started by one look: a transaction does not grow without end. */
export const STARTED_AT_ONCE = 250;

export function closeContainers(draft: Draft): boolean {
  let hasChanged = false;
  for (const container of Array.from(draft.containers.values())) {
    if (!draft.containers.has(container.id)) continue;
    const verdict = verdictOn(draft, container);
    if (verdict === undefined) continue;
    if (typeof verdict === "object") draft.plan.holds.push(verdict);
    else closeContainer(draft, container, verdict);
    hasChanged = true;
  }
  return hasChanged;
}

function verdictOn(draft: Draft, container: Container): "completed" | "failed" | Hold | undefined {
  const { id, step, pending, live, isHeld, isForced, isOverdue } = container;
  if (isForced || container.total === 0) return "completed";
  if (isOverdue) return "failed";
  if (isHeld || pending > 0 || draft.plan.holds.some((hold) => hold.id === id)) return undefined;
  const { policy, name } = draft.graph.joinOf(step);
  const wanted = container.total - container.skipped;
  const isMet = isSatisfied(policy, { completed: container.completed, total: wanted });
  if (live.length > 0) {
    const isTolerant = policy.need.kind !== "all";
    const allRest = live.every((index) => isItemResting(draft, container, index));
    return isTolerant && isMet && allRest ? "completed" : undefined;
  }
  if (isMet) return "completed";
  return {
    id,
    code: "join_unsatisfied",
    message: `"${name}" needs ${wordsFor(policy)}; ${container.completed} of ${container.total} items are completed, ${container.failed} failed.`,
    details: {
      step,
      total: container.total,
      completed: container.completed,
      failed: container.failed,
    },
  };
}

function wordsFor({ need }: JoinPolicy): string {
  switch (need.kind) {
    case "all":
      return "all items";
    case "percent":
      return `${need.percent} % of the items`;
    case "count":
      return need.count === 1 ? "one item" : `${need.count} items`;
  }
}

function closeContainer(draft: Draft, container: Container, state: "completed" | "failed"): void {
  const { id, step, scope } = container;
  draft.containers.delete(id);
  dropItems(draft, container);
  draft.over(scope, id);
  if (state === "failed") {
    draft.plan.closed.push({ id, state, isAbsorbed: fail(draft, container) });
    return;
  }
  draft.plan.closed.push({ id, state, isAbsorbed: false });
  const join = draft.graph.joinOf(step);
  addVisit(draft, { step: join.id, scope, from: container.from, kind: "join", sources: [id] });
  if (join.prompt === undefined) draft.plan.isMore = true;
}

export function admitItems(draft: Draft): void {
  let room = STARTED_AT_ONCE;
  for (const container of draft.containers.values()) {
    const isHeld = container.isHeld || draft.plan.holds.some(({ id }) => id === container.id);
    if (isHeld || container.pending === 0) continue;
    const step = draft.graph.step(container.step);
    const most = isForeach(step) && step.concurrency !== undefined ? step.concurrency : WINDOW;
    const moving = container.live.filter((index) => !isItemResting(draft, container, index)).length;
    const admitted = container.next.slice(0, Math.min(room, Math.max(0, most - moving)));
    for (const item of admitted) {
      const held = startItem(draft, container, item);
      if (!held) continue;
      draft.plan.holds.push(held);
      break;
    }
    room -= admitted.length;
    const hasMore = container.pending > admitted.length && moving + admitted.length < most;
    if (hasMore && admitted.length > 0) draft.plan.isMore = true;
  }
}

function startItem(draft: Draft, container: Container, { index }: PendingItem): Hold | undefined {
  const scope = itemScope(container.id, index);
  const step = draft.graph.step(container.step);
  const full = taskCap(draft, container.id, 1);
  if (full) return full;
  if (isForeach(step) && step.prompt !== undefined) {
    addVisit(draft, { step: step.id, scope, from: container.from, kind: "work" });
  } else {
    const went = goFrom(draft, {
      id: container.id,
      step: step.id,
      scope,
      outputId: container.from,
    });
    if (typeof went === "object") return went;
  }
  draft.plan.started.push({ containerId: container.id, index });
  return undefined;
}
