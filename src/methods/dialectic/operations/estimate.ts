/** What a pass will take, before it is started: calls by count, tokens and money by estimate. */

import { z } from "zod";
import { skeletonOf } from "../../../kernel/contract/skeleton.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { estimateTokens } from "../../../kernel/model/estimate-tokens.ts";
import type { Usage } from "../../../kernel/model/model-provider.ts";
import { blocks, groupDigits, money, table } from "../../../kernel/operation/terminal-text.ts";
import { identitiesOf, reviewersOf, slotsOf, type Topology } from "../planning/topology.ts";
import type {
  CompiledDomain,
  CompiledInput,
  CompiledStep,
  Partition,
} from "../recipe/compiled-domain.ts";
import { promptPath } from "../recipe/read-domain.ts";
import { contractOf } from "../running/turn-handler.ts";

const stageEstimate = z.object({
  stage: z.string(),
  title: z.string(),
  calls: z.int(),
  documents: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costMicroUsd: z.int().optional(),
});

export const estimateShape = z.object({
  domain: z.string(),
  slots: z.array(z.string()),
  reviewers: z.int(),
  stages: z.array(stageEstimate),
  total: stageEstimate.omit({ stage: true, title: true }),
  cheaper: z.array(
    z.object({ reviewers: z.int(), calls: z.int(), costMicroUsd: z.int().optional() }),
  ),
});

export type Estimate = z.output<typeof estimateShape>;

/** What documents of full passes had, on average; labelled as an estimate wherever it is shown. */
const TOKENS_OF_DOCUMENT = 2_600;
const TOKENS_OF_HEADER = 4_500;
const TOKENS_OF_SHARED_PART = 1_200;

export interface EstimateInputs {
  readonly library: Library;
  readonly domain: CompiledDomain;
  readonly request: string;
  readonly slots: readonly string[];
  readonly reviewers?: number | undefined;
  readonly costOf: (model: string, usage: Usage) => number | undefined;
}

export function estimatePass(inputs: EstimateInputs): Estimate {
  const { domain, slots } = inputs;
  const reviewers = Math.min(slots.length, inputs.reviewers ?? slots.length);
  const stages = stagesOf(inputs, { slots: slots.length, reviewers });
  const fewer = slotsOf({ slots: reviewers - 1 }).toReversed();
  return {
    domain: domain.key,
    slots: [...slots],
    reviewers,
    stages,
    total: totalOf(stages),
    cheaper: fewer.map((count) => {
      const total = totalOf(stagesOf(inputs, { slots: slots.length, reviewers: count }));
      return {
        reviewers: count,
        calls: total.calls,
        ...(total.costMicroUsd === undefined ? {} : { costMicroUsd: total.costMicroUsd }),
      };
    }),
  };
}

function stagesOf(inputs: EstimateInputs, topology: Topology): Estimate["stages"] {
  return inputs.domain.stages.map((stage) => {
    const steps = stage.steps.map((step) => stepEstimate(inputs, step, topology));
    const costs = steps.map(({ cost }) => cost);
    const isPriced = costs.every((cost) => cost !== undefined);
    return {
      stage: stage.key,
      title: stage.title,
      calls: sum(steps.map(({ calls }) => calls)),
      documents: sum(
        stage.steps.map((step, i) =>
          step.outputType === "RenderedDocument" ? (steps[i]?.calls ?? 0) : 0,
        ),
      ),
      inputTokens: sum(steps.map(({ inputTokens }) => inputTokens)),
      outputTokens: sum(steps.map(({ outputTokens }) => outputTokens)),
      ...(isPriced ? { costMicroUsd: Math.round(sum(costs.map((cost) => cost ?? 0))) } : {}),
    };
  });
}

function totalOf(stages: Estimate["stages"]): Estimate["total"] {
  const costs = stages.map(({ costMicroUsd }) => costMicroUsd);
  return {
    calls: sum(stages.map(({ calls }) => calls)),
    documents: sum(stages.map(({ documents }) => documents)),
    inputTokens: sum(stages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(stages.map(({ outputTokens }) => outputTokens)),
    ...(costs.every((cost) => cost !== undefined)
      ? { costMicroUsd: sum(costs.map((cost) => cost ?? 0)) }
      : {}),
  };
}

function stepEstimate(
  { library, domain, request, slots, costOf }: EstimateInputs,
  step: CompiledStep,
  topology: Topology,
) {
  const identities = identitiesOf(step, topology);
  const isPlanner = step.promptType === "Planner";
  const base = isPlanner ? "planner" : "turn";
  const rules = Object.values(domain.overlays).map(({ text }) => text);
  const fixed = [
    library.read(`dialectic/prompts/${base}.md`).text,
    library.read(promptPath(domain.key, step.promptTemplate)).text,
    skeletonOf(contractOf(step)),
    request,
    ...rules,
  ];
  const material = sum(step.inputs.map((input) => tokensOfInput(input, topology)));
  const inputTokens = sum(fixed.map((text) => estimateTokens(text))) + material;
  const outputTokens = isPlanner ? TOKENS_OF_HEADER : TOKENS_OF_DOCUMENT;
  const costs = identities.map(({ slot }) =>
    costOf(slots[slot - 1] ?? "", { inputTokens, outputTokens }),
  );
  return {
    calls: identities.length,
    inputTokens: inputTokens * identities.length,
    outputTokens: outputTokens * identities.length,
    cost: costs.every((cost) => cost !== undefined)
      ? sum(costs.map((cost) => cost ?? 0))
      : undefined,
  };
}

function tokensOfInput(
  { type, multiple, producer, from }: CompiledInput,
  topology: Topology,
): number {
  if (type === "header_context") return TOKENS_OF_SHARED_PART;
  if (type !== "document" && type !== "contribution") return 0;
  if (from === "previous") return 0;
  return TOKENS_OF_DOCUMENT * (multiple ? countOf(producer?.partition ?? "slot", topology) : 1);
}

function countOf(partition: Partition, topology: Topology): number {
  const all = slotsOf(topology);
  const reviews = sum(all.map((lineage) => reviewersOf(lineage, topology).length));
  switch (partition) {
    case "slot":
    case "group":
      return all.length;
    case "lineage":
      return reviews;
    case "pair":
      return reviews * all.length;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

export function renderEstimate({
  domain,
  slots,
  reviewers,
  stages,
  total,
  cheaper,
}: Estimate): string {
  const cells = (each: Estimate["total"]) => [
    groupDigits(each.calls),
    groupDigits(each.documents),
    groupDigits(each.inputTokens),
    groupDigits(each.outputTokens),
    each.costMicroUsd === undefined ? "unknown" : money(each.costMicroUsd),
  ];
  const right = "right" as const;
  return blocks(
    `A full pass of "${domain}" with ${slots.join(", ")}; ${reviewers} of ${slots.length} review each proposal`,
    table(
      [
        { title: "STAGE" },
        { title: "CALLS", align: right },
        { title: "DOCUMENTS", align: right },
        { title: "TOKENS IN", align: right },
        { title: "TOKENS OUT", align: right },
        { title: "COST", align: right },
      ],
      [...stages.map((stage) => [stage.title, ...cells(stage)]), ["All", ...cells(total)]],
    ),
    "Calls are counted; tokens and cost are estimated, without continuations and corrections.",
    cheaper.length === 0
      ? undefined
      : `Cheaper: ${cheaper
          .map(
            (each) =>
              `--reviewers ${each.reviewers} takes ${groupDigits(each.calls)} calls${each.costMicroUsd === undefined ? "" : `, about ${money(each.costMicroUsd)}`}`,
          )
          .join("; ")}.`,
  );
}
