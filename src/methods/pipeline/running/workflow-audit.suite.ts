/** What must hold of every run of every workflow in a store whose engines have stopped, whatever happened before. */

import assert from "node:assert/strict";
import { auditEngine, rowsOf } from "../../../../tests/scratch/engine-audit.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";
import type { Store } from "../../../kernel/store/store.ts";
import { allowedTransitions } from "../../../kernel/store/task-transitions.ts";

export async function auditWorkflows(store: Store): Promise<void> {
  await auditEngine(store);
  const findings: unknown[] = [];
  await examineStore(store, { report: (finding) => findings.push(finding) });
  assert.deepEqual(findings, [], "the doctor finds nothing");
  await auditTasks(store);
  await auditForeaches(store);
  await auditTransitions(store);
}

async function auditTasks(store: Store): Promise<void> {
  const orphans = await rowsOf(
    store,
    `select v.id, v.step, v.is_routed, v.outcome, t.status, run.state from step_visit v join run on run.id = v.run_id
       left join task t on t.id = v.id
     where v.kind <> 'start' and (t.id is null
       or (v.is_routed = 1 and t.status not in ('completed', 'failed', 'cancelled'))
       or (v.is_routed = 0 and t.status in ('completed', 'failed', 'cancelled')))`,
  );
  assert.deepEqual(orphans, [], "a task is over exactly when its visit is dealt with");
  const open = await rowsOf(
    store,
    `select t.id, t.stage, t.status, run.state from task t join run on run.id = t.run_id
     where run.method = 'pipeline' and run.state in ('completed', 'failed', 'cancelled')
       and t.status not in ('completed', 'failed', 'cancelled')`,
  );
  assert.deepEqual(open, [], "no task is open in a run that is over");
  const unseen = await rowsOf(
    store,
    `select t.id, t.stage, t.hold_reason from task t join run on run.id = t.run_id
     where run.method = 'pipeline' and t.status = 'on_hold'
       and not exists (select 1 from wait w where w.run_id = t.run_id and w.state = 'open' and w.key like 'task:' || t.id || ':%')`,
  );
  assert.deepEqual(unseen, [], "whatever is on hold stands in the inbox");
}

async function auditForeaches(store: Store): Promise<void> {
  const stuck = await rowsOf(
    store,
    `select i.container_id, i.position, i.state from foreach_item i join step_visit v on v.id = i.container_id
     where v.is_routed = 1 and i.state in ('pending', 'live')`,
  );
  assert.deepEqual(stuck, [], "a foreach that is over has no item under way");
  const joins = await rowsOf<{ id: string; sources: string; run_id: string }>(
    store,
    "select id, run_id, sources from step_visit where kind = 'join' and is_dropped = 0 and iteration = 1",
  );
  const joined = joins.flatMap(({ sources }) => JSON.parse(sources) as string[]);
  const containers = new Set(
    (await rowsOf<{ id: string }>(store, "select id from step_visit where kind = 'container'")).map(
      ({ id }) => id,
    ),
  );
  const ofForeaches = joined.filter((id) => containers.has(id));
  assert.equal(new Set(ofForeaches).size, ofForeaches.length, "a foreach is joined once");
}

interface Moved {
  readonly id: string;
  readonly set?: { readonly status?: TaskStatus };
  readonly was?: { readonly status?: TaskStatus };
}

async function auditTransitions(store: Store): Promise<void> {
  const events = await rowsOf<{ data: string }>(
    store,
    "select data from event where type like 'task.%'",
  );
  for (const { data } of events) {
    const { id, set, was } = JSON.parse(data) as Moved;
    if (set?.status === undefined || was?.status === undefined) continue;
    const allowed = allowedTransitions(was.status, { rerun: true });
    assert(allowed.includes(set.status), `task ${id} went from ${was.status} to ${set.status}`);
  }
}
