/** Finds the command in what was typed: its words stand first, options of the program may stand between them. */

import { nearMatches } from "../../kernel/contract/near-match.ts";
import type { Command, CommandGroup, CommandSource } from "./command.ts";
import { readStart, type Word } from "./read-start.ts";
import { usageError } from "./usage-error.ts";

export type FoundCommand =
  /** No word at all: the program's own help. */
  | { readonly kind: "root"; readonly rest: readonly string[] }
  | {
      readonly kind: "group";
      readonly group: CommandGroup;
      readonly commands: readonly Command[];
      readonly rest: readonly string[];
    }
  | {
      readonly kind: "command";
      readonly command: Command;
      /** All that begin with its first word. */
      readonly commands: readonly Command[];
      readonly rest: readonly string[];
    };

export async function findCommand(
  source: CommandSource,
  programName: string,
  argv: readonly string[],
): Promise<FoundCommand> {
  const { words, directory } = readStart(argv);
  const [first, ...others] = words;
  if (first === undefined) return { kind: "root", rest: argv };
  const group = source.groups.find(({ word }) => word === first.text);
  if (group === undefined)
    throw unknownWord(
      programName,
      first.text,
      source.groups.map(({ word }) => word),
    );
  const commands = await group.load(directory);
  const typed = [first, ...others];
  const command = commands
    .filter(({ words: needed }) => needed.every((word, i) => typed[i]?.text === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0];
  if (command !== undefined) {
    const rest = without(argv, typed.slice(0, command.words.length));
    return { kind: "command", command, commands, rest };
  }
  const [second] = others;
  if (second === undefined) return { kind: "group", group, commands, rest: without(argv, [first]) };
  throw unknownWord(
    `${programName} ${first.text}`,
    second.text,
    commands.flatMap(({ words: [, verb] }) => (verb === undefined ? [] : [verb])),
  );
}

function without(argv: readonly string[], words: readonly Word[]): readonly string[] {
  const taken = new Set(words.map(({ index }) => index));
  return argv.filter((_, index) => !taken.has(index));
}

function unknownWord(before: string, word: string, known: readonly string[]) {
  const near = nearMatches(word, known);
  const hint =
    near.length > 0 ? `Did you mean \`${near.join("`, `")}\`?` : `See \`${before} --help\`.`;
  return usageError("command_unknown", `There is no command \`${before} ${word}\`.`, hint);
}
