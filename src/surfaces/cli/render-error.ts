/** A failure for a person, or for a program that asked for JSON. The codes are the same everywhere. */

import { ProductError } from "../../kernel/base/errors.ts";
import { problemsOf } from "../../kernel/operation/input-problems.ts";
import type { Command } from "./command.ts";
import { flagOf } from "./flag-name.ts";
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
  return [
    `${style("red", "error")}: ${safeText(message)} ${style("dim", `(${safeText(code)})`)}`,
    ...errors.map(
      ({ pointer, message: why }) => `  ${safeText(`${nameOf(pointer, command)}: ${why}`)}`,
    ),
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

function describe(error: unknown): Described {
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

/** `/tags/0` → `--tags/0`: as it was typed, not as it is stored. */
function nameOf(pointer: string, command: Command | undefined): string {
  const [, field = "", ...rest] = pointer.split("/");
  if (field === "") return "input";
  const flag = flagOf(field);
  const shown = command?.hints.positionals?.includes(field) ? `<${flag}>` : `--${flag}`;
  return [shown, ...rest].join("/");
}
