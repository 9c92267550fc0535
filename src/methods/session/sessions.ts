/** Sessions as they are kept. Every step is written here before or after it is taken in the repository, never half. */

import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { notFound, ProductError } from "../../kernel/base/errors.ts";
import { hashText } from "../../kernel/base/hash.ts";
import {
  type Act,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../kernel/store/audited-rows.ts";
import { toJsonText } from "../../kernel/store/cells.ts";
import { type DatabaseWork, query, queryFirst } from "../../kernel/store/database-work.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../kernel/store/page.ts";
import { type Viewer, visibleProjects } from "../../kernel/store/visibility.ts";
import type { Author, VcsKind } from "../../kernel/vcs/vcs.ts";
import { SESSIONS } from "./session-migration.ts";
import { type SessionPlan, sessionPlanSchema } from "./session-plan.ts";
import {
  type ChangeScope,
  type PushState,
  type ReportKind,
  type SessionState,
  type SessionTable,
  type SessionTables,
  type SynthesisMode,
  sessionDb,
} from "./session-tables.ts";

export interface Session {
  readonly id: string;
  readonly projectId: string | undefined;
  readonly repository: string;
  readonly vcs: VcsKind;
  readonly state: SessionState;
  readonly prompt: string;
  readonly promptHash: string;
  readonly interpretation: string;
  readonly strategy: string;
  readonly constraints: readonly string[];
  readonly author: Author;
  readonly base: {
    readonly changeId: string;
    readonly commitId: string;
    readonly operation: string;
  };
  readonly reliesOn: { readonly changeId: string; readonly commitId: string } | undefined;
  readonly subject: string | undefined;
  readonly summary: string | undefined;
  readonly answer: string | undefined;
  readonly title: string | undefined;
  readonly kind: ReportKind | undefined;
  readonly plan: SessionPlan | undefined;
  readonly scope: ChangeScope | undefined;
  readonly mode: SynthesisMode | undefined;
  readonly changeId: string | undefined;
  readonly message: string | undefined;
  readonly reportPath: string | undefined;
  readonly bookmark: string | undefined;
  readonly push: PushState | undefined;
  readonly pushReason: string | undefined;
  readonly startedBy: string;
  readonly version: number;
  readonly createdAt: number;
  readonly finishedAt: number | undefined;
}

export type NewSession = Pick<
  Session,
  | "id"
  | "projectId"
  | "repository"
  | "vcs"
  | "prompt"
  | "interpretation"
  | "strategy"
  | "constraints"
  | "author"
  | "base"
  | "reliesOn"
  | "subject"
>;

export function* insertSession(session: NewSession, act: Act): DatabaseWork<Session> {
  const row = {
    id: session.id,
    project_id: session.projectId ?? null,
    repository: session.repository,
    vcs: session.vcs,
    state: "open" as const,
    prompt: session.prompt,
    prompt_hash: hashText(session.prompt),
    interpretation: session.interpretation,
    strategy: session.strategy,
    constraints: toJsonText([...session.constraints]),
    author_name: session.author.name,
    author_email: session.author.email,
    base_change: session.base.changeId,
    base_commit: session.base.commitId,
    base_operation: session.base.operation,
    relies_on_change: session.reliesOn?.changeId ?? null,
    relies_on_commit: session.reliesOn?.commitId ?? null,
    subject: session.subject ?? null,
    ...NOT_YET,
    started_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  const place = { projectId: row.project_id, verb: "started" };
  return toSession(yield* insertAudited(SESSIONS, row, act, place));
}

const NOT_YET = {
  summary: null,
  answer: null,
  title: null,
  kind: null,
  plan: null,
  scope: null,
  mode: null,
  change_id: null,
  message: null,
  report_path: null,
  bookmark: null,
  push: null,
  push_reason: null,
  finished_at: null,
};

export type SessionPatch = Partial<
  Pick<
    SessionTable,
    | "state"
    | "subject"
    | "summary"
    | "answer"
    | "title"
    | "kind"
    | "plan"
    | "scope"
    | "mode"
    | "change_id"
    | "message"
    | "report_path"
    | "bookmark"
    | "push"
    | "push_reason"
    | "relies_on_change"
    | "relies_on_commit"
    | "finished_at"
  >
>;

export function* updateSession(
  id: string,
  patch: SessionPatch,
  act: Act,
  verb: string,
): DatabaseWork<Session> {
  const before = yield* getForChange(SESSIONS, id);
  const place = { projectId: before.project_id, verb };
  return toSession(yield* updateAudited(SESSIONS, before, patch, act, place));
}

/** Of a visible project; without one by whoever started it. */
export function seesSession(viewer: Viewer): Expression<SqlBool> {
  const where = expressionBuilder<SessionTables, "session">();
  if (viewer === "everything" || viewer.role === "admin") return where.and([]);
  return where.or([
    where("session.project_id", "in", visibleProjects(viewer)),
    where.and([
      where("session.project_id", "is", null),
      where("session.started_by", "=", viewer.userId),
    ]),
  ]);
}

export function* getSession(id: string, viewer: Viewer): DatabaseWork<Session> {
  const row = yield* queryFirst(
    sessionDb.selectFrom("session").selectAll().where("id", "=", id).where(seesSession(viewer)),
  );
  if (row === undefined) throw notFound("session", id);
  return toSession(row);
}

/** Of those the viewer sees. */
export function* findNewest(viewer: Viewer): DatabaseWork<Session> {
  const { items } = yield* listSessions({ viewer, limit: 1 });
  const [session] = items;
  if (session !== undefined) return session;
  throw new ProductError("session_none", "There is no session yet.", {
    kind: "not_found",
    hint: 'Begin one: session start - --interpretation "…" < prompt.md',
  });
}

export interface SessionFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly repository?: string | undefined;
  readonly projectId?: string | undefined;
  readonly startedBy?: string | undefined;
  readonly states?: readonly SessionState[] | undefined;
}

export function* listSessions(filter: SessionFilter): DatabaseWork<Page<Session>> {
  const plan = planPage(filter);
  const { viewer, repository, projectId, startedBy, states } = filter;
  let select = sessionDb
    .selectFrom("session")
    .selectAll()
    .where(seesSession(viewer))
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (repository !== undefined) select = select.where("repository", "=", repository);
  if (projectId !== undefined) select = select.where("project_id", "=", projectId);
  if (startedBy !== undefined) select = select.where("started_by", "=", startedBy);
  if (states !== undefined) select = select.where("state", "in", [...states]);
  const place = (row: SessionTable) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toSession);
}

