/** A domain's stages in the seed's documentation template, made from the data they describe. */

import type { Contract } from "../../../kernel/contract/contract.ts";
import { exampleOf } from "../../../kernel/contract/example.ts";
import { shapeOf } from "../../../kernel/contract/shape.ts";
import type {
  CompiledDomain,
  CompiledInput,
  CompiledStage,
  CompiledStep,
} from "./compiled-domain.ts";
import { promptPath } from "./read-domain.ts";

const UNKNOWN = "<TBD>";

export function describeDomain(
  domain: CompiledDomain,
  contractOf: (step: CompiledStep) => Contract,
  only?: string,
): string {
  const stages = domain.stages.filter(({ key }) => only === undefined || key === only);
  return `${stages.map((stage) => describeStage(domain, stage, contractOf)).join("\n\n---\n\n")}\n`;
}

function describeStage(
  domain: CompiledDomain,
  stage: CompiledStage,
  contractOf: (step: CompiledStep) => Contract,
): string {
  const ordered = stage.steps.toSorted((a, b) => a.number - b.number);
  return [
    `## Stage: ${stage.title} (\`${stage.key}\`)`,
    "",
    "### Sources of Truth",
    `- \`library/${stage.path}\`: steps, inputs, outputs`,
    `- \`library/dialectic/documents/${domain.key}/\`: ${ordered.map(({ shape }) => `\`${shape.key}.json\``).join(", ")}`,
    `- \`library/${promptPath(domain.key, stage.seedTemplate)}\`: the base of the seed prompt`,
    `- \`library/dialectic/prompts/${domain.key}/\`: the prompt templates of the steps`,
    `- \`library/dialectic/overlays/system.json\`, \`library/dialectic/domains/${domain.key}.json\`: overlays`,
    "",
    `### Recipe: \`${stage.name}\``,
    `- **Recipe Description:** ${filled(stage.description)}`,
    `- **Steps Count:** ${stage.steps.length}`,
    "",
    ...ordered.flatMap((step) => [describeStep(step, contractOf(step)), ""]),
  ]
    .join("\n")
    .trimEnd();
}

function describeStep(step: CompiledStep, contract: Contract): string {
  return [
    `#### Step ${step.number}: \`${step.name}\``,
    `- **Objective:** ${filled(step.objective)}`,
    `- **Prompt Type:** ${step.promptType}`,
    `- **Prompt Template Name:** \`${step.promptTemplate}\``,
    "- **Input Source References:**",
    ...step.inputs.map((input) => `  - ${sayInput(input)}`),
    `- **Output Artifact Description:** ${filled(step.outputDescription)}`,
    "",
    "**Recipe Step Definition JSON (schema):**",
    "```json",
    JSON.stringify(definitionOf(step), null, 2),
    "```",
    "",
    "**Step Outputs Schema:**",
    "```json",
    JSON.stringify(exampleOf(shapeOf(contract)), null, 2),
    "```",
  ].join("\n");
}

function sayInput({
  type,
  stage,
  documentKey,
  required,
  multiple,
  from,
  relevance,
}: CompiledInput): string {
  const marks = [
    required ? "required" : "optional",
    multiple ? "of all slots" : "",
    from === "previous" ? "of the iteration before" : "",
    `relevance ${relevance}`,
  ].filter((mark) => mark !== "");
  return `\`${type}\` ${stage}/${documentKey} (${marks.join(", ")})`;
}

function definitionOf(step: CompiledStep) {
  return {
    current_step: step.number,
    name: step.name,
    prompt_template_name: step.promptTemplate,
    prompt_type: step.promptType,
    inputs_required: step.inputs.map(({ type, stage, documentKey, required, multiple, from }) => ({
      type,
      stage_slug: stage,
      document_key: documentKey,
      required,
      ...(multiple ? { multiple } : {}),
      ...(from === "previous" ? { from } : {}),
    })),
    output_type: step.outputType,
    document_key: step.documentKey,
    granularity_strategy: step.granularity,
  };
}

function filled(text: string): string {
  return text.trim() === "" ? UNKNOWN : text;
}
