/**
 * A sample project in a fresh workspace, so that the first minute shows something true. What was seeded is
 * remembered in a setting: seeding twice adds nothing, and clearing finds all of it.
 */

import { z } from "zod";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import type { Act } from "../../kernel/store/audited-rows.ts";
import { insertConversation } from "../../kernel/store/conversations.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { insertDecision } from "../../kernel/store/decisions.ts";
import { insertHighlight } from "../../kernel/store/highlights.ts";
import { appendMessages } from "../../kernel/store/messages.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { findSetting, putSetting } from "../../kernel/store/settings.ts";
import { insertTasks, updateTask } from "../../kernel/store/tasks.ts";
import { insertUser } from "../../kernel/store/users.ts";
import {
  SAMPLE_AGENT,
  SAMPLE_CONVERSATION,
  SAMPLE_DECISIONS,
  SAMPLE_HIGHLIGHTS,
  SAMPLE_PROJECT,
  SAMPLE_TASKS,
} from "./sample-content.ts";

export const SAMPLE_SETTING = "workspace.sample";
const WORKSPACE = { scope: "workspace" } as const;

const sampleShape = z.object({
  projectId: z.string(),
  conversationId: z.string(),
  agentId: z.string(),
});

export type Sample = z.output<typeof sampleShape>;

/** Undefined when there is none, or none any more. */
export function* findSample(): DatabaseWork<Sample | undefined> {
  const setting = yield* findSetting(WORKSPACE, SAMPLE_SETTING);
  const parsed = sampleShape.safeParse(setting?.value);
  return parsed.success ? parsed.data : undefined;
}

/** Does nothing where there was ever a sample, also a cleared one. Gives where it is. */
export async function seedSample(
  { store, ids, clock }: Pick<Kernel, "store" | "ids" | "clock">,
  ownerId: string,
): Promise<Sample | undefined> {
  const act = { actor: ownerId, now: clock.now() };
  return store.write(function* () {
    if ((yield* findSetting(WORKSPACE, SAMPLE_SETTING)) !== undefined) return yield* findSample();
    const sample = { projectId: ids.next(), conversationId: ids.next(), agentId: ids.next() };
    yield* insertProject(
      { ...SAMPLE_PROJECT, id: sample.projectId, ownerId, visibility: "workspace" },
      act,
    );
    yield* insertUser(
      { ...SAMPLE_AGENT, id: sample.agentId, role: "operator", isAgent: true },
      act,
    );
    const messageIds = yield* addConversation(sample, ids, act);
    const highlightIds = yield* addHighlights(sample, messageIds, ids, act);
    for (const decision of SAMPLE_DECISIONS) {
      const { projectId, conversationId } = sample;
      yield* insertDecision({ ...decision, id: ids.next(), projectId, conversationId }, act);
    }
    yield* addTasks(sample, { highlightId: highlightIds[0], ownerId }, ids, act);
    yield* putSetting(WORKSPACE, { key: SAMPLE_SETTING, value: sample }, act);
    return sample;
  });
}

type Ids = Kernel["ids"];

function* addConversation(
  { projectId, conversationId }: Sample,
  ids: Ids,
  act: Act,
): DatabaseWork<readonly string[]> {
  const { title, messages } = SAMPLE_CONVERSATION;
  const projectIds = [projectId];
  yield* insertConversation({ id: conversationId, title, source: "sample", projectIds }, act);
  const said = messages.map((message, position) => ({ ...message, id: ids.next(), position }));
  yield* appendMessages(conversationId, said, act);
  return said.map(({ id }) => id);
}

function* addHighlights(
  { projectId }: Sample,
  messageIds: readonly string[],
  ids: Ids,
  act: Act,
): DatabaseWork<readonly string[]> {
  const made: string[] = [];
  for (const { message, label, content } of SAMPLE_HIGHLIGHTS) {
    const start = SAMPLE_CONVERSATION.messages[message].content.indexOf(content);
    const span = start === -1 ? undefined : { start, end: start + content.length };
    const place = { messageId: messageIds[message], span };
    const { id } = yield* insertHighlight(
      { id: ids.next(), projectId, label, content, ...place },
      act,
    );
    made.push(id);
  }
  return made;
}

function* addTasks(
  { projectId }: Sample,
  { highlightId, ownerId }: { readonly highlightId: string | undefined; readonly ownerId: string },
  ids: Ids,
  act: Act,
): DatabaseWork<void> {
  const tasks = SAMPLE_TASKS.map(({ isDrawn, status: _status, ...task }) => ({
    ...task,
    id: ids.next(),
    projectId,
    ...(isDrawn && highlightId !== undefined
      ? { source: { type: "highlight" as const, id: highlightId } }
      : {}),
  }));
  yield* insertTasks(tasks, act);
  for (const [i, { status }] of SAMPLE_TASKS.entries()) {
    const id = tasks[i]?.id;
    if (status === "pending" || id === undefined) continue;
    yield* updateTask(id, { status, assigneeId: ownerId }, act);
  }
}
