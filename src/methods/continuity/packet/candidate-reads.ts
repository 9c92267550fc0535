/**
 * The newest of each class of a project's thoughts, read from indexes that hold all it takes: the cost is the
 * same over a hundred thoughts and over a hundred thousand. The caller must see the project.
 */

import {
  type DatabaseWork,
  rowsOf,
  runSql,
  type SqlText,
  together,
} from "../../../kernel/store/database-work.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Total, Totals } from "./packet-material.ts";
import type { Candidate, HighlightCandidate, TaskCandidate } from "./select-thoughts.ts";

const OPEN_STATUSES: readonly TaskStatus[] = ["pending", "in_progress", "waiting", "on_hold"];
const EITHER = [0, 1] as const;

const TASK_CLASSES = OPEN_STATUSES.flatMap((status) =>
  EITHER.flatMap((has_blocker) =>
    EITHER.flatMap((has_open_loop) =>
      EITHER.map((is_pressing) => ({ status, has_blocker, has_open_loop, is_pressing })),
    ),
  ),
);

/**
 * Gives as many as asked for, or some more. How many stands in the text: with a parameter in its place PostgreSQL plans
 * the statement anew every time, which costs more than running it. Powers of two, so that there are few texts.
 */
function limited(make: (limit: number) => SqlText): (limit: number) => SqlText {
  const known = new Map<number, SqlText>();
  return (limit) => {
    const most = 2 ** Math.ceil(Math.log2(limit));
    const text = known.get(most) ?? make(most);
    known.set(most, text);
    return text;
  };
}

const TASK_CELLS = "id, status, has_blocker, has_open_loop, is_pressing, created_at";
const NEWEST = "order by created_at desc, id desc";

/** A row for each class with all its tasks: there may be hundreds of them, and a row each costs more than finding it. */
const newestOfClasses = (project: string, limit: number): string => {
  const classes = TASK_CLASSES.map(
    ({ status, has_blocker, has_open_loop, is_pressing }, index) =>
      `(${index}, '${status}', ${has_blocker}, ${has_open_loop}, ${is_pressing})`,
  );
  const newest = `select id, created_at from task
    where project_id = ${project} and is_inactive = 0 and status = class_each.status
      and has_blocker = class_each.has_blocker and has_open_loop = class_each.has_open_loop and is_pressing = class_each.is_pressing
    ${NEWEST} limit ${limit}`;
  return `with class_each (class, status, has_blocker, has_open_loop, is_pressing) as (values ${classes.join(", ")})
    select class_each.class, (select string_agg(id || ' ' || created_at, ',') from (${newest}) as few_newest) as tasks from class_each`;
};

const NEWEST_TASKS = limited((limit) => ({
  sqlite: newestOfClasses("?1", limit),
  postgres: newestOfClasses("$1", limit),
}));

interface ClassRow {
  readonly class: number;
  /** `ID MOMENT,ID MOMENT…`; null for a class without tasks. */
  readonly tasks: string | null;
}

interface TaskRow {
  readonly id: string;
  readonly status: TaskStatus;
  readonly has_blocker: number;
  readonly has_open_loop: number;
  readonly is_pressing: number;
  readonly created_at: number;
}

export function* readNewestTasks(
  projectId: string,
  limit: number,
): DatabaseWork<readonly TaskCandidate[]> {
  const rows = yield* runSql<ClassRow>(NEWEST_TASKS(limit), [projectId]);
  return rows.flatMap(({ class: index, tasks }) => {
    const found = TASK_CLASSES[index];
    if (found === undefined || tasks === null) return [];
    return tasks.split(",").map((task) => {
      const end = task.lastIndexOf(" ");
      const created_at = Number(task.slice(end + 1));
      return toTaskCandidate({ ...found, id: task.slice(0, end), created_at });
    });
  });
}

export function taskClassOf(task: TaskCandidate): string {
  const { status, hasBlocker, hasOpenLoop, isPressing } = task;
  return `${status} ${hasBlocker} ${hasOpenLoop} ${isPressing}`;
}

const LAST_COMPLETED = limited((limit) =>
  sqlText(
    `select ${TASK_CELLS} from task where project_id = ? and is_inactive = 0 and status = 'completed'
     order by finished_at desc, id desc limit ${limit}`,
  ),
);

export function* readLastCompleted(
  projectId: string,
  limit: number,
): DatabaseWork<readonly TaskCandidate[]> {
  return (yield* runSql<TaskRow>(LAST_COMPLETED(limit), [projectId])).map(toTaskCandidate);
}

const NEWEST_DECISIONS = limited((limit) =>
  sqlText(
    `select thought_id as id, created_at from project_thought
     where project_id = ? and kind = 'decision' order by created_at desc, thought_id desc limit ${limit}`,
  ),
);

export function* readNewestDecisions(
  projectId: string,
  limit: number,
): DatabaseWork<readonly Candidate[]> {
  const rows = yield* runSql<ThoughtRow>(NEWEST_DECISIONS(limit), [projectId]);
  return rows.map(({ id, created_at }) => ({ id, createdAt: created_at }));
}

interface ThoughtRow {
  readonly id: string;
  readonly created_at: number;
}

const highlightsOfClass = (isLabelled: number, project: string, limit: number): string =>
  `select * from (select thought_id as id, is_labelled, created_at from project_thought
   where project_id = ${project} and kind = 'highlight' and is_labelled = ${isLabelled}
   order by created_at desc, thought_id desc limit ${limit}) as class_${isLabelled}`;

