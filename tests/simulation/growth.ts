/** Whether a workspace grows from one day to another by more than what it was given to keep: figures of days, compared. */

export interface DaySample {
  readonly day: number;
  /** By table, when the day is over. */
  readonly rows: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  /** Of the file, without what is free for new work. */
  readonly usedBytes: number;
  /** Asked of the database during the day. */
  readonly statements: number;
  /** Replies of models during the day. */
  readonly steps: number;
  readonly memoryBytes: number;
}

/**
 * The record of what was done: a day adds to it what was done that day and no more. Pruning takes its words, not its
 * rows. Every other table has to stay as large as it was.
 */
const RECORDS: ReadonlySet<string> = new Set(
  `agent_run answer artifact batch conversation conversation_project decision dialectic_artifact dialectic_feedback
   dialectic_session effect event exchange foreach_item harvest harvest_candidate highlight job message notice_message
   packet project project_member project_thought run search_document search_entry session_entry spend step_visit
   task team_action team_collab team_directive team_envelope team_halt team_inspection team_member team_message
   team_mission team_product team_reflection team_refusal team_run team_step team_user_message team_version timer
   wait webhook_delivery workflow_progress workflow_run`.split(/\s+/),
);

const KEPT_SHARE = 1.2;
const KEPT_ROWS = 5;
const DAILY_SHARE = 1.5;
const DAILY_ROWS = 40;
const FILE_SHARE = 1.3;
const FILE_BYTES = 512 * 1024;
const STATEMENTS_SHARE = 1.25;
const MEMORY_BYTES = 12 * 2 ** 20;

/** What grew that should not have, each in a sentence. The first day fills what is filled once: it is left out. */
export function growthOf(days: readonly DaySample[]): readonly string[] {
  const [zeroth, early] = days;
  const [before, late] = days.slice(-2);
  if (!zeroth || !early || !before || !late || late.day < 4)
    throw new Error("Growth shows after four days at the earliest.");
  const named = `day ${early.day} and day ${late.day}`;
  const rowsOf = ({ rows }: DaySample, table: string) => rows[table] ?? 0;
  const ofTables = Object.keys(late.rows).flatMap((table) => {
    const [first, last] = [rowsOf(early, table), rowsOf(late, table)];
    if (!RECORDS.has(table))
      return last <= first * KEPT_SHARE + KEPT_ROWS
        ? []
        : [`${table} should not grow: ${first} and ${last} rows, ${named}`];
    const [added, addedLate] = [first - rowsOf(zeroth, table), last - rowsOf(before, table)];
    return addedLate <= added * DAILY_SHARE + DAILY_ROWS
      ? []
      : [`${table} grows faster: by ${added} and ${addedLate} rows, ${named}`];
  });
  const used = early.usedBytes - zeroth.usedBytes;
  const usedLate = late.usedBytes - before.usedBytes;
  const ratio = perStep(late) / perStep(early);
  const held = late.memoryBytes - early.memoryBytes;
  return [
    ...ofTables,
    ...(usedLate <= used * FILE_SHARE + FILE_BYTES
      ? []
      : [`the store grows faster: by ${used} and ${usedLate} bytes, ${named}`]),
    ...(ratio <= STATEMENTS_SHARE
      ? []
      : [`statements a step: ${perStep(early)} and ${perStep(late)}, ${named}`]),
    ...(held <= MEMORY_BYTES ? [] : [`memory grew by ${held} bytes, ${named}`]),
  ];
}

export function perStep({ statements, steps }: DaySample): number {
  return Math.round((statements / Math.max(1, steps)) * 10) / 10;
}
