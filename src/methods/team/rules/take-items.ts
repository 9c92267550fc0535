/** Takes a reply apart, item by item: one that cannot be read is turned away by itself. */

import type { z } from "zod";
import type { Breach } from "./breach.ts";

export interface Item<Value> {
  readonly value: Value;
  readonly path: readonly (string | number)[];
}

export function takeItems<Shape extends z.ZodType>(
  reply: Readonly<Record<string, unknown>>,
  field: string,
  shape: Shape,
  breaches: Breach[],
): readonly Item<z.output<Shape>>[] {
  const given = reply[field];
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    breaches.push({
      code: "team_reply_unreadable",
      message: "is no list",
      path: [field],
      item: given,
    });
    return [];
  }
  return given.flatMap((item: unknown, place) => {
    const path = [field, place];
    const read = shape.safeParse(item);
    if (read.success) return [{ value: read.data, path }];
    breaches.push({
      code: "team_reply_unreadable",
      message: `cannot be read: ${whyNot(read.error)}`,
      path,
      item,
    });
    return [];
  });
}

function whyNot({ issues }: z.ZodError): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}
