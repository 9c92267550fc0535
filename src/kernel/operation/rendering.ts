/** Ties a view to the shape it shows, so that a terminal over HTTP and one in the same process show the same. */

import type { z } from "zod";

export function rendering<Output extends z.ZodType>(
  output: Output,
  view: (value: z.output<Output>) => string,
): (shown: unknown) => string {
  return (shown) => view(output.parse(shown));
}

/** The line under a page that is not the last. */
export function moreLine(nextCursor: string | undefined): string | undefined {
  return nextCursor === undefined ? undefined : `There are more: --cursor ${nextCursor}`;
}
