/** One field of an operation's input where people write text: what a command line or a query must know of it. */

import { ProductError } from "../base/errors.ts";
import { parseJson } from "../base/safe-json.ts";
import { inputInvalid, toPointer } from "./input-problems.ts";

export interface InputField {
  readonly name: string;
  readonly kind: "string" | "number" | "boolean" | "json";
  /** Given several times, or as a JSON list. `kind` is then that of the items. */
  readonly isList: boolean;
  /** A map of values under free keys; may also be written `key=value`. */
  readonly isRecord: boolean;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly choices: readonly string[] | undefined;
  readonly description: string | undefined;
  readonly default: unknown;
}

/**
 * Text as a person wrote it → the value the schema expects. What does not fit is passed on as it is,
 * so that the schema's own complaint reaches the person; only broken JSON is refused here.
 */
export function readFieldText(field: Omit<InputField, "isList">, text: string): unknown {
  switch (field.kind) {
    case "number":
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "json":
      return readJson(field.name, text);
    default:
      return text;
  }
}

function readJson(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    throw inputInvalid([{ pointer: toPointer([name]), message: error.message }]);
  }
}
