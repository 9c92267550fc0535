/** A subflow: another workflow as a run of its own. Its end, whatever it is, is this step's. */

import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { type JsonPath, lookUp } from "../../../kernel/base/json-path.ts";
import { parseTemplate, renderTemplate, templatePaths } from "../../../kernel/base/template.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { workflowOf } from "../catalogue/workflow-of.ts";
import type { MappedInput } from "../workflow/workflow-definition.ts";
import { CALL_WORKFLOW } from "./begin-job.ts";
import { newRunOf } from "./begin-run.ts";
import { endVisit, holdVisit } from "./end-visit.ts";
import { isOpen, loadVisit, valuesOf } from "./load-visit.ts";
import { MAX_DEPTH } from "./run-input.ts";

const CHILD_ENDED = "pipeline.child-ended";
const visitInput = z.object({ visitId: z.string() });

export const callWorkflowHandler: MoveHandler = {
  kind: "move",
  name: CALL_WORKFLOW,
  *decide(job) {
    const { visitId } = visitInput.parse(job.input);
    const visit = yield* loadVisit(visitId);
    const { run, step } = visit;
    if (!isOpen(visit) || step.stepType !== "subflow") return {};
    if (run.input.depth >= MAX_DEPTH) {
      const message = `"${step.name}" would be ${run.input.depth + 1} workflows deep; at most ${MAX_DEPTH} are allowed.`;
      return holdVisit(visit, { code: "subflow_depth", message });
    }
    const ref = run.input.subflows[step.subflowId];
    if (ref === undefined) {
      const message = `"${step.name}" names the workflow "${step.subflowId}", which this run does not know.`;
      return holdVisit(visit, { code: "subflow_unknown", message });
    }
    const { name, definition } = yield* workflowOf(ref);
    const { values } = yield* valuesOf(visit, step.inputMapping.flatMap(pathsOf));
    const mapped = mapInput(step.inputMapping, values);
    if ("missing" in mapped) {
      const message = `"${step.name}" cannot be given "${mapped.name}": ${mapped.missing}.`;
      return holdVisit(visit, { code: "subflow_input", message });
    }
    const { subflows, model, depth, isDry } = run.input;
    const input = { workflow: ref, subflows, input: mapped.input, model, depth: depth + 1, isDry };
    return {
      runs: [
        {
          ...newRunOf(name, definition, input),
          key: visitId,
          onEnd: {
            key: `ended:${visitId}`,
            handler: CHILD_ENDED,
            step: step.id,
            input: { visitId },
          },
        },
      ],
    };
  },
};

const endedInput = visitInput.extend({
  child: z.object({
    runId: z.string(),
    state: z.string(),
    result: z.json(),
    reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  }),
});

export const childEndedHandler: MoveHandler = {
  kind: "move",
  name: CHILD_ENDED,
  *decide(job) {
    const { visitId, child } = endedInput.parse(job.input);
    const visit = yield* loadVisit(visitId);
    if (!isOpen(visit)) return {};
    const info = { run: child.runId };
    if (child.state === "completed") {
      const output: JsonObject = isJsonObject(child.result)
        ? child.result
        : { value: child.result };
      return endVisit(visit, { outcome: "completed", output, info });
    }
    const failure = child.reason ?? {
      code: `subflow_${child.state}`,
      message: `The run it started was ${child.state}.`,
    };
    return endVisit(visit, { outcome: "failed", info: { ...info, failure } });
  },
};

function pathsOf({ from }: MappedInput): readonly JsonPath[] {
  return from.kind === "path" ? [from.path] : templatePaths(parseTemplate(from.text));
}

type Mapped = { readonly input: JsonObject } | { readonly name: string; readonly missing: string };

/** Without a mapping the whole `input` is handed on. */
function mapInput(mapping: readonly MappedInput[], values: JsonObject): Mapped {
  const whole = values["input"];
  if (mapping.length === 0) return { input: isJsonObject(whole) ? whole : {} };
  const input: Record<string, Json> = {};
  for (const { name, from } of mapping) {
    if (from.kind === "template") {
      const { text, missing } = renderTemplate(parseTemplate(from.text), values);
      const [first] = missing;
      if (first) return { name, missing: first.reason };
      input[name] = text;
      continue;
    }
    const found = lookUp(values, from.path);
    if (!found.found) return { name, missing: found.reason };
    input[name] = found.value as Json;
  }
  return { input };
}
