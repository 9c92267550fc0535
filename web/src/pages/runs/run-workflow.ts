/** The workflow a run executes, out of what the run was started with. */

import type { Json, Output } from "../../api/operation.ts";

export interface RunWorkflow {
  readonly workflowId: string;
  readonly version: number;
  /** What the run works on. */
  readonly input: Json;
}

export function workflowOf({
  method,
  input,
}: Pick<Output<"run.show">["run"], "method" | "input">): RunWorkflow | undefined {
  if (method !== "pipeline") return undefined;
  const { workflow, input: given = {} } = input as {
    readonly workflow?: { readonly workflowId: string; readonly version: number } | null;
    readonly input?: Json;
  };
  return workflow === undefined || workflow === null ? undefined : { ...workflow, input: given };
}
