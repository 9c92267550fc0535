/** An operation as something to type: all that reading its arguments and showing its help takes. Plain data: it travels. */

import type { InputField } from "./input-field.ts";
import { inputFields } from "./input-fields.ts";
import type { CliHints, Operation } from "./operation.ts";
import { nounOf, verbOf } from "./operation-name.ts";

export interface CommandDescription {
  /** The operation's name. */
  readonly name: string;
  readonly effect: Operation["effect"];
  readonly words: readonly string[];
  readonly summary: string;
  readonly fields: readonly InputField[];
  readonly hints: CommandHints;
}

export type CommandHints = Pick<
  CliHints,
  "positionals" | "destroysWith" | "stdin" | "paste" | "files" | "examples" | "follow" | "review"
>;

export function describeCommand(operation: Operation): CommandDescription {
  const { name, effect, summary, input } = operation;
  const { words, untyped = [], render: _, outcome: __, ...hints } = operation.surfaces?.cli ?? {};
  return {
    name,
    effect,
    words: words ?? [nounOf(operation), verbOf(operation)],
    summary,
    fields: inputFields(input).filter((field) => !untyped.includes(field.name)),
    hints,
  };
}

/** What a list of commands shows of each. */
export function listCommand(operation: Operation) {
  const { name, effect, permission, summary, surfaces } = operation;
  return {
    name,
    effect,
    permission,
    summary,
    word: surfaces?.cli?.words?.[0] ?? nounOf(operation),
  };
}

/** The operations whose commands begin with a word. */
export function operationsUnder(word: string, operations: readonly Operation[]) {
  return operations.filter(
    (operation) => (operation.surfaces?.cli?.words?.[0] ?? nounOf(operation)) === word,
  );
}
