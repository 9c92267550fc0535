/** How a command line begins: the words of the command, and options of the program between them. */

import { GLOBAL_FLAGS } from "./global-options.ts";

export interface Word {
  readonly text: string;
  readonly index: number;
}

export interface Start {
  /** Arguments that are no options and no option's value, up to the first option that is not the program's own. */
  readonly words: readonly Word[];
  readonly directory: string | undefined;
}

export function readStart(argv: readonly string[]): Start {
  const words: Word[] = [];
  let directory: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index] ?? "";
    if (!text.startsWith("-") || text === "-") {
      words.push({ text, index });
      continue;
    }
    const option = readOption(text);
    if (option === undefined) break;
    if (takesNext(text)) index += 1;
    if (option.name === "directory") directory = option.value ?? argv[index];
  }
  return { words, directory };
}

/** Whether the next word is the value of this one, an option of the program. */
export function takesNext(text: string): boolean {
  const option = readOption(text);
  return option?.value === undefined && option?.type === "string";
}

/** `-C=/x` means `-C/x`, as with long options; Node would read the folder `=/x`. */
export function withoutEquals(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return args.map((word, index) =>
    end >= 0 && index > end ? word : word.replace(FOLDER_AND_EQUALS, "$1"),
  );
}

/** A folder in one word with its option: `-C/my dir` holds a space and is no text that begins with a dash. */
export function holdsFolder(word: string): boolean {
  return /^-[yqhf]*C\S/.test(word);
}

const FOLDER_AND_EQUALS = /^(-[yqhf]*C)=(?=[^])/;

interface Option {
  readonly name: string;
  readonly type: "string" | "boolean";
  readonly value: string | undefined;
}

const FLAGS: readonly {
  readonly name: string;
  readonly type: "string" | "boolean";
  readonly short?: string;
}[] = Object.entries(GLOBAL_FLAGS).map(([name, flag]) => ({ name, ...flag }));

/** One option of the program; of letters in one word the last, which alone can have a value. */
function readOption(text: string): Option | undefined {
  const [, long, inline] = /^--([^=]+)(?:=([^]*))?$/.exec(text) ?? [];
  if (long !== undefined) {
    const flag = FLAGS.find(({ name }) => name === long);
    return flag && { ...flag, value: inline };
  }
  const [, letters = "", folder = ""] = /^-([^C]*)(C[^]*)?$/.exec(text) ?? [];
  const found = `${letters}${folder.slice(0, 1)}`
    .split("")
    .map((letter) => FLAGS.find(({ short }) => short === letter));
  if (found.includes(undefined)) return undefined;
  const last = found.at(-1);
  return last && { ...last, value: folder.slice(1).replace(/^=(?=[^])/, "") || undefined };
}
