/** A run as the server tells it, turned into what the drawing shows. */

import type { Output } from "../../api/operation.ts";
import { type GraphEdge, type GraphNode, shapeOf } from "../../graph/graph-model.ts";
import { ago, money, plural, span } from "../../parts/format.ts";
import { type State, stateOf, statusWords } from "../../parts/state.ts";
import type { OutlineStep } from "../../runs/step-outline.tsx";

export type RunGraph = Output<"step.graph">;
export type RunStep = RunGraph["steps"][number];

const ITEM_STATES: Readonly<Record<string, State>> = {
  pending: "todo",
  live: "run",
  completed: "ok",
  failed: "fail",
  skipped: "skip",
  cancelled: "skip",
};

/** What is going on matters more than what is over. */
const BUSIEST = ["on_hold", "in_progress", "failed", "waiting"] as const;

export function stepStatus({ type, status, counts }: RunStep): string {
  if (status === undefined) return "pending";
  const isOver = status === "completed" || status === "failed" || status === "cancelled";
  if (type === "foreach" && !isOver)
    return BUSIEST.find((each) => (counts[each] ?? 0) > 0) ?? "in_progress";
  return status;
}

export function runNodes({ steps, edges, asOf }: RunGraph): readonly GraphNode[] {
  const incoming = Map.groupBy(edges, ({ target }) => target);
  return steps.map((step): GraphNode => {
    const { id, name, type, execution, items, itemStates, counts } = step;
    const status = stepStatus(step);
    const total = items?.total ?? 0;
    const over = (counts.completed ?? 0) + (counts.failed ?? 0) + (counts.cancelled ?? 0);
    return {
      id,
      name,
      shape: shapeOf(type, execution),
      state: stateOf(status),
      fact: factOf(
        step,
        status,
        (incoming.get(id) ?? []).map(({ source }) => source),
        asOf,
      ),
      cells: itemStates?.map((state) => ITEM_STATES[state] ?? "todo"),
      progress: type === "foreach" && total > 0 ? Math.min(1, over / total) : undefined,
    };
  });
}

function factOf(step: RunStep, status: string, before: readonly string[], asOf: number): string {
  const { type, startedAt, finishedAt, costMicroUsd, items, counts, assigneeName, reason } = step;
  if (type === "decision") return "";
  if (items !== undefined && status !== "completed") {
    const running = counts.in_progress ?? 0;
    const done = counts.completed ?? 0;
    return `${done} of ${items.total} done${running > 0 ? `, ${running} running` : ""}`;
  }
  switch (status) {
    case "pending":
      return type === "join" && before.length > 1 && before.length < 4
        ? `needs ${before.slice(0, -1).join(", ")} and ${before.at(-1) ?? ""}`
        : step.status === undefined
          ? ""
          : "queued";
    case "waiting": {
      const since = startedAt === undefined ? "now" : ago(startedAt, asOf);
      const who = assigneeName === undefined ? "a person" : assigneeName;
      return since === "now" ? `waits for ${who}` : `waits for ${who}, ${since}`;
    }
    case "in_progress":
      return assigneeName === undefined ? "running" : `${assigneeName} at work`;
    case "completed": {
      const took =
        startedAt === undefined || finishedAt === undefined ? "" : span(finishedAt - startedAt);
      const what = items === undefined ? money(costMicroUsd) : plural(items.total, "item");
      return [took, costMicroUsd > 0 || items !== undefined ? what : ""].filter(Boolean).join(", ");
    }
    default:
      return reason ?? statusWords(status);
  }
}

export function runEdges({ edges, steps }: RunGraph): readonly GraphEdge[] {
  const running = new Set(
    steps.filter((step) => stepStatus(step) === "in_progress").map(({ id }) => id),
  );
  return edges.map(({ source, target, when, taken, takenInAll, seen }) => {
    const isRound = takenInAll > taken && taken === 0;
    const condition = when === undefined ? undefined : conditionText(when, seen);
    return {
      source,
      target,
      label:
        condition === undefined ? undefined : isRound ? `${condition} ×${takenInAll}` : condition,
      kind: taken > 0 ? "taken" : running.has(source) ? "live" : "plain",
    };
  });
}

/** `score 64 >= 50`: with what was found, once it is known. */
function conditionText(when: string, seen: RunGraph["edges"][number]["seen"]): string {
  // A text that is compared with another stands there already, more or less.
  const isPlain = seen !== undefined && !seen.value.startsWith('"') && when.includes(seen.path);
  if (!isPlain) return when.replace(/^output\./, "");
  const name = seen.path.split(".").at(-1) ?? seen.path;
  return when.replace(seen.path, `${name} ${seen.value}`);
}

/** As the pane beside the drawing takes it. */
export function outlineStep(step: RunStep): OutlineStep {
  const { id, name, type, execution, reason, taskId } = step;
  return {
    id,
    name,
    type: execution === "manual" ? "manual" : type,
    status: stepStatus(step),
    fact: "",
    reason,
    taskId,
    progress: undefined,
  };
}
