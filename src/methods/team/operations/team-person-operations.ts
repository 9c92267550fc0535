/** What the person does as a member of the team: answers, accepts, comments, writes, changes the mission. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { inputInvalid, toPointer } from "../../../kernel/operation/input-problems.ts";
import { jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { readFields, readForm } from "../../../kernel/run/answer-form.ts";
import { answerWait } from "../../../kernel/run/answer-wait.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { changeMission, commentOn, judgeProduct, writeVersion } from "../rules/person-acts.ts";
import { HALT_WAIT } from "../running/halts.ts";
import { findRun, putInto } from "./team-context.ts";
import { productField, runField } from "./team-fields.ts";
import { TEAM_FOLLOWED } from "./team-read-operations.ts";

const answered = z.object({ runId: z.string(), choice: z.string() });

const answer = defineOperation({
  name: "team.answer",
  summary: "Answers what the chair asks you; the team goes on from there.",
  effect: "writes",
  permission: "answer",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    text: z.string().max(20_000).optional().describe("Your answer, where one thing is asked."),
    choice: z
      .string()
      .max(50)
      .optional()
      .describe("`answer` unless given; `stop`, `conclude` or `go_on` where that is offered."),
    fields: z
      .record(z.string(), jsonValue)
      .default({})
      .describe("Where several things are asked: `detail1`, `detail2`, …"),
  }),
  output: answered,
  surfaces: {
    cli: {
      positionals: ["runId", "text"],
      render: rendering(answered, ({ runId, choice }) =>
        doneLine(`Answered “${choice}”; ${shortId(runId)} goes on.`),
      ),
      follow: TEAM_FOLLOWED,
      examples: [
        'team answer 0199a1b2 "Readers are twelve years old."',
        "team answer 0199a1b2 --choice conclude",
      ],
    },
    mcp: "full",
  },
  run: async (context, { runId: given, text, choice, fields }) => {
    const { kernel, caller } = context;
    const done = await change(context, function* ({ now }) {
      const { runId, projectId } = yield* findRun(given, caller);
      yield* requireRight(caller, projectId, "answer");
      const [wait] = yield* query(
        db
          .selectFrom("wait")
          .select(["id", "kind", "answers", "form"])
          .where("run_id", "=", runId)
          .where("state", "=", "open")
          .where("kind", "=", HALT_WAIT)
          .orderBy("created_at")
          .orderBy("id"),
      );
      if (wait === undefined) throw nothingAsked();
      const answers = JSON.parse(wait.answers) as string[];
      const form = readForm(wait.kind, answers, JSON.parse(wait.form) as []);
      const chosen = choice ?? answers[0] ?? "answer";
      const [first] = form.fields;
      const filled =
        text === undefined || first === undefined ? fields : { [first.name]: text, ...fields };
      const { values, problems } = readFields(form, chosen, filled);
      if (problems.length > 0) {
        throw inputInvalid(
          problems.map(({ name, message }) => ({ pointer: toPointer(["fields", name]), message })),
        );
      }
      const said = { choice: chosen, fields: values };
      yield* answerWait(kernel.engine, wait.id, { answer: said, by: caller.userId }, now);
      return { runId, choice: chosen };
    });
    kernel.wake();
    return done;
  },
});

function nothingAsked(): ProductError {
  return new ProductError("team_nothing_asked", "The team asks nothing of you at the moment.", {
    kind: "conflict",
    hint: "`team status` shows where it stands; held steps are in the inbox.",
  });
}

const judged = z.object({ runId: z.string(), product: z.string(), status: z.string() });
const reasonField = z.string().trim().min(1).max(2000);

const accept = defineOperation({
  name: "team.accept",
  summary: "Accepts a product, if its definition of done passes and nothing heavy is open.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    product: productField,
    reason: reasonField.default("Accepted by the person the team works for."),
  }),
  output: judged,
  surfaces: {
    cli: {
      positionals: ["runId", "product"],
      render: rendering(judged, ({ product }) => doneLine(`${product} is accepted.`)),
      examples: ["team accept 0199a1b2 p3"],
    },
    mcp: "full",
  },
  run: (context, { runId, product, reason }) =>
    putInto(context, runId, (state) => ({
      puts: judgeProduct(state, { action: "accept", productId: product, reason }),
      result: { product, status: "accepted" },
    })),
});

const reject = defineOperation({
  name: "team.reject",
  summary: "Sends a product back with a reason; what holds it is open again, too.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField, product: productField, reason: reasonField }),
  output: judged,
  surfaces: {
    cli: {
      positionals: ["runId", "product", "reason"],
      render: rendering(judged, ({ product }) => doneLine(`${product} is sent back.`)),
      examples: ['team reject 0199a1b2 p3 "It names no source."'],
    },
    mcp: "full",
  },
  run: (context, { runId, product, reason }) =>
    putInto(context, runId, (state) => ({
      puts: judgeProduct(state, { action: "reject", productId: product, reason }),
      result: { product, status: "rejected" },
    })),
});

const commented = z.object({ runId: z.string(), comment: z.string() });

const comment = defineOperation({
  name: "team.comment",
  summary: "Comments on a product; its owner must answer in the next round.",
  effect: "writes",
  permission: "edit",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    product: productField,
    content: z.string().trim().min(1).max(2000),
    kind: z.enum(["feedback", "question", "suggestion", "concern"]).default("feedback"),
    importance: z
      .int()
      .min(1)
      .max(10)
      .default(6)
      .describe("8 and more keeps the product from being accepted."),
  }),
  output: commented,
  surfaces: {
    cli: {
      positionals: ["runId", "product", "content"],
      render: rendering(commented, ({ comment: id }) => doneLine(`Said as ${id}.`)),
      examples: ['team comment 0199a1b2 p3 "Who is this for?" --importance 8'],
    },
    mcp: "full",
  },
  run: (context, { runId, product, ...given }) =>
    putInto(context, runId, (state) => {
      const { puts, id } = commentOn(state, { productId: product, ...given });
      return { puts, result: { comment: id } };
    }),
});

const written = z.object({ runId: z.string(), version: z.string() });

const write = defineOperation({
  name: "team.write",
  summary: "Writes the next version of a product yourself.",
  effect: "writes",
  permission: "edit",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    product: productField,
    content: z.string().trim().min(1).max(60_000).describe("The whole product as it now reads."),
    summary: z.string().trim().min(1).max(2000).default("Edited by the person the team works for."),
    settles: z
      .array(z.string().max(20))
      .default([])
      .describe("Comments that it settles, such as c7."),
  }),
  output: written,
  surfaces: {
    cli: {
      positionals: ["runId", "product"],
      stdin: "content",
      render: rendering(written, ({ version }) => doneLine(`Kept as ${version}.`)),
      examples: ["team write 0199a1b2 p3 --settles c7 < outline.md"],
    },
    mcp: "full",
  },
  run: (context, { runId, product, content, summary, settles }) =>
    putInto(context, runId, (state) => {
      const { puts, id } = writeVersion(state, {
        productId: product,
        content,
        changeSummary: summary,
        settles,
      });
      return { puts, result: { version: id } };
    }),
});

const changed = z.object({ runId: z.string(), mission: z.string() });

const mission = defineOperation({
  name: "team.mission",
  summary: "Changes the mission; every prompt from now on carries the new one.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    statement: z.string().trim().min(1).max(1000).optional(),
    charter: z.string().trim().min(1).max(8000).optional(),
    objectives: z.array(z.string().trim().min(1).max(300)).min(1).max(8).optional(),
    constraints: z.array(z.string().trim().min(1).max(300)).min(1).max(12).optional(),
  }),
  output: changed,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(changed, ({ mission: id }) => doneLine(`The mission is now ${id}.`)),
      examples: ['team mission 0199a1b2 --constraints "No more than ten pages"'],
    },
    mcp: "full",
  },
  run: (context, { runId, ...given }) => {
    if (Object.values(given).every((value) => value === undefined)) {
      throw new ProductError(
        "team_mission_unchanged",
        "Nothing of the mission was given to change.",
        {
          hint: "Give a statement, a charter, objectives or constraints.",
        },
      );
    }
    return putInto(context, runId, (state) => {
      const puts = changeMission(state, {
        ...(given.statement === undefined ? {} : { statement: given.statement }),
        ...(given.charter === undefined ? {} : { charter: given.charter }),
        ...(given.objectives === undefined ? {} : { objectives: given.objectives }),
        ...(given.constraints === undefined ? {} : { constraints: given.constraints }),
      });
      return { puts, result: { mission: puts.at(-1)?.record.id ?? "" } };
    });
  },
});

export const teamPersonOperations: readonly Operation[] = [
  answer,
  accept,
  reject,
  comment,
  write,
  mission,
];