/** All of a repository, oldest first; whoever asks for the sake of the repository must know everybody's. */
export function* listSessionsOf(
  repository: string,
  states: readonly SessionState[],
  viewer: Viewer = "everything",
): DatabaseWork<readonly Session[]> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session")
      .selectAll()
      .where("repository", "=", repository)
      .where("state", "in", [...states])
      .where(seesSession(viewer))
      .orderBy("created_at")
      .orderBy("id"),
  );
  return rows.map(toSession);
}

export function toSession(row: SessionTable): Session {
  return {
    id: row.id,
    projectId: row.project_id ?? undefined,
    repository: row.repository,
    vcs: row.vcs,
    state: row.state,
    prompt: row.prompt,
    promptHash: row.prompt_hash,
    interpretation: row.interpretation,
    strategy: row.strategy,
    constraints: JSON.parse(row.constraints) as readonly string[],
    author: { name: row.author_name, email: row.author_email },
    base: {
      changeId: row.base_change,
      commitId: row.base_commit,
      operation: row.base_operation,
    },
    reliesOn:
      row.relies_on_change === null || row.relies_on_commit === null
        ? undefined
        : { changeId: row.relies_on_change, commitId: row.relies_on_commit },
    subject: row.subject ?? undefined,
    summary: row.summary ?? undefined,
    answer: row.answer ?? undefined,
    title: row.title ?? undefined,
    kind: row.kind ?? undefined,
    plan: row.plan === null ? undefined : sessionPlanSchema.parse(JSON.parse(row.plan)),
    scope: row.scope ?? undefined,
    mode: row.mode ?? undefined,
    changeId: row.change_id ?? undefined,
    message: row.message ?? undefined,
    reportPath: row.report_path ?? undefined,
    bookmark: row.bookmark ?? undefined,
    push: row.push ?? undefined,
    pushReason: row.push_reason ?? undefined,
    startedBy: row.started_by,
    version: row.version,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
  };
}
