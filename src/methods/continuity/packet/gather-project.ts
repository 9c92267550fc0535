/** What a project packet is made of. */

import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { getProject, type Project } from "../../../kernel/store/projects.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { loadRedactionScope, type RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import { countThoughts, readNewestConversations } from "./candidate-reads.ts";
import {
  gatherDecisions,
  gatherHighlights,
  gatherLastCompleted,
  gatherTasks,
} from "./gather-thoughts.ts";
import type { PacketWishes } from "./packet-context.ts";
import type { PacketConversation, PacketProject, ProjectMaterial } from "./packet-material.ts";
import { hiddenIn } from "./redacted-sources.ts";
import { isReadable, lineOf, type SourceText } from "./source-text.ts";

export interface GatherRequest extends PacketWishes {
  readonly id: string;
  readonly viewer: Viewer;
  readonly now: number;
}

const MOST_CONVERSATIONS = 5;

export function* gatherProject({
  id,
  viewer,
  now,
  pins,
  bans,
}: GatherRequest): DatabaseWork<ProjectMaterial> {
  const project = yield* getProject(id, viewer);
  const scope = yield* loadRedactionScope([id]);
  const context = { viewer, now, scope, pins, bans };
  const tasks = yield* gatherTasks(id, context);
  const decisions = yield* gatherDecisions(id, context);
  const highlights = yield* gatherHighlights(id, context);
  return {
    origin: "project",
    projectId: id,
    project: toPacketProject(project, scope),
    concepts: conceptsOf(project, scope),
    tasks: tasks.top,
    tensions: tasks.tensions,
    underWay: tasks.underWay,
    lastCompleted: yield* gatherLastCompleted(id, context),
    decisions: decisions.top,
    newestDecision: decisions.newest,
    highlights: highlights.top,
    conversations: yield* gatherConversations(id, scope),
    totals: yield* countThoughts(id),
    passages: passagesOf(scope),
    pins: new Set(pins.map((pin) => pin.id)),
    withheld: [...tasks.withheld, ...decisions.withheld, ...highlights.withheld],
  };
}

export function toPacketProject(project: Project, scope: RedactionScope): PacketProject {
  const { id, name, description } = project;
  return {
    id,
    name: projectText(id, "name", name, scope),
    description: projectText(id, "description", description, scope),
  };
}

export function passagesOf({ passages }: RedactionScope): readonly string[] {
  return passages.map(({ text }) => text);
}

function projectText(id: string, field: string, text: string, scope: RedactionScope): SourceText {
  return lineOf({ type: "project", id, field }, text, hiddenIn(scope, undefined, text));
}

function conceptsOf({ id, glossary }: Project, scope: RedactionScope) {
  return glossary
    .map(({ term, meaning }, index) => ({
      term: projectText(id, `glossary.${index}.term`, term, scope),
      meaning: projectText(id, `glossary.${index}.meaning`, meaning, scope),
    }))
    .filter(({ term }) => isReadable(term));
}

function* gatherConversations(
  projectId: string,
  scope: RedactionScope,
): DatabaseWork<readonly PacketConversation[]> {
  const limit = MOST_CONVERSATIONS + scope.conversationIds.size;
  const newest = (yield* readNewestConversations(projectId, limit))
    .filter(({ id }) => !scope.conversationIds.has(id))
    .slice(0, MOST_CONVERSATIONS);
  if (newest.length === 0) return [];
  const ids = newest.map(({ id }) => id);
  const rows = yield* query(
    db.selectFrom("conversation").select(["id", "title"]).where("id", "in", ids),
  );
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return newest.map(({ id, createdAt }) => ({
    id,
    title: conversationTitle(id, titles.get(id) ?? "", scope),
    startedAt: createdAt,
  }));
}

export function conversationTitle(id: string, title: string, scope: RedactionScope): SourceText {
  return lineOf(
    { type: "conversation", id, field: "title" },
    title,
    hiddenIn(scope, undefined, title),
  );
}
