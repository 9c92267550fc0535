/** What follows from replies and from people, as rows. Each is applied once by its key. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Json } from "../../../kernel/base/json.ts";
import type { Effect } from "../../../kernel/run/decision.ts";
import type { EffectKind } from "../../../kernel/run/handler.ts";
import { insertArtifact } from "../../../kernel/store/artifacts.ts";
import { type DatabaseWork, execute } from "../../../kernel/store/database-work.ts";
import { buildEnvelope } from "../envelope/build-envelope.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { type DroppedSlice, hashOfEnvelope } from "../envelope/render-envelope.ts";
import { STEPS } from "../state/team-records.ts";
import { type Brief, briefShape } from "../state/team-shape.ts";
import { loadTeam, writePuts } from "../state/team-rows.ts";
import type { Put } from "../state/team-state.ts";
import { teamTables } from "../state/team-tables.ts";

const BEGUN = "team.begun";
const PUTS = "team.puts";
const ROUND = "team.round-begun";
const ENDED = "team.ended";
const BRIEF = "team.brief-changed";
export const REPLY = "team.reply";
const ENVELOPE = "team.envelope";

export function begun(brief: Brief, puts: readonly Put[]): Effect {
  return { key: "begun", kind: BEGUN, data: toJson({ brief, puts }) };
}

export function putting(key: string, puts: readonly Put[]): Effect {
  return { key, kind: PUTS, data: toJson({ puts }) };
}

export function roundBegun(round: number): Effect {
  return { key: `round ${round}`, kind: ROUND, data: { round } };
}

export function ended(
  key: string,
  stop: { readonly code: string; readonly message: string },
): Effect {
  return { key, kind: ENDED, data: toJson(stop) };
}

export function briefChanged(key: string, brief: Brief): Effect {
  return { key, kind: BRIEF, data: toJson({ brief }) };
}

export interface EnvelopeNote {
  readonly jobKey: string;
  readonly round: number;
  readonly step: (typeof STEPS)[number];
  readonly memberId: string;
  readonly target: string | null;
  readonly hash: string;
  readonly promptHash: string;
  readonly characters: number;
  readonly budget: number;
  readonly dropped: readonly DroppedSlice[];
}

export function envelopeBuilt(note: EnvelopeNote): Effect {
  return { key: `envelope ${note.jobKey} ${note.hash}`, kind: ENVELOPE, data: toJson(note) };
}

/** Put together by the rules a moment ago; the schema would only say so again. */
const putsData = z.object({ puts: z.array(z.custom<Put>()) });

const begunEffect: EffectKind = {
  kind: BEGUN,
  *apply({ data, job }) {
    const { brief, puts } = putsData.extend({ brief: briefShape }).parse(data);
    yield* execute(
      teamTables.insertInto("team_run").values({
        run_id: job.runId,
        brief: JSON.stringify(brief),
        round: 0,
        stop_code: null,
        stop_message: null,
      }),
    );
    yield* writePuts(job.runId, puts);
  },
};

const putsEffect: EffectKind = {
  kind: PUTS,
  *apply({ data, job }) {
    yield* writePuts(job.runId, putsData.parse(data).puts);
  },
};

const roundEffect: EffectKind = {
  kind: ROUND,
  *apply({ data, job }) {
    const { round } = z.object({ round: z.int() }).parse(data);
    yield* execute(
      teamTables
        .updateTable("team_run")
        .set({ round, stop_code: null, stop_message: null })
        .where("run_id", "=", job.runId),
    );
  },
};

const endedEffect: EffectKind = {
  kind: ENDED,
  *apply({ data, job }) {
    const { code, message } = z.object({ code: z.string(), message: z.string() }).parse(data);
    yield* execute(
      teamTables
        .updateTable("team_run")
        .set({ stop_code: code, stop_message: message })
        .where("run_id", "=", job.runId),
    );
  },
};

const briefEffect: EffectKind = {
  kind: BRIEF,
  *apply({ data, job }) {
    const { brief } = z.object({ brief: briefShape }).parse(data);
    yield* execute(
      teamTables
        .updateTable("team_run")
        .set({ brief: JSON.stringify(brief) })
        .where("run_id", "=", job.runId),
    );
  },
};

/** Being kept is all there is to it: the move that ends the step reads them in their order. */
const replyEffect: EffectKind = { kind: REPLY, *apply() {} };

const envelopeData = z.object({
  jobKey: z.string(),
  round: z.int(),
  step: z.enum(STEPS),
  memberId: z.string(),
  target: z.string().nullable(),
  hash: z.string(),
  promptHash: z.string(),
  characters: z.int(),
  budget: z.int(),
  dropped: z.array(z.object({ slice: z.string(), why: z.string() })),
});

/**
 * What was built a moment ago, by its hash: building it is a pure function of the state, and the effect is applied in
 * the transaction that built it. Nothing depends on finding it here.
 */
const recent = new Map<string, string>();
const MOST_RECENT = 32;

export function rememberBody(hash: string, body: string): void {
  const [oldest] = recent.keys();
  if (recent.size >= MOST_RECENT && oldest !== undefined) recent.delete(oldest);
  recent.set(hash, body);
}

/** Kept in the artifact only; where it is not at hand, it is built again. */
function* bodyFor(runId: string, note: Omit<EnvelopeNote, "dropped">): DatabaseWork<string> {
  const known = recent.get(note.hash);
  if (known !== undefined) return known;
  const envelope = buildEnvelope(yield* loadTeam(runId), note);
  if (hashOfEnvelope(envelope) !== note.hash) {
    throw new ProductError(
      "team_envelope_changed",
      "The state changed while a prompt was made of it.",
      { kind: "internal", hint: "Let the step try again." },
    );
  }
  return bodyOf(envelope);
}

export function bodyOf(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

const envelopeEffect: EffectKind = {
  kind: ENVELOPE,
  *apply({ data, job, now, nextId }) {
    const { dropped, ...note } = envelopeData.parse(data);
    const body = yield* bodyFor(job.runId, note);
    const id = nextId();
    const { round, step, memberId, target, hash } = note;
    const name = [step, memberId, ...(target === null ? [] : [target])].join("-");
    yield* insertArtifact(
      {
        id,
        projectId: job.projectId,
        runId: job.runId,
        jobId: job.id,
        kind: "team.envelope",
        identity: `round ${round}, ${name}`,
        path: `team/round-${round}/${name}.json`,
        mediaType: "application/json",
        body,
      },
      now,
    );
    yield* execute(
      teamTables.insertInto("team_envelope").values({
        run_id: job.runId,
        job_key: note.jobKey,
        artifact_id: id,
        round,
        step,
        member_id: memberId,
        target,
        hash,
        prompt_hash: note.promptHash,
        characters: note.characters,
        budget: note.budget,
        dropped: JSON.stringify(dropped),
      }),
    );
  },
};

export function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

export const teamEffects: readonly EffectKind[] = [
  begunEffect,
  putsEffect,
  roundEffect,
  endedEffect,
  briefEffect,
  replyEffect,
  envelopeEffect,
];
