/** Decisions about one visit: its work is done, it waits for a person, it is tried again. */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { Reason } from "../../../kernel/run/limits.ts";
import { taskWait } from "./hold-waits.ts";
import { askedVisit, type LoadedVisit } from "./load-visit.ts";
import { lookJob } from "./next-look.ts";
import { ENDED, type EndedData, HELD, type HeldData } from "./visit-effects.ts";

/** Routed by the next look. */
export function endVisit({ row, run }: LoadedVisit, ended: Omit<EndedData, "visitId">): Decision {
  const data: EndedData = { visitId: row.id, ...ended };
  return {
    effects: [
      { key: `ended:${row.id}:${row.attempt}:${row.waits}`, kind: ENDED, data: toJson(data) },
    ],
    jobs: [lookJob(run.look)],
  };
}

/** On hold with a reason, and in the inbox; `wait` unless the usual choices fit. Its place is free for others. */
export function holdVisit(
  visit: LoadedVisit,
  reason: Reason,
  held: Omit<HeldData, "visitId" | "reason"> = {},
  wait = taskWait(
    visit.step,
    askedVisit(visit),
    visit.row.waits + 1,
    reason,
    objectOf(held.output),
  ),
): Decision {
  const data: HeldData = { visitId: visit.row.id, reason: reason.message, ...held };
  return {
    effects: [
      { key: `held:${visit.row.id}:${visit.row.waits + 1}`, kind: HELD, data: toJson(data) },
    ],
    waits: [wait],
    jobs: [lookJob(visit.run.look)],
  };
}

function objectOf(output: Json | undefined): JsonObject | undefined {
  return isJsonObject(output) ? output : undefined;
}

/** Effects are plain JSON; what is undefined is left out. */
export function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
