/** One version of one workflow, for ever the same: what runs and tasks hold on to. */

import { z } from "zod";

export interface WorkflowRef {
  readonly workflowId: string;
  readonly version: number;
}

export const workflowRef = z.object({
  workflowId: z.string().min(1),
  version: z.number().int().min(1),
});
