/** Saved views over tasks: what a person or a worker looks at, under a name. */

import { z } from "zod";
import { notFound } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { requireRight } from "../../kernel/operation/project-rights.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { table } from "../../kernel/operation/terminal-text.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { findProject } from "../../kernel/store/projects.ts";
import { deleteSetting, putSetting } from "../../kernel/store/settings.ts";
import {
  getView,
  listViews,
  type NamedView,
  storedView,
  VIEW_KEY,
  viewName,
  WORKSPACE,
} from "./saved-views.ts";
import { selectTasks } from "./task-selection.ts";
import { selectionFields, taskOrder } from "./task-shape.ts";

const viewShape = storedView.extend({ name: z.string(), version: z.number() });
const viewList = z.object({ items: z.array(viewShape) });

const list = defineOperation({
  name: "view.list",
  summary: "Lists the saved views over tasks.",
  effect: "reads",
  permission: "read",
  input: z.object({}),
  output: viewList,
  surfaces: { cli: { render: rendering(viewList, renderViews) }, mcp: "full" },
  run: ({ kernel, caller }) =>
    kernel.store.read(function* () {
      const items: NamedView[] = [];
      for (const view of yield* listViews()) {
        if (yield* isForEyesOf(caller, view)) items.push(view);
      }
      return { items };
    }),
});

const save = defineOperation({
  name: "view.save",
  summary:
    "Saves a selection of tasks and an order under a name, for lists, `task next` and workers.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({ name: viewName, ...selectionFields, order: taskOrder.default("oldest") }),
  output: viewShape,
  surfaces: {
    cli: {
      positionals: ["name"],
      examples: ["view save blockers --blocker --order urgent"],
      render: rendering(viewShape, ({ name }) =>
        doneLine(`Saved view "${name}". Use it with \`task list --view ${name}\`.`),
      ),
    },
    mcp: "full",
  },
  run: (context, { name, order, ...words }) =>
    change(context, function* (act) {
      const { caller } = context;
      yield* refuseHidden(caller, name);
      const selection = yield* selectTasks(words, caller);
      const assigneeId = words.assignee === "me" ? "me" : selection.assigneeId;
      const view = storedView.parse({ ...selection, assigneeId, order });
      const stored = yield* putSetting(
        WORKSPACE,
        { key: VIEW_KEY + name, value: JSON.parse(JSON.stringify(view)) },
        act,
      );
      return { ...view, name, version: stored.version };
    }),
});

const forgotten = z.object({ name: z.string() });

const remove = defineOperation({
  name: "view.delete",
  summary: "Forgets a saved view; the tasks stay.",
  effect: "destroys",
  permission: "edit",
  input: z.object({ name: viewName }),
  output: forgotten,
  surfaces: {
    cli: {
      positionals: ["name"],
      render: rendering(forgotten, ({ name }) => doneLine(`Forgot view "${name}".`)),
    },
    mcp: "full",
  },
  run: (context, { name }) =>
    change(context, function* (act) {
      const view = yield* getView(name);
      if (!(yield* isForEyesOf(context.caller, view))) throw notFound("view", name);
      yield* requireRight(context.caller, view.projectId, "edit");
      yield* deleteSetting(WORKSPACE, VIEW_KEY + name, act);
      return { name };
    }),
});

export const viewOperations: readonly Operation[] = [list, save, remove];

/** A view of a project is for those who see the project. */
function* isForEyesOf(caller: Caller, { projectId }: NamedView): DatabaseWork<boolean> {
  return projectId === undefined || (yield* findProject(projectId, caller)) !== undefined;
}

/** Saving under a name must not overwrite what the caller cannot see. */
function* refuseHidden(caller: Caller, name: string): DatabaseWork<void> {
  for (const view of yield* listViews()) {
    if (view.name === name && !(yield* isForEyesOf(caller, view))) throw notFound("view", name);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  projectId: "project",
  statuses: "status",
  urgencies: "urgency",
  assigneeId: "assignee",
  hasBlocker: "blocker",
  hasOpenLoop: "open loop",
};

function renderViews({ items }: z.output<typeof viewList>): string {
  if (items.length === 0)
    return "No saved views. Save one with `view save NAME --urgency high --order urgent`.";
  const rows = items.map(({ name, order, ...rest }) => [
    name,
    order,
    Object.entries(rest)
      .filter(([key, value]) => key !== "version" && value !== undefined)
      .map(([key, value]) => `${WORDS[key] ?? key} ${value === null ? "nobody" : String(value)}`)
      .join("; ") || "all tasks",
  ]);
  return table([{ title: "NAME" }, { title: "ORDER" }, { title: "SHOWS", width: 80 }], rows);
}
