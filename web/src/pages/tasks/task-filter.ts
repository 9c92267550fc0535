/** Which tasks are shown, as the address keeps it. */

import type { Input } from "../../api/operation.ts";
import { changeQuery, usePlace } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";

type Selection = Input<"task.list">;
export type Urgency = NonNullable<Selection["urgency"]>[number];

export interface TaskFilter {
  readonly text: string;
  readonly assignee: string | undefined;
  readonly urgency: Urgency | undefined;
  readonly isBlocker: boolean;
  readonly hasSteps: boolean;
  readonly view: string | undefined;
}

const URGENCIES: readonly Urgency[] = ["urgent", "high", "normal", "low"];

export function useTaskFilter(): TaskFilter {
  const { query } = usePlace();
  return {
    text: query.get("text") ?? "",
    assignee: query.get("assignee") ?? undefined,
    urgency: URGENCIES.find((each) => each === query.get("urgency")),
    isBlocker: query.has("blocker"),
    hasSteps: query.has("steps"),
    view: query.get("saved") ?? undefined,
  };
}

export function changeFilter(change: Partial<TaskFilter>): void {
  const fields: Record<string, string | undefined> = {};
  if (change.text !== undefined) fields["text"] = change.text === "" ? undefined : change.text;
  if ("assignee" in change) fields["assignee"] = change.assignee;
  if ("urgency" in change) fields["urgency"] = change.urgency;
  if (change.isBlocker !== undefined) fields["blocker"] = change.isBlocker ? "yes" : undefined;
  if (change.hasSteps !== undefined) fields["steps"] = change.hasSteps ? "yes" : undefined;
  if ("view" in change) fields["saved"] = change.view;
  changeQuery(fields, { replace: true });
}

/** As `task.list` takes it, without what a view of the page adds. */
export function useSelection(filter: TaskFilter): Omit<Selection, "limit" | "cursor"> {
  const project = useProjectId();
  const { text, assignee, urgency, isBlocker, hasSteps, view } = filter;
  return {
    ...(project === undefined ? {} : { project }),
    ...(text.trim() === "" ? {} : { text: text.trim() }),
    ...(assignee === undefined ? {} : { assignee }),
    ...(urgency === undefined ? {} : { urgency: [urgency] }),
    ...(isBlocker ? { blocker: true } : {}),
    ...(hasSteps ? {} : { step: false }),
    ...(view === undefined ? {} : { view }),
  };
}

/** Something narrows the list, so that a task may be shown without the one it is part of. */
export function isNarrowed({ text, assignee, urgency, isBlocker, view }: TaskFilter): boolean {
  return (
    text.trim() !== "" ||
    assignee !== undefined ||
    urgency !== undefined ||
    isBlocker ||
    view !== undefined
  );
}
