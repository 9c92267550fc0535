/** What can be typed: operations under their words, and commands of the program itself, described alike. */

import { ProductError } from "../../kernel/base/errors.ts";
import type {
  CommandDescription,
  CommandHints,
} from "../../kernel/operation/command-description.ts";
import type { InputField } from "../../kernel/operation/input-field.ts";
import { type IndexedNoun, wordsOf } from "../../kernel/operation/noun-index.ts";
import type { Operation } from "../../kernel/operation/operation.ts";
import type { CliWorld } from "./cli-world.ts";
import { flagOf, RESERVED_FLAGS } from "./flag-name.ts";
import type { GlobalOptions } from "./global-options.ts";

export interface Command {
  readonly words: readonly string[];
  readonly summary: string;
  readonly fields: readonly InputField[];
  readonly hints: CommandHints;
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
  /** `directory` is the one asked for before the command, if any was. */
  readonly load: (directory: string | undefined) => Promise<readonly Command[]>;
}

export interface CommandSource {
  readonly groups: readonly CommandGroup[];
}

export function toCommand(description: CommandDescription): Command {
  const { name, effect, words, summary, fields, hints } = description;
  const taken = fields.find((field) => RESERVED_FLAGS.has(flagOf(field.name)));
  if (taken !== undefined) {
    throw new ProductError(
      "operation_malformed",
      `The input "${taken.name}" of "${name}" has a flag's name that all commands share.`,
      {
        kind: "internal",
      },
    );
  }
  return { words, summary, fields, hints, action: { kind: "operation", name, effect } };
}

/** Gives the descriptions of all commands that begin with a word of a noun. */
export type Describe = (
  noun: IndexedNoun,
  word: string,
  directory: string | undefined,
) => Promise<readonly CommandDescription[]>;

export function groupsOf(
  nouns: readonly IndexedNoun[],
  describe: Describe,
): readonly CommandGroup[] {
  return nouns.flatMap((noun) =>
    Object.entries(wordsOf(noun)).map(([word, summary]) => ({
      word,
      summary,
      heading: noun.group,
      load: async (directory) => (await describe(noun, word, directory)).map(toCommand),
    })),
  );
}
