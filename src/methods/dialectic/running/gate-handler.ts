/** What a person said at the end of a stage: go on, begin again with what was learned, or finish. */

import type { Json } from "../../../kernel/base/json.ts";
import { isJsonObject } from "../../../kernel/base/json.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { MOVED, type MovedData } from "./dialectic-effects.ts";
import { loadSession, type Session } from "./load-session.ts";
import { advance, GATE, lookJob } from "./look-handler.ts";

export const gateHandler: MoveHandler = {
  kind: "move",
  name: GATE,
  *decide(job) {
    const session = yield* loadSession(job.runId);
    const { answer } = job.input as {
      readonly answer?: { readonly choice: string; readonly fields?: Json };
    };
    const fields = isJsonObject(answer?.fields) ? answer.fields : {};
    const from = typeof fields["from"] === "string" ? fields["from"] : undefined;
    return passGate(session, answer?.choice ?? "next", from);
  },
};

export function passGate(session: Session, choice: string, from?: string): Decision {
  const { domain, row } = session;
  const at = domain.stages.findIndex(({ key }) => key === row.stage);
  const next = domain.stages[at + 1];
  const look = lookJob(row.look);
  if (choice === "next" && next !== undefined) {
    return {
      effects: [advance(session, next)],
      jobs: [look],
      events: [{ type: "stage.begun", data: { stage: next.key, iteration: row.iteration } }],
    };
  }
  if (choice === "iterate") {
    const stage = domain.stages.find(({ key }) => key === from) ?? domain.stages[0];
    const data: MovedData = {
      stage: stage?.key ?? row.stage,
      iteration: row.iteration + 1,
      status: `running_${stage?.key ?? row.stage}`,
    };
    return {
      effects: [movedBy(session, data)],
      jobs: [look],
      events: [{ type: "iteration.begun", data: { stage: data.stage, iteration: data.iteration } }],
    };
  }
  const data: MovedData = { stage: row.stage, iteration: row.iteration, status: "finished" };
  return {
    effects: [movedBy(session, data)],
    run: { end: { state: "completed", result: { iteration: row.iteration } } },
  };
}

function movedBy({ row }: Session, data: MovedData) {
  return {
    key: `moved:${row.gates}:${data.status}:${data.iteration}`,
    kind: MOVED,
    data: data as unknown as Json,
  };
}
