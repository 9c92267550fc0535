/** Everything that can be done with dialectics. */

import type { Operation } from "../../../kernel/operation/operation.ts";
import { documentOperations } from "./document-operations.ts";
import { fileOperations } from "./file-operations.ts";
import { recipeOperations } from "./recipe-operations.ts";
import { sessionOperations } from "./session-operations.ts";

export const dialecticOperations: readonly Operation[] = [
  ...sessionOperations,
  ...documentOperations,
  ...fileOperations,
  ...recipeOperations,
];
