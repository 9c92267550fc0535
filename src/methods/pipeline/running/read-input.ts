/** What a run is to work on, as people give it: a JSON object, single values, or both. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { isReservedName } from "../../../kernel/base/json-path.ts";
import { jsonValue } from "../../../kernel/operation/operation-fields.ts";

export const inputFields = {
  input: jsonValue
    .optional()
    .describe("What it works on, a JSON object: `run.input` to its steps."),
  set: z
    .array(z.string().max(100_000))
    .max(100)
    .optional()
    .describe("One value of the input, `name=value`; the value is read as JSON where it is."),
};

export function readInput({
  input: given,
  set: settings = [],
}: {
  readonly input?: Json | undefined;
  readonly set?: readonly string[] | undefined;
}): JsonObject {
  const whole = typeof given === "string" ? tryJson(given) : given;
  if (whole !== undefined && !isJsonObject(whole)) {
    throw new ProductError("input_not_object", "The input of a run is a JSON object.", {
      hint: "Such as '{\"prNumber\": 7}', or --set prNumber=7.",
    });
  }
  const input: Record<string, Json> = { ...whole };
  for (const setting of settings) {
    const cut = setting.indexOf("=");
    const name = setting.slice(0, Math.max(0, cut)).trim();
    if (name === "" || isReservedName(name)) {
      throw new ProductError("setting_unreadable", `"${setting}" does not say name=value.`);
    }
    input[name] = tryJson(setting.slice(cut + 1));
  }
  return input;
}

/** Text that is no JSON stands for itself. */
function tryJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
