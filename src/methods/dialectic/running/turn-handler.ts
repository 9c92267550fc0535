/** One document or one header: its prompt from frozen inputs, its replies into a version of it. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { Contract } from "../../../kernel/contract/contract.ts";
import type { Decision, Effect } from "../../../kernel/run/decision.ts";
import type { JobView, TurnCall, TurnHandler } from "../../../kernel/run/handler.ts";
import { turnPromptOf } from "../../../kernel/run/turn-prompt.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { mostContinuations } from "../dialectic-settings.ts";
import { assembleCalls, partialOf, replyAssembly } from "../document/assemble-reply.ts";
import { documentContract } from "../document/document-contract.ts";
import { headerContract, storedHeader } from "../document/header-contract.ts";
import { inReadingOrder } from "../document/reading-order.ts";
import { gapsIn } from "../document/render-document.ts";
import { askForMore } from "../prompts/continue-prompt.ts";
import type { Material } from "../prompts/prompt-parts.ts";
import { compileStepPrompt } from "../prompts/turn-prompt.ts";
import {
  type CompiledInput,
  type CompiledStep,
  stageOf,
  stepOf,
} from "../recipe/compiled-domain.ts";
import { WRITTEN, type WrittenData } from "./dialectic-effects.ts";
import { type ArtifactTable, dialectic } from "./dialectic-tables.ts";
import { wordsOf } from "./kept-words.ts";
import { loadSession, type Session } from "./load-session.ts";
import { newTurn, nextLook } from "./look-handler.ts";
import { materialName, promptValues } from "./step-values.ts";
import { parseTurnInput, TURN, type TurnInput } from "./turn-input.ts";

const MAX_CORRECTIONS = 2;
const MAX_OUTPUT_TOKENS = 16_384;
/** How often a thing is asked for anew when nothing of what came could be used. */
const MOST_JOBS = 3;

export function turnHandler(nextId: () => string): TurnHandler {
  return {
    kind: "turn",
    name: TURN,
    lane: (input) => `model:${parseTurnInput(input).model}`,
    *compile(job) {
      const input = parseTurnInput(job.input);
      const session = yield* loadSession(job.runId);
      const step = stepFor(session, input);
      const contract = contractOf(step);
      const prompt = compileStepPrompt(yield* promptInputs(session, step, input, contract));
      const { library } = session;
      return {
        model: input.model,
        prompt: turnPromptOf(prompt),
        contract,
        assembly: replyAssembly({
          documentKey: step.shape.key,
          contract,
          ask: (asked, text, refusal) =>
            askForMore(library, asked, {
              title: step.shape.title,
              missing: gapsIn(step.shape, partialOf(contract, text)),
              text,
              refusal,
            }),
        }),
        settings: {
          maxOutputTokens: MAX_OUTPUT_TOKENS,
          maxContinuations: yield* mostContinuations(session.projectId),
          maxCorrections: MAX_CORRECTIONS,
        },
      };
    },
    *accept(job, { value, calls }) {
      const input = parseTurnInput(job.input);
      const session = yield* loadSession(job.runId);
      const step = stepFor(session, input);
      return yield* write(job, input, step, nextId(), {
        value: value as JsonObject,
        state: "complete",
        calls,
      });
    },
    *giveUp(job, { reason, text, calls }) {
      const input = parseTurnInput(job.input);
      const session = yield* loadSession(job.runId);
      const step = stepFor(session, input);
      const value = partialOf(contractOf(step), text);
      const isUsable = step.promptType === "Turn" && Object.keys(value).length > 0;
      if (isUsable && UNFINISHED.has(reason.code)) {
        return yield* write(job, input, step, nextId(), {
          value: value as JsonObject,
          state: "partial",
          calls,
        });
      }
      // A reply that nothing can be made of is asked for anew before a person is.
      const jobs = [...input.jobs, job.id];
      if (!UNFINISHED.has(reason.code) || jobs.length >= MOST_JOBS) return { hold: reason };
      return { jobs: [newTurn(`${job.key}/again${jobs.length}`, { ...input, jobs })] };
    },
  };
}

/** Given up for what the model wrote, not for a call that could not be made. */
const UNFINISHED: ReadonlySet<string> = new Set([
  "reply_unfinished",
  "reply_stuck",
  "reply_unreadable",
  "reply_empty",
]);

function stepFor({ domain }: Session, { identity }: Pick<TurnInput, "identity">): CompiledStep {
  return stepOf(domain, identity.stage, identity.step);
}

export function contractOf(step: CompiledStep): Contract {
  return step.promptType === "Planner" ? headerContract(step) : documentContract(step.shape);
}

interface Reply {
  readonly value: JsonObject;
  readonly state: "complete" | "partial";
  readonly calls: readonly TurnCall[];
}

function* write(
  job: JobView,
  input: TurnInput,
  step: CompiledStep,
  id: string,
  { value, state, calls }: Reply,
): DatabaseWork<Decision> {
  const plan = { documentKey: step.shape.key, contract: contractOf(step) };
  const { setAside } = assembleCalls(plan, calls);
  const { identity, iteration, inputs, model, revision } = input;
  const data: WrittenData = {
    id,
    identity,
    iteration,
    value: step.promptType === "Planner" ? storedHeader(step, value) : value,
    state,
    author: model,
    inputs,
    jobs: [...input.jobs, job.id],
    continuation: Math.max(0, calls.length - 1),
    gaps: state === "complete" ? [] : gapsIn(step.shape, value),
    setAside: setAside as unknown as readonly Json[],
    ...(revision === undefined
      ? {}
      : { basedOn: revision.artifactId, addresses: revision.feedbackIds }),
  };
  const effect: Effect = {
    key: `written:${job.key}`,
    kind: WRITTEN,
    data: data as unknown as Json,
  };
  return {
    effects: [effect],
    jobs: [yield* nextLook(job.runId)],
    events: [
      {
        type: state === "complete" ? "document.written" : "document.written_in_part",
        data: {
          artifact: id,
          stage: step.stage,
          step: step.key,
          key: step.documentKey,
          ...placed(input),
        },
      },
    ],
  };
}

