/** What can be typed: operations under their words, and commands of the program itself, described alike. */

import type { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { inputFields } from "../../kernel/operation/input-fields.ts";
import type { CliHints, Operation } from "../../kernel/operation/operation.ts";
import {
  nounOf,
  type OperationRegistry,
  verbOf,
} from "../../kernel/operation/operation-registry.ts";
import type { CliWorld } from "./cli-world.ts";
import { flagOf, RESERVED_FLAGS } from "./flag-name.ts";
import type { GlobalOptions } from "./global-options.ts";

export interface Command {
  readonly words: readonly string[];
  readonly summary: string;
  readonly input: z.ZodType;
  readonly hints: CliHints;
  readonly action: CommandAction;
}

type CommandAction =
  | { readonly kind: "operation"; readonly name: string; readonly effect: Operation["effect"] }
  | {
      readonly kind: "own";
      /** Gives the exit code. */
      readonly run: (world: CliWorld, options: GlobalOptions, input: unknown) => Promise<number>;
    };

/** All commands that begin with one word. Loaded only when that word is typed, so that starting stays quick. */
export interface CommandGroup {
  readonly word: string;
  readonly summary: string;
  /** The heading under which help lists it. */
  readonly heading: string;
  readonly load: () => Promise<readonly Command[]>;
}

export interface CommandSource {
  readonly groups: readonly CommandGroup[];
}

export function toCommand(operation: Operation): Command {
  const { name, summary, input, effect } = operation;
  const hints = operation.surfaces?.cli ?? {};
  const taken = inputFields(input).find((field) => RESERVED_FLAGS.has(flagOf(field.name)));
  if (taken !== undefined) {
    throw new ProductError(
      "operation_malformed",
      `The input "${taken.name}" of "${name}" has a flag's name that all commands share.`,
      {
        kind: "internal",
      },
    );
  }
  return {
    words: hints.words ?? [nounOf(operation), verbOf(operation)],
    summary,
    input,
    hints,
    action: { kind: "operation", name, effect },
  };
}

/** The groups of a registry that is loaded already. */
export function groupsOf(registry: OperationRegistry): readonly CommandGroup[] {
  const byWord = Map.groupBy(registry.operations, (operation) => {
    return operation.surfaces?.cli?.words?.[0] ?? nounOf(operation);
  });
  return [...byWord].map(([word, operations]) => {
    const [first] = operations;
    const noun = registry.nouns.find(({ name }) => name === (first && nounOf(first)));
    const isAlone = operations.length === 1 && first?.surfaces?.cli?.words?.length === 1;
    return {
      word,
      summary: (isAlone ? first.summary : noun?.summary) ?? "",
      heading: noun?.group ?? "Other",
      load: async () => operations.map((operation) => toCommand(operation)),
    };
  });
}
