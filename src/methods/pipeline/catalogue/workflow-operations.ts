/** Everything that can be done with workflows themselves; running them is in the runtime's operations. */

import type { Operation } from "../../../kernel/operation/operation.ts";
import { workflowChangeOperations } from "./workflow-change-operations.ts";
import { workflowReadOperations } from "./workflow-read-operations.ts";
import { workflowStepOperations } from "./workflow-step-operations.ts";
import { workflowTextOperations } from "./workflow-text-operations.ts";
import { workflowTransferOperations } from "./workflow-transfer-operations.ts";

export const workflowOperations: readonly Operation[] = [
  ...workflowReadOperations,
  ...workflowTextOperations,
  ...workflowChangeOperations,
  ...workflowStepOperations,
  ...workflowTransferOperations,
];