function placed({ identity: { slot, lineage, match } }: TurnInput): JsonObject {
  return { slot, lineage, match };
}

const READ = [
  "id",
  "kind",
  "hash",
  "stage",
  "step",
  "slot",
  "lineage",
  "match",
  "iteration",
  "body",
] as const;

type Read = Pick<ArtifactTable, (typeof READ)[number]>;

function* promptInputs(
  session: Session,
  step: CompiledStep,
  input: TurnInput,
  contract: Contract,
): DatabaseWork<Parameters<typeof compileStepPrompt>[0]> {
  const { domain, library, row, overlays } = session;
  const ids = [...input.inputs.map(({ id }) => id), input.revision?.artifactId ?? ""];
  const rows = yield* query(
    dialectic.selectFrom("dialectic_artifact").select(READ).where("id", "in", ids),
  );
  const byId = new Map<string, Read>(rows.map((each) => [each.id, each]));
  const read = input.inputs.flatMap((ref) => {
    const found = byId.get(ref.id);
    return found === undefined ? [] : [{ ref, found, rule: ruleFor(step, ref) }];
  });
  const seed = read.find(({ ref }) => ref.type === "seed_prompt")?.found;
  const header = read.find(({ ref }) => ref.type === "header_context")?.found;
  const revised = byId.get(input.revision?.artifactId ?? "");
  const stage = stageOf(domain, step.stage);
  return {
    library,
    domain: domain.key,
    step,
    contract,
    overlays,
    values: promptValues(session, stage, step, input.identity),
    seed: seed === undefined ? "" : wordsOf(seed),
    request: row.request,
    header: header && {
      shape: stepOf(domain, header.stage, header.step).shape,
      value: JSON.parse(wordsOf(header)) as JsonObject,
    },
    documents: read
      .filter(({ ref }) => ref.type === "document" || ref.type === "contribution")
      .map(({ found, rule }) => documentMaterial(session, found, rule))
      .toSorted((a, b) => b.relevance - a.relevance),
    feedback: yield* feedbackMaterial(session, step, input),
    ...(revised === undefined
      ? {}
      : {
          revision: {
            document: JSON.stringify(JSON.parse(wordsOf(revised)), null, 1),
            items: yield* itemsOf(session, input.revision?.feedbackIds ?? []),
          },
        }),
  };
}

function ruleFor(
  { inputs }: CompiledStep,
  ref: Pick<TurnInput["inputs"][number], "type" | "stage" | "documentKey">,
): CompiledInput | undefined {
  return inputs.find(
    ({ type, stage, documentKey }) =>
      type === ref.type && stage === ref.stage && documentKey === ref.documentKey,
  );
}

/** Checked JSON, not Markdown: structure that was asked for is not to be guessed again. */
function documentMaterial(
  { domain }: Session,
  found: Read,
  rule: CompiledInput | undefined,
): Material {
  const name = materialName(domain, found);
  const text = inReadingOrder(
    stepOf(domain, found.stage, found.step).shape.fields,
    JSON.parse(wordsOf(found)) as Json,
  );
  return {
    id: found.id,
    hash: found.hash,
    label: rule?.from === "previous" ? `${name}, from iteration ${found.iteration}` : name,
    text: JSON.stringify(text),
    relevance: rule?.relevance ?? 0,
    kind: "document",
  };
}

function* feedbackMaterial(
  session: Session,
  step: CompiledStep,
  { inputs }: TurnInput,
): DatabaseWork<readonly Material[]> {
  const refs = inputs.filter(({ type }) => type === "feedback");
  if (refs.length === 0) return [];
  const rows = yield* listFeedback(refs.map(({ id }) => id));
  return rows.map((row) => {
    const ref = refs.find(({ id }) => id === row.id);
    const { shape } = stepOf(session.domain, row.stage, row.step);
    return {
      id: row.id,
      hash: row.hash,
      label: `On ${materialName(session.domain, row)}${sectionOf(shape, row.section)}`,
      text: row.body,
      relevance: (ref && ruleFor(step, ref)?.relevance) ?? 0,
      kind: "feedback",
    };
  });
}

function* itemsOf(session: Session, ids: readonly string[]): DatabaseWork<readonly string[]> {
  const rows = yield* listFeedback(ids);
  return rows.map(({ stage, step, section, body }) => {
    const { shape } = stepOf(session.domain, stage, step);
    const where = section === "" ? "On the whole" : `On "${titleOf(shape, section)}"`;
    return `${where}: ${body.replaceAll("\n", "\n  ")}`;
  });
}

function* listFeedback(ids: readonly string[]) {
  if (ids.length === 0) return [];
  return yield* query(
    dialectic.selectFrom("dialectic_feedback").selectAll().where("id", "in", ids).orderBy("id"),
  );
}

function sectionOf(shape: CompiledStep["shape"], section: string): string {
  return section === "" ? "" : `, "${titleOf(shape, section)}"`;
}

function titleOf({ fields }: CompiledStep["shape"], section: string): string {
  return fields.find(({ key }) => key === section)?.title ?? section;
}
