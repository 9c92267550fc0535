/**
 * A digest as a run: one turn over the outline of what happened. Words are read when the prompt is made, and again when
 * the reply is kept: what was redacted meanwhile is in neither.
 */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { type PromptTrace, unpackTrace } from "../../../kernel/prompt/prompt-trace.ts";
import type { EffectKind, TurnHandler } from "../../../kernel/run/handler.ts";
import { turnPromptOf } from "../../../kernel/run/turn-prompt.ts";
import { insertArtifact } from "../../../kernel/store/artifacts.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { getProject } from "../../../kernel/store/projects.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { loadRedactionScope, maskDrawn } from "../../../kernel/store/redaction-scope.ts";
import { type DigestWords, digestContract, parseDigestWords } from "./digest-contract.ts";
import { type DigestFacts, readFacts, refsOf } from "./digest-facts.ts";
import { type DigestOutline, digestOutline } from "./digest-outline.ts";
import { compileDigest, marksIn } from "./digest-prompt.ts";
import { dayOf, writeDigest } from "./digest-text.ts";
import { DIGEST_KIND, type DigestSource } from "./digests.ts";

export const DIGEST_TURN = "continuity.digest";
const KEPT = "continuity.digest.kept";

const digestInput = z.object({ projectId: z.string(), model: z.string(), outline: digestOutline });
export type DigestInput = z.output<typeof digestInput>;

export function digestHandler(library: Library, nextId: () => string): TurnHandler {
  return {
    kind: "turn",
    name: DIGEST_TURN,
    lane: (input) => `model:${digestInput.parse(input).model}`,
    *compile(job) {
      const { projectId, model, outline } = digestInput.parse(job.input);
      const { name } = yield* getProject(projectId, "everything");
      const { facts } = yield* readFacts(projectId, outline);
      const scope = yield* loadRedactionScope([projectId]);
      const prompt = compileDigest(library, {
        projectId,
        projectName: name,
        period: outline.period,
        facts,
        passages: scope.passages.map(({ text }) => text),
      });
      return {
        model,
        prompt: turnPromptOf(prompt),
        contract: digestContract(marksIn(prompt, facts)),
        settings: { maxOutputTokens: 4096 },
      };
    },
    *accept(_job, { value }) {
      const digestId = nextId();
      const data: Json = { digestId, words: toJson(parseDigestWords(value)) };
      return {
        effects: [{ key: "digest", kind: KEPT, data }],
        run: { end: { state: "completed", result: { digestId } } },
      };
    },
  };
}

const kept = z.object({ digestId: z.string(), words: z.unknown() });

export const digestEffect: EffectKind = {
  kind: KEPT,
  *apply({ data, job, exchangeId, now }) {
    const { digestId, words } = kept.parse(data);
    const { projectId, outline } = digestInput.parse(job.input);
    const { period } = outline;
    const { name } = yield* getProject(projectId, "everything");
    const facts = yield* readFacts(projectId, outline);
    const body = writeDigest({
      projectName: name,
      period,
      facts,
      words: yield* withoutRedactedWords(projectId, parseDigestWords(words)),
      untold: yield* countUntold(exchangeId),
    });
    yield* insertArtifact(
      {
        id: digestId,
        projectId,
        runId: job.runId,
        jobId: job.id,
        exchangeId,
        kind: DIGEST_KIND,
        identity: `${period.since}-${period.until}`,
        path: `digests/${dayOf(period.since)}-to-${dayOf(period.until)}.md`,
        mediaType: "text/markdown",
        body,
        inputs: [sourceOf(projectId, period, facts), ...thoughtsOf(outline, facts)],
      },
      now,
    );
  },
};

function sourceOf(
  projectId: string,
  { since, until }: DigestInput["outline"]["period"],
  { counts }: DigestFacts,
): Json {
  return { type: "project", id: projectId, since, until, counts } satisfies DigestSource;
}

/** What it tells of: when one of them is redacted later, the digest is not shown any more. */
function thoughtsOf({ items }: DigestOutline, { facts }: DigestFacts): Json[] {
  const told = new Set(facts.map(({ id }) => id));
  const refs = refsOf(items.filter(({ id }) => told.has(id)));
  return [...new Map(refs.map(({ type, id }) => [id, { type, id }])).values()];
}

function* withoutRedactedWords(projectId: string, words: DigestWords): DatabaseWork<DigestWords> {
  const scope = yield* loadRedactionScope([projectId]);
  const mask = (text: string) => maskDrawn(scope, NOWHERE, text);
  const lines = words.lines.map(({ sentence, refs }) => ({ sentence: mask(sentence), refs }));
  return { summary: mask(words.summary), lines };
}

const NOWHERE = { conversationId: null, messageId: null };

function* countUntold(exchangeId: string | undefined): DatabaseWork<number> {
  if (exchangeId === undefined) return 0;
  const row = yield* queryFirst(
    db.selectFrom("exchange").select("trace").where("id", "=", exchangeId),
  );
  if (row === undefined || row.trace === null) return 0;
  const { ledger } = unpackTrace(JSON.parse(row.trace) as Json) as unknown as PromptTrace;
  return ledger.filter(({ outcome, reason }) => outcome === "out" && reason === "budget").length;
}

function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
