/** What a dry run showed: the way it took, and every prompt as it would be sent. */

import type { Json } from "../../../kernel/base/json.ts";
import { readMessages } from "../../../kernel/run/stored-messages.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { running } from "./run-tables.ts";

export interface DryRun {
  runId: string;
  state: string;
  reason: string | undefined;
  /** What every prompt begins with. */
  instructions: string | undefined;
  visits: DryVisit[];
  result: Json;
}

interface DryVisit {
  step: string;
  title: string;
  status: string;
  item: number | undefined;
  /** Without the instructions that all share. */
  prompt: string | undefined;
  output: Json;
  problem: string | undefined;
  /** What its prompt names and nothing filled. */
  unknownPaths: string[];
}

export function* dryRunOf(runId: string): DatabaseWork<DryRun> {
  const run = yield* queryFirst(
    running.selectFrom("run").select(["state", "reason", "result"]).where("id", "=", runId),
  );
  const tasks = yield* query(
    running
      .selectFrom("step_visit as v")
      .innerJoin("task as t", "t.id", "v.id")
      .select([
        "v.id",
        "v.step",
        "v.scope",
        "t.title",
        "t.status",
        "t.output",
        "t.hold_reason",
        "t.additional_info",
      ])
      .where("v.run_id", "=", runId)
      .orderBy("v.id"),
  );
  const exchanges = yield* query(
    running
      .selectFrom("exchange")
      .innerJoin("job", "job.id", "exchange.job_id")
      .select(["exchange.id", "exchange.messages", "job.input"])
      .where("exchange.run_id", "=", runId)
      .orderBy("exchange.id"),
  );
  const prompts = new Map<string, string>();
  let instructions: string | undefined;
  for (const { messages, input } of exchanges) {
    const { visitId } = JSON.parse(input) as { visitId: string };
    if (prompts.has(visitId)) continue;
    const texts = (yield* readMessages(messages)).map(({ text }) => text);
    instructions ??= texts[0];
    prompts.set(visitId, texts.filter((text) => text !== instructions).join("\n\n"));
  }
  return {
    runId,
    state: run?.state ?? "queued",
    reason: run?.reason ? (JSON.parse(run.reason) as { message: string }).message : undefined,
    instructions,
    result: run?.result ? (JSON.parse(run.result) as Json) : null,
    visits: tasks.map(
      ({ id, step, scope, title, status, output, hold_reason, additional_info }) => ({
        step,
        title,
        status,
        item: scope === "" ? undefined : Number(scope.slice(scope.lastIndexOf("/") + 1)),
        prompt: prompts.get(id),
        output: output === null ? null : (JSON.parse(output) as Json),
        problem: hold_reason ?? undefined,
        unknownPaths: unknownPathsIn(additional_info),
      }),
    ),
  };
}

function unknownPathsIn(info: string | null): string[] {
  const { unknownPaths } = JSON.parse(info ?? "{}") as { unknownPaths?: string[] };
  return unknownPaths ?? [];
}
