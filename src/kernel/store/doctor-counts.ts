/** Numbers and derived rows that must agree with the rows they count, and references no foreign key guards. */

import type { Report } from "./finding.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";

export async function checkCounts(snapshot: Snapshot, report: Report): Promise<void> {
  for (const { code, message, hint, sql } of [...COUNTERS, ...DERIVED, ...ORPHANS]) {
    const rows = await snapshot.rows<{ place: string }>(sqlText(`${sql} limit ${SHOWN + 1}`));
    for (const { place } of rows.slice(0, SHOWN)) {
      report({ code, severity: "drift", place, message, hint });
    }
    if (rows.length > SHOWN) {
      report({ code, severity: "drift", place: `more than ${SHOWN} in all`, message, hint });
    }
  }
}

const SHOWN = 100;

interface Rule {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** Gives the places where it does not hold. */
  readonly sql: string;
}

const ENDED = "('completed','failed','cancelled')";
const COUNT_HINT =
  "A fault of the engine: report it. Cancelling the run and starting it anew gets past it.";

function runCounter(column: string, counted: string): Rule {
  return {
    code: "run_counter_wrong",
    message: `Its ${column} is not the number of rows it stands for.`,
    hint: COUNT_HINT,
    sql: `select 'run ' || r.id as place from run r where r.${column} <> (select count(*) from ${counted})`,
  };
}

const COUNTERS: readonly Rule[] = [
  runCounter(
    "open_jobs",
    "job j where j.run_id = r.id and j.state in ('ready','parked','blocked','leased')",
  ),
  runCounter("held_jobs", "job j where j.run_id = r.id and j.state = 'held'"),
  runCounter("open_waits", "wait w where w.run_id = r.id and w.state = 'open'"),
  runCounter("open_timers", "timer t where t.run_id = r.id and t.is_open = 1"),
  runCounter("jobs", "job j where j.run_id = r.id"),
  runCounter("turns", "answer a where a.run_id = r.id"),
  {
    code: "run_use_wrong",
    message: "Its tokens or cost are not the sum of its answers'.",
    hint: "A fault of the engine: report it. Spending shown for this run is not exact.",
    sql: `select 'run ' || r.id as place from run r
      left join (select run_id, sum(input_tokens) as input, sum(output_tokens) as output, sum(cost_micro_usd) as cost
        from answer group by run_id) a on a.run_id = r.id
      where r.input_tokens <> coalesce(a.input, 0) or r.output_tokens <> coalesce(a.output, 0)
        or r.cost_micro_usd <> coalesce(a.cost, 0)`,
  },
  {
    code: "run_counter_wrong",
    message: "Its open_runs is not the number of its children under way.",
    hint: COUNT_HINT,
    sql: `select 'run ' || r.id as place from run r where r.state not in ${ENDED} and r.open_runs <>
      (select count(*) from run c where c.parent_run_id = r.id and c.state not in ${ENDED})`,
  },
  {
    code: "batch_counter_wrong",
    message: "It is closed although something of it remains.",
    hint: COUNT_HINT,
    sql: "select 'batch ' || id as place from batch where is_open = 0 and remaining <> 0",
  },
  {
    code: "lane_counter_wrong",
    message: "It counts more or fewer jobs at work than there are.",
    hint: "Set the lane's limits again: that counts anew.",
    sql: `select 'lane ' || l.name as place from lane l
      where (l.max_running is not null or l.rate_per_minute is not null)
        and l.running <> (select count(*) from job j where j.lane = l.name and j.state = 'leased')`,
  },
  {
    code: "message_count_wrong",
    message: "It does not have as many messages as it says.",
    hint: "Messages were lost or added outside the program; compare with a backup.",
    sql: `select 'conversation ' || c.id as place from conversation c
      where c.message_count <> (select count(*) from message m where m.conversation_id = c.id)`,
  },
];

const REBUILD = "Run `doctor --repair`: these rows are derived and are made again.";

/** Both ways: what should be there and is not, what is there and should not be. */
function thoughtRules(kind: "highlight" | "decision"): readonly Rule[] {
  const wanted = `select t.id as thought_id, t.project_id from ${kind} t
      where t.is_inactive = 0 and t.project_id is not null
    union all select t.id, l.project_id from ${kind} t
      join conversation_project l on l.conversation_id = t.conversation_id
      where t.is_inactive = 0 and t.project_id is null`;
  const message = "A project's list of its thoughts does not fit them.";
  return [
    {
      code: "project_thought_missing",
      message,
      hint: REBUILD,
      sql: `select '${kind} ' || w.thought_id || ' of project ' || w.project_id as place from (${wanted}) w
        where not exists (select 1 from project_thought p
          where p.project_id = w.project_id and p.kind = '${kind}' and p.thought_id = w.thought_id)`,
    },
    {
      code: "project_thought_extra",
      message,
      hint: REBUILD,
      sql: `select '${kind} ' || p.thought_id || ' of project ' || p.project_id as place from project_thought p
        where p.kind = '${kind}' and not exists (select 1 from (${wanted}) w
          where w.thought_id = p.thought_id and w.project_id = p.project_id)`,
    },
  ];
}

const DERIVED: readonly Rule[] = [
  ...thoughtRules("highlight"),
  ...thoughtRules("decision"),
  ...["conversation", "message", "highlight", "task", "decision", "artifact"].map((kind) => ({
    code: "search_entry_extra",
    message: "The search index holds something that is not there.",
    hint: REBUILD,
    sql: `select '${kind} ' || e.item_id as place from search_entry e
      where e.kind = '${kind}' and not exists (select 1 from search_queue)
        and not exists (select 1 from ${kind} t where t.id = e.item_id)`,
  })),
  ...["message", "highlight", "task", "decision"].map((kind) => ({
    code: "search_entry_missing",
    message: "The search index has lost it.",
    hint: REBUILD,
    sql: `select '${kind} ' || t.id as place from ${kind} t
      where ${kind === "message" ? "1 = 1" : "t.is_inactive = 0"} and not exists (select 1 from search_queue)
        and not exists (select 1 from search_entry e where e.kind = '${kind}' and e.item_id = t.id)`,
  })),
];

function orphan(table: string, column: string, parent: string, where = "1 = 1"): Rule {
  return {
    code: "orphan",
    message: `It names a ${parent} that is not there.`,
    hint: "It can be kept; what it came from cannot be shown any more.",
    sql: `select '${table} ' || t.id as place from ${table} t where t.${column} is not null and ${where}
      and not exists (select 1 from ${parent} p where p.id = t.${column})`,
  };
}

const ORPHANS: readonly Rule[] = [
  orphan("run", "project_id", "project"),
  orphan("run", "parent_run_id", "run"),
  orphan("wait", "project_id", "project"),
  orphan("artifact", "project_id", "project"),
  orphan("artifact", "run_id", "run"),
  orphan("task", "run_id", "run"),
  ...["task", "decision", "highlight"].flatMap((table) =>
    ["highlight", "message", "conversation", "run"].map((source) =>
      orphan(table, "source_id", source, `t.source_type = '${source}'`),
    ),
  ),
];
