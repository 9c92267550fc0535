/** Tasks as they leave: names beside the ids, and nothing that is redacted. */

import { nameOf, projectNames, userNames } from "../../kernel/operation/names.ts";
import { withoutRedacted } from "../../kernel/operation/redacted-view.ts";
import type { Task } from "../../kernel/store/task.ts";

export function* showTasks(tasks: readonly Task[]) {
  const readable = yield* withoutRedacted(tasks, WORDS);
  const people = yield* userNames(tasks.map(({ assigneeId }) => assigneeId));
  const projects = yield* projectNames(tasks.map(({ projectId }) => projectId));
  return readable.map((task) => ({
    ...task,
    projectName: nameOf(projects, task.projectId),
    assigneeName: nameOf(people, task.assigneeId),
  }));
}

export function* showTask(task: Task) {
  const [one] = yield* showTasks([task]);
  return { ...task, ...one };
}

const WORDS: readonly (keyof Task)[] = [
  "title",
  "summary",
  "description",
  "extraPrompt",
  "additionalInfo",
  "holdReason",
  "tags",
  "input",
  "output",
  "questions",
];
