/** Recomputes the hash chain of every stream: nothing missing, nothing changed, nothing put in between. */

import { hashText } from "../base/hash.ts";
import { CHAIN_START, eventHash } from "./events.ts";
import { type Finding, RESTORE_HINT, type Report } from "./finding.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";

interface EventRow {
  readonly stream: string;
  readonly seq: number;
  readonly type: string;
  readonly project_id: string | null;
  readonly actor: string;
  readonly data: string | null;
  readonly data_hash: string;
  readonly at: number;
  readonly previous_hash: string;
  readonly hash: string;
}

export async function checkEvents(snapshot: Snapshot, report: Report): Promise<void> {
  let last: EventRow | undefined;
  for (;;) {
    const page: readonly EventRow[] =
      last === undefined
        ? await snapshot.rows<EventRow>(FIRST_EVENTS)
        : await snapshot.rows<EventRow>(NEXT_EVENTS, [last.stream, last.seq]);
    for (const event of page) {
      const previous: EventRow | undefined = last?.stream === event.stream ? last : undefined;
      for (const finding of wrongWith(event, previous)) report(finding);
      last = event;
    }
    if (page.length === 0) return;
  }
}

function wrongWith(event: EventRow, previous: EventRow | undefined): readonly Finding[] {
  const { stream, seq, data, data_hash, previous_hash, hash } = event;
  const finding = (code: string, message: string): Finding => ({
    code,
    severity: "damage",
    place: `event ${seq} of ${stream}`,
    message,
    hint: RESTORE_HINT,
  });
  const findings: Finding[] = [];
  const expectedSeq = (previous?.seq ?? 0) + 1;
  if (seq !== expectedSeq) {
    findings.push(finding("event_gap", `Events ${expectedSeq} to ${seq - 1} are missing.`));
  } else if (previous_hash !== (previous?.hash ?? CHAIN_START)) {
    findings.push(finding("event_unlinked", "It does not follow from the event before it."));
  }
  if (data !== null && hashText(data) !== data_hash) {
    findings.push(finding("event_data_changed", "What it tells has been changed."));
  }
  if (recomputed(event) !== hash) {
    findings.push(finding("event_changed", "It has been changed since it was written."));
  }
  return findings;
}

function recomputed(event: EventRow): string {
  const { stream, seq, type, actor, at } = event;
  return eventHash({
    previousHash: event.previous_hash,
    stream,
    seq,
    type,
    projectId: event.project_id,
    actor,
    dataHash: event.data_hash,
    at,
  });
}

const COLUMNS = "stream, seq, type, project_id, actor, data, data_hash, at, previous_hash, hash";
const FIRST_EVENTS = sqlText(`select ${COLUMNS} from event order by stream, seq limit 500`);
const NEXT_EVENTS = sqlText(
  `select ${COLUMNS} from event where (stream, seq) > (?, ?) order by stream, seq limit 500`,
);
