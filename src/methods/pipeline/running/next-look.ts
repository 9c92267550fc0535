/**
 * Asking for a look. Every look has a number, and whoever changes something asks for the one that has not been
 * yet: asked for by many at once, it happens once and sees what all of them changed.
 */

import type { NewJob } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { running } from "./run-tables.ts";

export const LOOK = "pipeline.look";

export function lookJob(number: number): NewJob {
  return { key: `look:${number}`, handler: LOOK, step: "route", input: {} };
}

export function* nextLook(runId: string): DatabaseWork<NewJob> {
  const row = yield* queryFirst(
    running.selectFrom("workflow_progress").select("look").where("run_id", "=", runId),
  );
  return lookJob(row?.look ?? 0);
}
