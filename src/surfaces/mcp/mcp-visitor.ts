/** Who came in, as far as this surface must know: what they may do, and the way to the operations in their name. */

import type { Permission } from "../../kernel/operation/caller.ts";
import type { Progress } from "../../kernel/operation/operation.ts";

export interface McpVisitor {
  may(permission: Permission): boolean;
  /** Gives the operation's output; throws what it throws. */
  invoke(name: string, input: unknown, options: VisitOptions): Promise<unknown>;
}

export interface VisitOptions {
  readonly signal: AbortSignal;
  readonly report?: ((progress: Progress) => void) | undefined;
}
