/** Saved views: a selection of tasks and an order under a name, kept as settings of the workspace. */

import { z } from "zod";
import { notFound } from "../../kernel/base/errors.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { TASK_STATUSES, URGENCIES } from "../../kernel/store/noun-tables.ts";
import { findSetting, listSettings } from "../../kernel/store/settings.ts";
import type { TaskSelection } from "../../kernel/store/task-lists.ts";
import { taskOrder } from "./task-shape.ts";

export const VIEW_KEY = "task-view.";
export const WORKSPACE = { scope: "workspace" } as const;

export const viewName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,40}$/, "must be small letters, digits and dashes")
  .describe("The name of the view.");

/** As it is stored: ids, not names, so that renaming a project does not empty a view. */
export const storedView = z.object({
  projectId: z.string().optional(),
  statuses: z.array(z.enum(TASK_STATUSES)).optional(),
  urgencies: z.array(z.enum(URGENCIES)).optional(),
  /** `null` means nobody's, `"me"` whoever uses the view. */
  assigneeId: z.string().nullable().optional(),
  tags: z.array(z.string()).optional(),
  text: z.string().optional(),
  hasBlocker: z.boolean().optional(),
  hasOpenLoop: z.boolean().optional(),
  order: taskOrder.default("oldest"),
});

export type StoredView = z.output<typeof storedView>;

export interface NamedView extends StoredView {
  readonly name: string;
  readonly version: number;
}

export function* getView(name: string): DatabaseWork<NamedView> {
  const setting = yield* findSetting(WORKSPACE, VIEW_KEY + name);
  if (setting === undefined) throw notFound("view", name);
  return { ...storedView.parse(setting.value), name, version: setting.version };
}

export function* listViews(): DatabaseWork<readonly NamedView[]> {
  const settings = yield* listSettings(WORKSPACE);
  return settings
    .filter(({ key }) => key.startsWith(VIEW_KEY))
    .map(({ key, value, version }) => ({
      ...storedView.parse(value),
      name: key.slice(VIEW_KEY.length),
      version,
    }));
}

export function selectionOf(view: StoredView, userId: string): TaskSelection {
  const { order: _, assigneeId, ...selection } = view;
  return { ...selection, assigneeId: assigneeId === "me" ? userId : assigneeId };
}
