/** A failure for a person, or for a program that asked for JSON. The codes are the same everywhere. */

import { ProductError } from "../../kernel/base/errors.ts";
import { problemsOf } from "../../kernel/operation/input-problems.ts";
import type { Command } from "./command.ts";
import { flagOf } from "./flag-name.ts";
import { toLocalError } from "./local-errors.ts";
import { safeJson, safeText } from "./safe-text.ts";
import type { Style } from "./style.ts";

export const SCHEMA_VERSION = 1;

export function renderErrorJson(error: unknown): string {
  const { code, message, hint, errors, details } = describe(error);
  return safeJson({
    schemaVersion: SCHEMA_VERSION,
    kind: "error",
    error: {
      code,
      message,
      hint,
      ...(errors.length > 0 ? { errors } : {}),
      ...(details === undefined ? {} : { details }),
    },
  });
}

/** Messages may quote what came from outside; they are cleaned before our own colours are put on. */
export function renderErrorText(
  error: unknown,
  command: Command | undefined,
  style: Style,
): string {
  const { code, message, hint, errors } = describe(error);
  const faults = errors.map(({ pointer, message: why }) => `${nameOf(pointer, command)}: ${why}`);
  const [only, ...others] = code === "input_invalid" ? faults : [];
  const told =
    only === undefined ? message : others.length === 0 ? `${only}.` : "The input is not right.";
  const listed = only !== undefined && others.length === 0 ? [] : faults;
  return [
    `${style("red", "error")}: ${safeText(told)} ${style("dim", `(${safeText(code)})`)}`,
    ...listed.map((fault) => `  ${safeText(fault)}`),
    ...(hint === undefined ? [] : [`${style("cyan", "hint")}: ${safeText(hint)}`]),
  ].join("\n");
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly errors: ReturnType<typeof problemsOf>;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

function describe(thrown: unknown): Described {
  const error = toLocalError(thrown);
  if (!(error instanceof ProductError)) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = "This was not foreseen; please report it.";
    return { code: "unexpected", message, hint, errors: [], details: undefined };
  }
  const { errors: _, ...details } = error.details;
  return {
    code: error.code,
    message: error.message,
    hint: error.hint,
    errors: problemsOf(error),
    details: Object.keys(details).length === 0 ? undefined : details,
  };
}

/** `/tags/0` → `--tags 0`, `/fields/url` → `--fields url=…`: as it is typed, not as it is stored. */
function nameOf(pointer: string, command: Command | undefined): string {
  const [, name = "", ...rest] = pointer.split("/");
  if (name === "") return "input";
  const flag = flagOf(name);
  const shown = command?.hints.positionals?.includes(name) ? `<${flag}>` : `--${flag}`;
  if (rest.length === 0) return shown;
  const isRecord = command?.fields.some((field) => field.name === name && field.isRecord) ?? false;
  return `${shown} ${rest.join("/")}${isRecord && rest.length === 1 ? "=…" : ""}`;
}
