/** What a task packet is made of: the task, its project, and the highlight it was drawn from. */

import { notFound } from "../../../kernel/base/errors.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { findHighlight } from "../../../kernel/store/highlights.ts";
import { findProject } from "../../../kernel/store/projects.ts";
import { loadRedactionScope, type RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { Task } from "../../../kernel/store/task.ts";
import { getTask } from "../../../kernel/store/task-lists.ts";
import { findWithheld } from "../../../kernel/store/withheld-sources.ts";
import { type GatherRequest, passagesOf, toPacketProject } from "./gather-project.ts";
import { originRedacted } from "./origin-refusals.ts";
import { banRefused, pinRefused } from "./packet-context.ts";
import type { PacketHighlight, PacketTask, TaskMaterial, Withheld } from "./packet-material.ts";
import { isReadable } from "./source-text.ts";
import { readHighlights, readTasks } from "./thought-reader.ts";

const ITSELF = { value: 1 };
const SOURCE = { value: 0.8 };

export function* gatherTask(request: GatherRequest): DatabaseWork<TaskMaterial> {
  const { id, viewer, pins, bans } = request;
  const task = yield* getTask(id, viewer);
  if (task.isInactive) throw notFound("task", id);
  const scope = yield* loadRedactionScope(
    task.projectId === undefined ? undefined : [task.projectId],
  );
  const project =
    task.projectId === undefined ? undefined : yield* findProject(task.projectId, viewer);
  const { highlight, withheld } = yield* gatherSource(task, request, scope);
  for (const pin of pins) {
    if (pin.id !== highlight?.id) throw pinRefused(pin, "a task packet has no place for it");
  }
  for (const ban of bans) if (ban.id === id) throw banRefused(ban);
  return {
    origin: "task",
    projectId: task.projectId,
    task: yield* readOrigin(id, scope),
    project: project && toPacketProject(project, scope),
    highlight,
    passages: passagesOf(scope),
    pins: new Set(pins.map((pin) => pin.id)),
    withheld,
  };
}

function* readOrigin(id: string, scope: RedactionScope): DatabaseWork<PacketTask> {
  const withheld = yield* findWithheld("task", [id], scope);
  const task = (yield* readTasks([{ id, score: ITSELF }], scope, "block")).get(id);
  if (task === undefined || withheld.has(id) || !isReadable(task.title)) {
    throw originRedacted("task", id);
  }
  return task;
}

function* gatherSource(
  { source }: Task,
  { viewer, bans }: GatherRequest,
  scope: RedactionScope,
): DatabaseWork<{
  readonly highlight: PacketHighlight | undefined;
  readonly withheld: readonly Withheld[];
}> {
  const nothing = { highlight: undefined, withheld: [] };
  if (source?.type !== "highlight") return nothing;
  const { id } = source;
  const row = yield* findHighlight(id, viewer);
  if (row === undefined || row.isInactive) return nothing;
  const hidden = yield* findWithheld("highlight", [id], scope);
  const highlight = (yield* readHighlights([{ id, score: SOURCE }], scope, "block")).get(id);
  if (highlight === undefined || hidden.has(id) || !isReadable(highlight.content)) {
    return { ...nothing, withheld: [{ type: "highlight", id, reason: "redacted" }] };
  }
  if (bans.some((ban) => ban.id === id)) {
    const { content: title } = highlight;
    return { ...nothing, withheld: [{ type: "highlight", id, reason: "banned", title }] };
  }
  return { highlight, withheld: [] };
}
