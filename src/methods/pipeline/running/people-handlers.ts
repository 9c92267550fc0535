/** Steps that people do, and what their answers lead to. */

import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { parseTemplate, renderTemplate, templatePaths } from "../../../kernel/base/template.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { findUser } from "../../../kernel/store/users.ts";
import type { Caps } from "../routing/open-run.ts";
import { type Question, readAnswers } from "../work/question.ts";
import type { AnsweredQuestion } from "../work/task-prompt.ts";
import { ASK_PERSON, isManual, workJob } from "./begin-job.ts";
import { endVisit, holdVisit, toJson } from "./end-visit.ts";
import { type About, ANSWERED, manualWait, questionWait } from "./hold-waits.ts";
import { askKey } from "./job-keys.ts";
import {
  askedVisit,
  cameFrom,
  isOpen,
  type LoadedVisit,
  loadVisit,
  valuesOf,
} from "./load-visit.ts";
import { nextLook } from "./next-look.ts";
import { readOutput } from "./output-form.ts";
import { running } from "./run-tables.ts";
import { AGAIN, type AgainData, ASKED, ITEMS_AGAIN, MARK_JOIN, RAISED } from "./visit-effects.ts";
import { workStep } from "./work-handler.ts";

const visitInput = z.object({ visitId: z.string(), reason: z.string().optional() });

/** Puts a manual step into the inbox: its prompt is what the person is asked to do. */
export const askPersonHandler: MoveHandler = {
  kind: "move",
  name: ASK_PERSON,
  *decide(job) {
    const { visitId, reason } = visitInput.parse(job.input);
    const visit = yield* loadVisit(visitId);
    if (!isOpen(visit)) return {};
    const step = workStep(visit.step);
    const template = parseTemplate(step.prompt ?? visit.step.description ?? visit.step.name);
    const { values } = yield* valuesOf(visit, templatePaths(template));
    const { text } = renderTemplate(template, values);
    const instructions = reason === undefined ? text : `${reason}\n\n${text}`;
    const wait = visit.row.waits + 1;
    return {
      effects: [{ key: `asked:${visitId}:${wait}`, kind: ASKED, data: { visitId } }],
      waits: [
        manualWait(visit.step, askedVisit(visit), wait, {
          instructions,
          input: yield* cameFrom(visit.run, visit.row),
          ...(step.timeoutMs === undefined ? {} : { deadlineAt: job.now + step.timeoutMs }),
        }),
      ],
    };
  },
};

const answeredInput = z.object({
  visitId: z.string(),
  about: z.enum(["manual", "questions", "review", "task", "routing", "cap", "join"]),
  data: z.record(z.string(), z.json()),
  answer: z.object({
    choice: z.string(),
    fields: z.json().optional(),
    note: z.string().optional(),
    by: z.string(),
    at: z.number(),
  }),
});

type Answered = z.output<typeof answeredInput>;

export const answeredHandler: MoveHandler = {
  kind: "move",
  name: ANSWERED,
  *decide(job) {
    const answered = answeredInput.parse(job.input);
    // The visit that a run begins with has no task; only its caps can be asked about.
    if (answered.visitId === job.runId) return yield* aboutStart(job.runId, answered, job.key);
    const visit = yield* loadVisit(answered.visitId);
    if (visit.row.is_routed === 1) return {};
    return yield* ANSWERS[answered.about](visit, answered, job.key);
  },
};

type Answering = (visit: LoadedVisit, answered: Answered, key: string) => DatabaseWork<Decision>;

const ANSWERS: Readonly<Record<About, Answering>> = {
  manual: aboutManual,
  questions: aboutQuestions,
  review: aboutReview,
  task: aboutTask,
  routing: aboutTask,
  cap: aboutCap,
  join: aboutJoin,
};

function* aboutManual(visit: LoadedVisit, { answer }: Answered): DatabaseWork<Decision> {
  if (answer.choice === "complete") return yield* complete(visit, answer);
  const message = answer.note ?? `Rejected by ${yield* nameOf(answer.by)}.`;
  return yield* fail(visit, answer, "rejected", message);
}

function* aboutQuestions(visit: LoadedVisit, answered: Answered): DatabaseWork<Decision> {
  const { answer, data } = answered;
  if (answer.choice !== "answer") return yield* aboutTask(visit, answered);
  const questions = data["questions"] as unknown as readonly Question[];
  const reading = readAnswers(questions, isJsonObject(answer.fields) ? answer.fields : {});
  if (!reading.ok) {
    const problems = reading.problems.map(({ message }) => message).join("; ");
    const reason = { code: "answer_invalid", message: `The answers do not fit: ${problems}` };
    const wait = questionWait(askedVisit(visit), visit.row.waits + 1, questions, reason.message);
    return holdVisit(visit, reason, {}, wait);
  }
  const before = JSON.parse(visit.row.answered) as readonly AnsweredQuestion[];
  const now = questions.flatMap((question): AnsweredQuestion[] => {
    const value = reading.value[question.id];
    return value === undefined ? [] : [{ question, answer: value as Json }];
  });
  return yield* again(visit, { answered: [...before, ...now].map(toJson) });
}

function* aboutReview(visit: LoadedVisit, answered: Answered): DatabaseWork<Decision> {
  const { answer, data } = answered;
  if (answer.choice !== "approve") return yield* aboutTask(visit, answered);
  const { output } = visit.task;
  const note = data["note"];
  return endVisit(visit, {
    outcome: typeof note === "string" ? "continued" : "completed",
    ...(output === undefined ? {} : { output }),
    ...(typeof note === "string" ? { note } : {}),
    by: answer.by,
  });
}

