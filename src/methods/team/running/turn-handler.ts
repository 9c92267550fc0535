/** One call to one member: the envelope is built, kept and rendered, and what comes back is kept until the step ends. */

import { z } from "zod";
import { readReply } from "../../../kernel/contract/read-reply.ts";
import type { Library } from "../../../kernel/library/library.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { JobView, TurnHandler } from "../../../kernel/run/handler.ts";
import { turnPromptOf } from "../../../kernel/run/turn-prompt.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { loadRedactionScope } from "../../../kernel/store/redaction-scope.ts";
import { buildEnvelope } from "../envelope/build-envelope.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { callOf, contractOf, openContract } from "../envelope/reply-contract.ts";
import { hashOfEnvelope, renderEnvelope } from "../envelope/render-envelope.ts";
import type { StepCall } from "../rules/allowed.ts";
import { loadTeam } from "../state/team-rows.ts";
import { STEPS } from "../state/team-records.ts";
import { teamTables } from "../state/team-tables.ts";
import { bodyOf, envelopeBuilt, REPLY, rememberBody, toJson } from "./team-effects.ts";

export const TURN = "team.turn";

export const callInput = z.object({
  step: z.enum(STEPS),
  round: z.int(),
  memberId: z.string(),
  target: z.string().nullable(),
  model: z.string(),
});

/** Replies that nobody could work without: the team waits for a person rather than go on. */
const INDISPENSABLE = new Set(["bootstrap", "plan_assign"]);

export function turnHandler(library: Library): TurnHandler {
  return {
    kind: "turn",
    name: TURN,
    lane: (input) => `model:${callInput.parse(input).model}`,
    *compile(job) {
      const { model, step, memberId, target } = callInput.parse(job.input);
      const state = yield* loadTeam(job.runId);
      const scope = yield* loadRedactionScope(job.projectId === null ? undefined : [job.projectId]);
      const envelope = buildEnvelope(state, { step, memberId, target });
      const { budget } = state.brief;
      const passages = scope.passages.map(({ text }) => text);
      const { prompt, dropped } = renderEnvelope(library, envelope, { budget, passages });
      const hash = hashOfEnvelope(envelope);
      rememberBody(hash, bodyOf(envelope));
      const note = {
        jobKey: job.key,
        round: state.round,
        step,
        memberId,
        target,
        hash,
        promptHash: prompt.hash,
        characters: prompt.characters,
        budget,
        dropped,
      };
      return {
        model,
        prompt: turnPromptOf(prompt),
        contract: contractOf(state, envelope),
        settings: { maxOutputTokens: 16_384 },
        effects: [envelopeBuilt(note)],
      };
    },
    *accept(job, { value, exchangeId }) {
      return keep(job, yield* callAsked(job, exchangeId), value);
    },
    /** Corrected once and still not right: what can be read of it is judged item by item. */
    *giveUp(job, { reason, exchangeId, text }): DatabaseWork<Decision> {
      if (reason.code !== "reply_unreadable") return { hold: reason };
      const reading = readReply(openContract, text, { finish: "stop" });
      const { step } = callInput.parse(job.input);
      if (!reading.ok && INDISPENSABLE.has(step)) return { hold: reason };
      return keep(
        job,
        yield* callAsked(job, exchangeId ?? null),
        reading.ok ? reading.value : text.slice(0, 2000),
      );
    },
  };
}

/** A reply as it waits for the end of its step. */
export const keptReply = z.object({ value: z.unknown(), call: z.custom<StepCall>() });

export function keep(job: Pick<JobView, "key">, call: StepCall, value: unknown): Decision {
  return { effects: [{ key: `reply ${job.key}`, kind: REPLY, data: toJson({ value, call }) }] };
}

/** As the member was asked, whatever has changed since. */
function* callAsked(job: JobView, exchangeId: string | null): DatabaseWork<StepCall> {
  const row = yield* queryFirst(
    teamTables
      .selectFrom("team_envelope")
      .innerJoin("artifact", "artifact.id", "team_envelope.artifact_id")
      .select("artifact.body")
      .where("team_envelope.run_id", "=", job.runId)
      .where("team_envelope.job_key", "=", job.key)
      .orderBy("team_envelope.artifact_id", "desc"),
  );
  if (row !== undefined) return callOf(JSON.parse(row.body ?? "{}") as Envelope, exchangeId);
  const { step, memberId, target } = callInput.parse(job.input);
  return callOf(buildEnvelope(yield* loadTeam(job.runId), { step, memberId, target }), exchangeId);
}
