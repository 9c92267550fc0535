/** The input of a run that a schedule starts: its texts may name the time it is for, `{{due.date}}` and the like. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { parseTemplate, renderTemplate } from "../../../kernel/base/template.ts";
import { localText } from "./time-zone.ts";

/** Refuses places that no time fills. */
export function inputWhenDue(input: JsonObject, dueAt: number, zone: string): JsonObject {
  const [date = "", time = ""] = localText(zone, dueAt).split(" ");
  const due = { at: new Date(dueAt).toISOString(), date, time };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, fill(value, due)]));
}

function fill(value: Json, due: JsonObject): Json {
  if (typeof value === "string") return fillText(value, due);
  if (Array.isArray(value)) return value.map((each: Json) => fill(each, due));
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, due)]))
    : value;
}

function fillText(text: string, due: JsonObject): string {
  const rendered = renderTemplate(parseTemplate(text), { due });
  const [first] = rendered.missing;
  if (first === undefined) return rendered.text;
  throw new ProductError(
    "schedule_input_place",
    `Nothing fills {{${first.path}}} in the input of a schedule.`,
    { hint: "There are {{due.at}}, {{due.date}} and {{due.time}}." },
  );
}
