/**
 * Ids that a reply may use: exactly those the prompt showed. Build the schema for each call, so a
 * model can neither invent an id nor reach one it was not shown. Ids are never guessed from a near
 * match; the near match only appears in the problem's text.
 *
 *     const review = (shown: string[]) =>
 *       defineContract({ name: "review", schema: z.object({ productId: closedIds("product", shown) }) });
 */

import * as z from "zod";

export function closedIds(noun: string, shown: readonly string[]): z.ZodType<string> {
  const ids = [...new Set(shown)];
  const [first, ...rest] = ids;
  // An empty enum is not a JSON Schema; with nothing shown, nothing may be written.
  if (first === undefined) return z.never().meta({ idsOf: noun });
  return z
    .enum([first, ...rest])
    .meta({ idsOf: noun, description: `Id of a ${noun} listed above.` });
}
