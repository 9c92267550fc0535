/**
 * What a valid reply to one call is: a schema made for this call, with exactly the ids its envelope shows, and every
 * gate behind it. A reply that breaks a gate is therefore asked for again once, with the breach named.
 */

import { z } from "zod";
import { type Contract, defineContract } from "../../../kernel/contract/contract.ts";
import type { Step } from "../state/team-records.ts";
import type { TeamState } from "../state/team-state.ts";
import type { Allowed, StepCall } from "../rules/allowed.ts";
import { breachesOf } from "../rules/apply-reply.ts";
import { closedShapes, noteToSelf, reasoning, type Shapes } from "../rules/reply-shapes.ts";
import type { Envelope } from "./envelope.ts";

export function contractOf(state: TeamState, envelope: Envelope): Contract {
  const call = callOf(envelope, null);
  const schema = replySchema(envelope).superRefine((value, context) => {
    for (const { message, path } of breachesOf(state, call, value)) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
  return defineContract({ name: `team.${envelope.step}`, schema });
}

/** The same without the gates, for showing its form. */
export function formContract(envelope: Envelope): Contract {
  return defineContract({ name: `team.${envelope.step}`, schema: replySchema(envelope) });
}

/** Takes any object at all: what a reply that was given up on still holds is judged item by item. */
export const openContract: Contract = defineContract({
  name: "team.reply",
  schema: z.looseObject({ reasoning: z.unknown().optional() }),
});

export function callOf(
  { step, round, memberId, target, validIds }: Envelope,
  exchangeId: string | null,
): StepCall {
  return { step, round, memberId, target, allowed: validIds, exchangeId };
}

function replySchema({ step, validIds, round }: Envelope) {
  const shapes = closedShapes(validIds);
  return z.object({
    reasoning,
    ...FIELDS[step](shapes, validIds, round),
    noteToSelf: noteToSelf.optional(),
  });
}

type Fields = Record<string, z.ZodType>;

const FIELDS: Readonly<Record<Step, (shapes: Shapes, allowed: Allowed, round: number) => Fields>> =
  {
    bootstrap: (shapes, { members }) => ({
      mission: shapes.mission,
      personas: each(shapes.persona, members),
      missingDetails: z
        .array(shapes.missingDetail)
        .max(8)
        .describe("What you were not told and must not make up."),
    }),
    reflect: (shapes, { assignable, criteria, collabs, directives }) => ({
      reflections: each(shapes.reflection, assignable),
      ...among("criteria", shapes.criterionStatus, criteria),
      ...among("collabAnswers", shapes.collabAnswer, collabs),
      ...among("directiveAnswers", shapes.directiveAnswer, directives),
    }),
    plan_assign: (shapes, allowed, round) => ({
      ...among("objectives", shapes.objective, allowed.objectives),
      actions: z.array(possibleActions(shapes, allowed)).max(20),
      assignments: z
        .array(withDueFrom(shapes.assignment, round, allowed.lastRound))
        .max(allowed.assignable.length)
        .describe("Who writes the next version of what. A product is given to one member a round."),
      personalNotes: z
        .array(shapes.personalNote)
        .max(allowed.members.length)
        .describe("A word to a member, for them alone."),
      replacesMission: shapes.mission
        .nullable()
        .describe("null, unless the mission itself must change."),
      replacesPersonas: z
        .array(shapes.persona)
        .max(allowed.members.length)
        .nullable()
        .describe("null, unless a persona no longer fits."),
      halt: shapes.halt
        .optional()
        .describe("Leave it out. Only when the team cannot go on without the person, or is done."),
    }),
    write: ({ version }, { collabs }) => ({
      versions: z
        .array(collabs.length === 0 ? version.omit({ addressed: true }) : version)
        .min(1)
        .max(1)
        .describe("Exactly one: the product you were assigned."),
    }),
    peer_review: (shapes, { collabs }) => ({
      stance: z.enum(["agree", "agree_with_additions", "disagree"]),
      ...(collabs.length === 0
        ? {}
        : {
            agreesWith: z
              .array(shapes.comment.shape.respondsTo.unwrap())
              .max(collabs.length)
              .describe("Comments of others that you share. Do not say them again."),
          }),
      comments: z.array(shapes.comment).max(5).describe("New points only. None is a good answer."),
    }),
    inspect: (shapes, { versions, criteria }) => ({
      inspections: each(shapes.inspection, versions),
      ...among("criteria", shapes.criterionResult, criteria),
      findings: z.array(shapes.finding).max(30).describe("None is a good answer."),
    }),
    envoy: (shapes) => ({ messages: z.array(shapes.message).min(1).max(8) }),
  };

/** One for each id, and no other. */
function each(shape: z.ZodType, ids: readonly string[]): z.ZodType {
  return z
    .array(shape)
    .min(ids.length)
    .max(ids.length)
    .describe(`Exactly one for each of ${ids.join(", ")}.`);
}

/** Left out of the form altogether where there is nothing to say it about. */
function among(field: string, shape: z.ZodType, ids: readonly string[]): Fields {
  return ids.length === 0 ? {} : { [field]: each(shape, ids) };
}

/** Only what can be done now is offered. */
function possibleActions({ actions, action }: Shapes, allowed: Allowed): z.ZodType {
  const { products, acceptable, versions, parents, room } = allowed;
  const possible = [
    ...(room > 0 ? [actions.add] : []),
    ...(acceptable.length > 0 ? [actions.accept] : []),
    ...(versions.length > 1 ? [actions.selectVersion] : []),
    ...(products.length > 1 ? [actions.changeParam, actions.reject, actions.remove] : []),
    ...(parents.length > 1 ? [actions.reparent] : []),
  ];
  const [first, ...rest] = possible;
  if (first === undefined) return action;
  return z.discriminatedUnion("action", [first, ...rest]);
}

function withDueFrom(shape: Shapes["assignment"], round: number, lastRound: number): z.ZodType {
  const dueRound = z
    .int()
    .min(round)
    .max(Math.max(round, lastRound))
    .describe("The round by whose end it must be done.");
  return shape.extend({ dueRound });
}
