/** Removes the sample with everything that was done in it since, leaf by leaf, through the same doors as people. */

import type { EngineTools } from "../../kernel/run/engine-transaction.ts";
import { cancelRun } from "../../kernel/run/run-control.ts";
import { isEnded } from "../../kernel/run/run-state.ts";
import type { Act } from "../../kernel/store/audited-rows.ts";
import { deleteConversation, findConversation } from "../../kernel/store/conversations.ts";
import { type DatabaseWork, execute, query } from "../../kernel/store/database-work.ts";
import { deleteDecision } from "../../kernel/store/decisions.ts";
import { deleteHighlight } from "../../kernel/store/highlights.ts";
import { deleteProject, findProject } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { deleteRedaction } from "../../kernel/store/redactions.ts";
import { putSetting } from "../../kernel/store/settings.ts";
import { deleteTask, updateTask } from "../../kernel/store/tasks.ts";
import { deleteTeam } from "../../kernel/store/teams.ts";
import { deleteUser, findUser, updateUser } from "../../kernel/store/users.ts";
import { deleteArtifact } from "./artifact-rows.ts";
import { deleteRun } from "./run-archive.ts";
import { SAMPLE_SETTING, type Sample } from "./seed-sample.ts";

/** What a method keeps of its own for a project; given by the app, cleared before the project. */
export interface SampleContribution {
  readonly what: string;
  clear(projectId: string, act: Act): DatabaseWork<number>;
}

export interface Cleared {
  readonly what: string;
  readonly count: number;
}

export function* clearSample(
  tools: EngineTools,
  sample: Sample,
  contributions: readonly SampleContribution[],
  act: Act,
): DatabaseWork<readonly Cleared[]> {
  const { projectId, conversationId } = sample;
  const cleared: Cleared[] = [];
  const note = (what: string, count: number) => cleared.push({ what, count });
  if ((yield* findProject(projectId, "everything")) !== undefined) {
    yield* cancelLiveRuns(tools, projectId, act);
    for (const part of contributions) note(part.what, yield* part.clear(projectId, act));
    note("tasks", yield* clearTasks(projectId, act));
    note("decisions", yield* clearEach("decision", projectId, (id) => deleteDecision(id, act)));
    note("highlights", yield* clearEach("highlight", projectId, (id) => deleteHighlight(id, act)));
    note("redactions", yield* clearEach("redaction", projectId, (id) => deleteRedaction(id, act)));
    note("teams", yield* clearEach("team", projectId, (id) => deleteTeam(id, act)));
    note("artifacts", yield* clearEach("artifact", projectId, (id) => deleteArtifact(id, act)));
    note("runs", yield* clearEach("run", projectId, (id) => deleteRun(id, act)));
    yield* execute(db.deleteFrom("budget").where("scope", "=", `project:${projectId}`));
    yield* deleteProject(projectId, act);
    note("projects", 1);
  }
  note("loose thoughts", yield* clearLoose(conversationId, act));
  note("conversations", yield* clearConversation(conversationId, act));
  note("agents", yield* clearAgent(sample.agentId, act));
  // Remembered as cleared, so that the next start does not bring it back.
  yield* putSetting({ scope: "workspace" }, { key: SAMPLE_SETTING, value: "cleared" }, act);
  return cleared.filter(({ count }) => count > 0);
}

function* cancelLiveRuns(tools: EngineTools, projectId: string, act: Act): DatabaseWork<void> {
  const runs = yield* query(
    db.selectFrom("run").select(["id", "state"]).where("project_id", "=", projectId),
  );
  for (const { id, state } of runs) {
    if (!isEnded(state)) yield* cancelRun(tools, id, act.actor, act.now);
  }
}

/** What is being worked on is cancelled first; parts go before what they are part of. */
function* clearTasks(projectId: string, act: Act): DatabaseWork<number> {
  const tasks = yield* query(
    db
      .selectFrom("task")
      .select(["id", "status"])
      .where("project_id", "=", projectId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc"),
  );
  for (const { id, status } of tasks) {
    if (status === "in_progress" || status === "waiting")
      yield* updateTask(id, { status: "cancelled" }, act);
    yield* updateTask(id, { parentId: null }, act);
  }
  for (const { id } of tasks) yield* deleteTask(id, act);
  return tasks.length;
}

/** Newest first: what builds on another goes before it. */
function* clearEach(
  table: "decision" | "highlight" | "redaction" | "team" | "artifact" | "run",
  projectId: string,
  remove: (id: string) => DatabaseWork<void>,
): DatabaseWork<number> {
  const rows = yield* query(
    db
      .selectFrom(table as "decision")
      .select("id")
      .where("project_id", "=", projectId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc"),
  );
  for (const { id } of rows) yield* remove(id);
  return rows.length;
}

/** Drawn from the sample's conversation without naming a project. */
function* clearLoose(conversationId: string, act: Act): DatabaseWork<number> {
  const removers = { decision: deleteDecision, highlight: deleteHighlight } as const;
  let count = 0;
  for (const table of ["decision", "highlight"] as const) {
    const rows = yield* query(
      db
        .selectFrom(table as "decision")
        .select("id")
        .where("conversation_id", "=", conversationId)
        .where("project_id", "is", null)
        .orderBy("created_at", "desc"),
    );
    for (const { id } of rows) yield* removers[table](id, act);
    count += rows.length;
  }
  return count;
}

function* clearConversation(id: string, act: Act): DatabaseWork<number> {
  if ((yield* findConversation(id, "everything")) === undefined) return 0;
  yield* deleteConversation(id, act);
  return 1;
}

/** An agent that was given work elsewhere stays, out of service. */
function* clearAgent(id: string, act: Act): DatabaseWork<number> {
  const agent = yield* findUser(id);
  if (agent === undefined) return 0;
  const named = yield* query(
    db.selectFrom("task").select("id").where("assignee_id", "=", id).limit(1),
  );
  if (named.length === 0) yield* deleteUser(id, act);
  else yield* updateUser(id, { isActive: false }, act);
  return 1;
}
