/** A model behind a command, such as `claude -p` or `codex exec -`. Nothing in it comes from a prompt. */

import { ProductError } from "../../kernel/base/errors.ts";

export interface CommandConfig {
  /** How messages name it. */
  readonly name: string;
  /** The program and its arguments, passed as they are: no shell, no placeholders. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** Names of variables the program may see besides PATH, HOME, LANG and TZ. */
  readonly passVariables?: readonly string[];
  readonly limits?: Partial<CommandLimits>;
}

export interface CommandLimits {
  /** No output for this long is a stall; many commands print only at the end. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly maxOutputChars: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export const DEFAULT_COMMAND_LIMITS: CommandLimits = {
  idleMs: 600_000,
  totalMs: 600_000,
  maxOutputChars: 10_000_000,
  graceMs: 1_000,
};

const ALWAYS_PASSED = ["PATH", "HOME", "LANG", "TZ"];

/** Built from nothing, so that keys in our own environment reach only the program meant to have them. */
export function commandEnvironment(
  { passVariables = [] }: CommandConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of [...ALWAYS_PASSED, ...passVariables]) {
    const value = environment[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

/** A NUL would silently end an argument or a variable early. */
export function refuseNul(what: string, values: readonly string[]): void {
  if (!values.some((value) => value.includes("\0"))) return;
  throw new ProductError("command_holds_nul", `${what} holds a NUL character.`, {
    hint: "Remove the character; no program can take it.",
  });
}