function* aboutTask(visit: LoadedVisit, { answer }: Answered): DatabaseWork<Decision> {
  switch (answer.choice) {
    case "complete":
      return yield* complete(visit, answer);
    case "retry":
      return yield* again(visit, instructionOf(answer));
    case "skip":
      return yield* skip(visit, answer.by);
    default:
      return yield* fail(visit, answer, "given_up", answer.note ?? "Given up by a person.");
  }
}

function* aboutCap(visit: LoadedVisit, answered: Answered, key: string): DatabaseWork<Decision> {
  const { answer } = answered;
  if (answer.choice !== "raise") {
    const isContainer = visit.row.kind === "container";
    if (isContainer) return yield* mark(visit, key, false);
    return yield* fail(visit, answer, "given_up", answer.note ?? "Given up at a limit.");
  }
  return yield* raise(visit.run.runId, answered, key);
}

function* aboutStart(runId: string, answered: Answered, key: string): DatabaseWork<Decision> {
  if (answered.about === "cap" && answered.answer.choice === "raise") {
    return yield* raise(runId, answered, key);
  }
  const reason = { code: "given_up", message: "Given up by a person before it began." };
  return { run: { end: { state: "failed", reason } } };
}

function* raise(
  runId: string,
  { visitId, data, answer }: Answered,
  key: string,
): DatabaseWork<Decision> {
  const given = isJsonObject(answer.fields) ? answer.fields["cap"] : undefined;
  const cap = typeof given === "number" ? given : Number.NaN;
  const details = isJsonObject(data["details"]) ? data["details"] : {};
  const step = typeof details["step"] === "string" ? details["step"] : "";
  const raised: Caps =
    data["code"] === "task_cap"
      ? { tasks: cap }
      : data["code"] === "too_many_items"
        ? { items: { [step]: cap } }
        : { iterations: { [step]: cap } };
  return {
    effects: [{ key, kind: RAISED, data: { visitId, caps: toJson(raised) } }],
    jobs: [yield* nextLook(runId)],
  };
}

/** A foreach whose join cannot go on. */
function* aboutJoin(visit: LoadedVisit, { answer }: Answered, key: string): DatabaseWork<Decision> {
  switch (answer.choice) {
    case "force":
      return yield* mark(visit, key, true);
    case "retry":
    case "skip": {
      const state = answer.choice === "retry" ? "pending" : "skipped";
      return {
        effects: [{ key, kind: ITEMS_AGAIN, data: { containerId: visit.row.id, state } }],
        jobs: [yield* nextLook(visit.row.run_id)],
      };
    }
    default:
      return yield* mark(visit, key, false);
  }
}

export function* mark(visit: LoadedVisit, key: string, isForced: boolean): DatabaseWork<Decision> {
  return {
    effects: [{ key, kind: MARK_JOIN, data: { containerId: visit.row.id, isForced } }],
    jobs: [yield* nextLook(visit.row.run_id)],
  };
}

function* complete(visit: LoadedVisit, { fields, by }: Answered["answer"]): DatabaseWork<Decision> {
  const schema = "outputSchema" in visit.step ? visit.step.outputSchema : undefined;
  const read = readOutput(schema, fields);
  if ("output" in read) {
    return endVisit(visit, { outcome: "completed", output: read.output, by });
  }
  const message = `What was filled in does not fit: ${read.problems.join("; ")}`;
  if (!isManual(visit.step)) return holdVisit(visit, { code: "answer_invalid", message });
  const { id, waits } = visit.row;
  return {
    jobs: [
      {
        key: askKey(id, waits + 1),
        handler: ASK_PERSON,
        step: visit.row.step,
        input: { visitId: id, reason: message },
      },
    ],
  };
}

function* fail(
  visit: LoadedVisit,
  { by }: Answered["answer"],
  code: string,
  message: string,
): DatabaseWork<Decision> {
  const info: JsonObject = { failure: { code, message } };
  return endVisit(visit, { outcome: "failed", info, by });
}

/** Inside a foreach the item is left out; elsewhere the run goes on with what the step was given. */
export function* skip(visit: LoadedVisit, by: string): DatabaseWork<Decision> {
  const output = yield* cameFrom(visit.run, visit.row);
  return endVisit(visit, {
    outcome: "skipped",
    ...(output === null ? {} : { output }),
    by,
  });
}

/** A manual step is asked again; any other is done again by its agent. */
export function* again(
  visit: LoadedVisit,
  given: Pick<AgainData, "answered" | "instruction" | "rerun">,
): DatabaseWork<Decision> {
  const { run, row, task, step } = visit;
  const attempt = row.attempt + 1;
  const data: AgainData = { visitId: row.id, attempt, ...given };
  const effects = [{ key: `again:${row.id}:${attempt}`, kind: AGAIN, data: toJson(data) }];
  if (isManual(step) && !run.input.isDry) {
    const key = askKey(row.id, row.waits + 1);
    const ask = { key, handler: ASK_PERSON, step: step.id, input: { visitId: row.id } };
    return { effects, jobs: [ask] };
  }
  const user = task.assigneeId === undefined ? undefined : yield* findUser(task.assigneeId);
  return { effects, jobs: [workJob(run, row, attempt, user?.isAgent ? user : undefined)] };
}

function instructionOf({ fields, note }: Answered["answer"]): { readonly instruction?: string } {
  const given = isJsonObject(fields) ? fields["instruction"] : undefined;
  const text = typeof given === "string" && given.trim() !== "" ? given : note;
  return text === undefined ? {} : { instruction: text };
}

function* nameOf(userId: string): DatabaseWork<string> {
  const row = yield* queryFirst(
    running.selectFrom("user").select("display_name").where("id", "=", userId),
  );
  return row?.display_name ?? userId;
}
