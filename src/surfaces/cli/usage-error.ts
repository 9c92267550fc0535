/** What was typed is not a command we know; the fault and the way out are told together. */

import { ProductError } from "../../kernel/base/errors.ts";

export function usageError(code: string, message: string, hint?: string): ProductError {
  return new ProductError(code, message, hint === undefined ? {} : { hint });
}
