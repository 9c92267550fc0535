/** Everything that can be done with dialectics. */

import type { Operation } from "../../../kernel/operation/operation.ts";
import { documentOperations } from "./document-operations.ts";
import { fileOperations } from "./file-operations.ts";
import { goOnOperations } from "./go-on-operations.ts";
import { recipeOperations } from "./recipe-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { beginOperations } from "./start-operations.ts";

export const dialecticOperations: readonly Operation[] = [
  ...beginOperations,
  ...sessionOperations,
  ...goOnOperations,
  ...documentOperations,
  ...fileOperations,
  ...recipeOperations,
];
