/** Flags are the input's field names in kebab-case. */

import type { InputField } from "../../kernel/operation/input-field.ts";

export function flagOf(fieldName: string): string {
  return fieldName.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

/** Flags that mean the same on every command; no input field may claim one. */
export const RESERVED_FLAGS: ReadonlySet<string> = new Set([
  "help",
  "json",
  "yes",
  "quiet",
  "color",
  "directory",
  "no-input",
  "follow",
]);

/** How a flag's value is written, for help. */
export function valueName({ kind, choices, isRecord, isList }: InputField): string {
  if (choices !== undefined) return choices.join("|");
  if (isRecord && !isList) return "KEY=VALUE|JSON|@FILE";
  if (kind === "json") return "JSON|@FILE";
  return kind === "number" ? "NUMBER" : "TEXT";
}