const bothClasses = (project: string, limit: number): string =>
  EITHER.map((isLabelled) => highlightsOfClass(isLabelled, project, limit)).join(" union all ");

const NEWEST_HIGHLIGHTS = limited((limit) => ({
  sqlite: bothClasses("?1", limit),
  postgres: bothClasses("$1", limit),
}));

interface HighlightRow extends ThoughtRow {
  readonly is_labelled: number;
}

export function* readNewestHighlights(
  projectId: string,
  limit: number,
): DatabaseWork<readonly HighlightCandidate[]> {
  const rows = yield* runSql<HighlightRow>(NEWEST_HIGHLIGHTS(limit), [projectId]);
  return rows.map(toHighlightCandidate);
}

/** For a decision whose conversation belongs to no project. */
const NEWEST_OF_CONVERSATION = limited((limit) => ({
  sqlite: ofConversation("?1", limit),
  postgres: ofConversation("$1", limit),
}));

function ofConversation(conversation: string, limit: number): string {
  return EITHER.map(
    (isLabelled) =>
      `select * from (select id, ${isLabelled} as is_labelled, created_at from highlight
       where conversation_id = ${conversation} and is_inactive = 0
         and label is ${isLabelled === 1 ? "not " : ""}null
       ${NEWEST} limit ${limit}) as class_${isLabelled}`,
  ).join(" union all ");
}

export function* readNewestOfConversation(
  conversationId: string,
  limit: number,
): DatabaseWork<readonly HighlightCandidate[]> {
  const rows = yield* runSql<HighlightRow>(NEWEST_OF_CONVERSATION(limit), [conversationId]);
  return rows.map(toHighlightCandidate);
}

const TALKS = `from conversation_project l join conversation c on c.id = l.conversation_id
  where l.project_id = ? and c.is_inactive = 0`;

const NEWEST_CONVERSATIONS = limited((limit) =>
  sqlText(
    `select l.conversation_id as id, l.started_at as created_at ${TALKS}
     order by l.started_at desc, l.conversation_id desc limit ${limit}`,
  ),
);

export function* readNewestConversations(
  projectId: string,
  limit: number,
): DatabaseWork<readonly Candidate[]> {
  const rows = yield* runSql<ThoughtRow>(NEWEST_CONVERSATIONS(limit), [projectId]);
  return rows.map(({ id, created_at }) => ({ id, createdAt: created_at }));
}

/** Counting more than this would cost more than it tells; a conversation has to be looked up to be counted. */
const MOST_THOUGHTS = 200;
const MOST_TALKS = 100;

/** In the order of an index: PostgreSQL would else read through the table until it has met enough of them. */
const counting = (most: number, ...sources: readonly string[]) => {
  const few = sources.map(
    (source, index) =>
      `select one from (select 1 as one ${source} limit ${most + 1}) as few_${index}`,
  );
  const text = `select count(*) as n from (${few.join(" union all ")} limit ${most + 1}) as counted`;
  const numbered = (mark: string) => text.replaceAll("{project}", mark);
  return { most, sql: { sqlite: numbered("?1"), postgres: numbered("$1") } };
};

const thoughtsOf = (kind: string): string =>
  `from project_thought where project_id = {project} and kind = '${kind}'
   order by created_at, thought_id`;
const tasksOf = (status: TaskStatus): string =>
  `from task where project_id = {project} and is_inactive = 0 and status = '${status}'
   order by has_blocker, has_open_loop, is_pressing, created_at, id`;

const COUNTS = [
  counting(MOST_THOUGHTS, ...OPEN_STATUSES.map(tasksOf)),
  counting(MOST_THOUGHTS, thoughtsOf("decision")),
  counting(MOST_THOUGHTS, thoughtsOf("highlight")),
  counting(
    MOST_TALKS,
    `${TALKS.replace("?", "{project}")} order by l.started_at, l.conversation_id`,
  ),
];

export function* countThoughts(projectId: string): DatabaseWork<Totals> {
  const results = yield* together(
    COUNTS.map(({ sql }) => ({ kind: "sql", sql, parameters: [projectId] })),
  );
  const total = (position: number): Total => {
    const counted = rowsOf<{ readonly n: number }>(results, position)[0]?.n ?? 0;
    const most = COUNTS[position]?.most ?? 0;
    return { count: Math.min(counted, most), isMore: counted > most };
  };
  return {
    tasks: total(0),
    decisions: total(1),
    highlights: total(2),
    conversations: total(3),
  };
}

/** For a test of their plans: none may grow with the project. */
export const READ_STATEMENTS: Readonly<Record<string, SqlText>> = {
  "the newest tasks of each class": NEWEST_TASKS(8),
  "the task completed last": LAST_COMPLETED(8),
  "the newest decisions": NEWEST_DECISIONS(8),
  "the newest highlights of each class": NEWEST_HIGHLIGHTS(8),
  "the newest highlights of a conversation": NEWEST_OF_CONVERSATION(8),
  "the newest conversations": NEWEST_CONVERSATIONS(8),
  ...Object.fromEntries(COUNTS.map(({ sql }, index) => [`count ${index}`, sql])),
};

export function toTaskCandidate(row: TaskRow): TaskCandidate {
  return {
    id: row.id,
    status: row.status,
    hasBlocker: row.has_blocker === 1,
    hasOpenLoop: row.has_open_loop === 1,
    isPressing: row.is_pressing === 1,
    createdAt: row.created_at,
  };
}

function toHighlightCandidate({ id, is_labelled, created_at }: HighlightRow): HighlightCandidate {
  return { id, isLabelled: is_labelled === 1, createdAt: created_at };
}
