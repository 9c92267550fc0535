/** An automated task: its prompt from the run, its reply into what became of it. Never completed unread. */

import * as z from "zod";
import { parseTemplate, templatePaths } from "../../../kernel/base/template.ts";
import type { Library } from "../../../kernel/library/library.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { TurnHandler } from "../../../kernel/run/handler.ts";
import type { Reason } from "../../../kernel/run/limits.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { findUser } from "../../../kernel/store/users.ts";
import type { WorkStep } from "../work/task-data.ts";
import { type Finished, outcomeOf, withSuggestedTags } from "../work/task-outcome.ts";
import { type AnsweredQuestion, compileTaskPrompt, type Guidance } from "../work/task-prompt.ts";
import { type TaskReply, taskReplyContract } from "../work/task-reply.ts";
import type { WorkflowStep } from "../workflow/workflow-definition.ts";
import { WORK, workJob } from "./begin-job.ts";
import { endVisit, holdVisit, toJson } from "./end-visit.ts";
import { questionWait, reviewWait } from "./hold-waits.ts";
import { askedVisit, isOpen, type LoadedVisit, loadVisit, valuesOf } from "./load-visit.ts";
import { running } from "./run-tables.ts";
import { AGAIN, type AgainData, STARTED } from "./visit-effects.ts";

const workInput = z.object({ visitId: z.string(), model: z.string() });

/** Attempts after the first, where the step says nothing. */
const RETRIES = 2;
const RETRY_MS = 2_000;

export function workHandler(library: Library): TurnHandler {
  return {
    kind: "turn",
    name: WORK,
    lane: (input) => `model:${workInput.parse(input).model}`,
    *compile(job) {
      const { visitId, model } = workInput.parse(job.input);
      const visit = yield* loadVisit(visitId);
      const step = workStep(visit.step);
      const paths = templatePaths(parseTemplate(step.prompt ?? ""));
      const { assigneeId } = visit.task;
      const agent = assigneeId === undefined ? undefined : yield* findUser(assigneeId);
      const { values, lists } = yield* valuesOf(visit, paths);
      const { turnPrompt, unknownPaths } = compileTaskPrompt({
        library,
        task: visit.task,
        step: visit.run.input.workflow === null ? undefined : step,
        ...(agent?.isAgent ? { agent } : {}),
        scope: values,
        lists,
        guidance: yield* guidanceFor(visit),
      });
      return {
        model,
        prompt: turnPrompt,
        contract: taskReplyContract(step),
        settings: step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs },
        effects: [
          {
            key: `started:${job.key}`,
            kind: STARTED,
            data: { visitId, unknownPaths: unknownPaths.map(({ path }) => path) },
          },
        ],
      };
    },
    *accept(job, { value, exchangeId }) {
      const visit = yield* loadVisit(workInput.parse(job.input).visitId);
      if (!isOpen(visit)) return {};
      return yield* decide(visit, value as TaskReply, workInput.parse(job.input).model, {
        exchangeId,
        now: job.now,
      });
    },
    *giveUp(job, { reason, exchangeId, text }) {
      const visit = yield* loadVisit(workInput.parse(job.input).visitId);
      if (!isOpen(visit)) return {};
      const info = { failure: toJson(reason), exchange: exchangeId ?? null };
      const soFar = text === "" ? {} : { output: { text } };
      return holdVisit(visit, reason, { info, ...soFar });
    },
  };
}

interface Reply {
  readonly exchangeId: string;
  readonly now: number;
}

function* decide(
  visit: LoadedVisit,
  reply: TaskReply,
  model: string,
  { exchangeId, now }: Reply,
): DatabaseWork<Decision> {
  const { step, row, task } = visit;
  const work = workStep(step);
  const said = {
    summary: reply.summary,
    tags: withSuggestedTags(task.tags, reply),
    info: {
      status: reply.status,
      nextAction: reply.nextAction,
      suggestedNextStage: reply.metadata?.suggested_next_stage ?? null,
      exchange: exchangeId,
    },
    ...(reply.metadata?.confidence === undefined ? {} : { confidence: reply.metadata.confidence }),
  };
  const outcome = outcomeOf(reply, { minConfidence: work.minConfidence });
  const next = row.waits + 1;
  switch (outcome.kind) {
    case "completed":
    case "followed_up":
      return endVisit(visit, { ...said, ...finishedData(outcome) });
    case "review": {
      const { finished } = outcome;
      const note = finished.kind === "followed_up" ? finished.description : undefined;
      const wait = reviewWait(step, askedVisit(visit), next, outcome.reason, {
        output: finished.output,
        note,
      });
      return holdVisit(visit, outcome.reason, { ...said, output: finished.output }, wait);
    }
    case "asked": {
      const reason = { code: "questions", message: `The agent asks: ${reply.summary}` };
      const questions = outcome.questions.map(toJson);
      const wait = questionWait(askedVisit(visit), next, outcome.questions, reason.message);
      return holdVisit(visit, reason, { ...said, questions }, wait);
    }
    case "held": {
      const output = reply.output ?? reply.outputSoFar;
      return holdVisit(visit, outcome.reason, {
        ...said,
        ...(output === undefined ? {} : { output }),
      });
    }
    case "retry":
      if (row.attempt <= (work.retries ?? RETRIES)) {
        return tryAgain(visit, outcome.reason, model, now);
      }
      return endVisit(visit, {
        ...said,
        outcome: "failed",
        info: { ...said.info, failure: toJson(outcome.reason) },
      });
  }
}

function finishedData(finished: Finished) {
  return finished.kind === "completed"
    ? ({ outcome: "completed", output: finished.output } as const)
    : ({ outcome: "continued", output: finished.output, note: finished.description } as const);
}

function tryAgain(visit: LoadedVisit, reason: Reason, model: string, now: number): Decision {
  const { row, run } = visit;
  const attempt = row.attempt + 1;
  const data: AgainData = { visitId: row.id, attempt, note: reason.message };
  const agent = { model } as Parameters<typeof workJob>[3];
  return {
    effects: [{ key: `again:${row.id}:${attempt}`, kind: AGAIN, data: toJson(data) }],
    jobs: [workJob(run, row, attempt, agent, now + RETRY_MS * 2 ** (row.attempt - 1))],
  };
}

/** What was said since: by the step before, by an attempt that failed, by people who were asked. */
function* guidanceFor({ row }: LoadedVisit): DatabaseWork<Guidance> {
  const answers = JSON.parse(row.answered) as readonly AnsweredQuestion[];
  const before =
    row.kind === "follow_up"
      ? yield* queryFirst(
          running
            .selectFrom("step_visit")
            .select("note")
            .where("id", "=", row.from_id ?? ""),
        )
      : undefined;
  return {
    ...(before?.note ? { followUp: before.note } : {}),
    ...(row.note === null ? {} : { earlierFailure: row.note }),
    ...(answers.length === 0 ? {} : { answers }),
  };
}

export function workStep(step: WorkflowStep): WorkStep & WorkSettings {
  if (step.stepType === "decision" || step.stepType === "subflow") {
    throw new Error(`"${step.id}" is a ${step.stepType}; it has no work of its own.`);
  }
  return step;
}

interface WorkSettings {
  readonly minConfidence: number | undefined;
  readonly retries: number | undefined;
  readonly timeoutMs: number | undefined;
}
