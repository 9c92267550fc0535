/** Finds the command in what was typed: its words stand first, options of the program may stand between them. */

import { nearMatches } from "../../kernel/contract/near-match.ts";
import type { Command, CommandGroup, CommandSource } from "./command.ts";
import { GLOBAL_FLAGS } from "./global-options.ts";
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

interface Word {
  readonly text: string;
  readonly index: number;
}

interface Start {
  /** Arguments that are no options and no option's value, up to the first option that is not the program's own. */
  readonly words: readonly Word[];
  readonly directory: string | undefined;
}

function readStart(argv: readonly string[]): Start {
  const words: Word[] = [];
  let directory: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index] ?? "";
    if (!text.startsWith("-") || text === "-") {
      words.push({ text, index });
      continue;
    }
    const kind = globalKind(text);
    if (kind === undefined) break;
    const inline = /^(?:-C(?=.)|--\w+=)([^]*)$/.exec(text)?.[1];
    if (kind === "string" && inline === undefined) index += 1;
    if (/^(?:-C|--directory)/.test(text)) directory = inline ?? argv[index];
  }
  return { words, directory };
}

function globalKind(text: string): "string" | "boolean" | undefined {
  if (text.startsWith("-C")) return "string";
  const flags: Readonly<
    Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>
  > = GLOBAL_FLAGS;
  if (/^-[a-z]+$/i.test(text)) {
    const letters = text.slice(1).split("");
    const shorts = Object.values(flags).map(({ short }) => short);
    return letters.every((letter) => shorts.includes(letter)) ? "boolean" : undefined;
  }
  return flags[text.slice(2).split("=", 1)[0] ?? ""]?.type;
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
