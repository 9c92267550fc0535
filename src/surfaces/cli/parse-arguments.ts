/** Options and positionals of one command → its input, as the schema's fields. */

import { parseArgs } from "node:util";
import { parseJson } from "../../kernel/base/safe-json.ts";
import { nearMatches } from "../../kernel/contract/near-match.ts";
import { type InputField, readFieldText } from "../../kernel/operation/input-field.ts";
import type { Command } from "./command.ts";
import { flagOf } from "./flag-name.ts";
import { GLOBAL_FLAGS, type GlobalFlag, type GlobalOptions } from "./global-options.ts";
import { holdsFolder, withoutEquals } from "./read-start.ts";
import { usageError } from "./usage-error.ts";

export interface ParsedArguments {
  readonly options: GlobalOptions;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ArgumentSources {
  readonly readFile: (path: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
  readonly isStdinTTY: boolean;
}

/** Without a command only the program's own options are known. */
export async function parseArguments(
  command: Command | undefined,
  args: readonly string[],
  sources: ArgumentSources,
): Promise<ParsedArguments> {
  const fields = command?.fields ?? [];
  const given = readTokens(fields, args);
  const options = toGlobalOptions(given.globals);
  if (command === undefined || options.wantsHelp) return { options, input: {} };
  const entries = [...given.entries, ...placePositionals(command, fields, given.positionals)];
  const input = await readEntries(entries, sources, Object.keys(command.hints.files ?? {}));
  await readStdinField(command, input, sources);
  refuseMissing(command, fields, input);
  return { options, input };
}

/** One field as it was written; `text` is undefined for a bare switch. */
interface Entry {
  readonly field: InputField;
  readonly text: string | undefined;
  readonly isNegated: boolean;
}

interface Tokens {
  readonly globals: ReadonlyMap<GlobalFlag, string | true>;
  readonly entries: readonly Entry[];
  readonly positionals: readonly string[];
}

function readTokens(fields: readonly InputField[], args: readonly string[]): Tokens {
  const byFlag = new Map(fields.map((field) => [flagOf(field.name), field]));
  const { tokens } = parseArgs({
    args: withoutEquals(args),
    options: { ...toOptions(byFlag), ...GLOBAL_FLAGS },
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  const globals = new Map<GlobalFlag, string | true>();
  const entries: Entry[] = [];
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName, value, inlineValue, index } = token;
    refuseDashedText(args[index] ?? "");
    // `--no-input` is a name of its own, not the opposite of `--input`.
    const written = rawName.startsWith("--") ? rawName.slice(2) : token.name;
    const name = isGlobal(written) || byFlag.has(written) ? written : token.name;
    const isNegated = name !== written && rawName.startsWith("--no-");
    if (inlineValue === false) refuseOptionAsValue(rawName, value);
    if (isGlobal(name) && !isNegated) globals.set(name, readGlobal(name, rawName, value));
    else entries.push(toEntry(byFlag, name, { rawName, value, isNegated }));
  }
  return { globals, entries, positionals };
}

/** No option has a space before its value: `-f is parsed` is a text, and would be read as a heap of letters. */
function refuseDashedText(word: string): void {
  if (holdsFolder(word) || !/^-[^=\s]*\s/.test(word)) return;
  throw usageError(
    "flag_unknown",
    `"${clipped(word)}" begins with a dash, so it is read as an option.`,
    `If it is a text, put two dashes before it, after all options: -- "${clipped(word)}"`,
  );
}

function clipped(word: string): string {
  const line = word.replaceAll(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

function toOptions(byFlag: ReadonlyMap<string, InputField>) {
  return Object.fromEntries(
    [...byFlag].map(([flag, { kind, isList }]) => [
      flag,
      { type: kind === "boolean" && !isList ? ("boolean" as const) : ("string" as const) },
    ]),
  );
}

function isGlobal(name: string): name is GlobalFlag {
  return Object.hasOwn(GLOBAL_FLAGS, name);
}

/** `--text --json` is more likely a forgotten value than the value `--json`; a negative number is a value. */
function refuseOptionAsValue(rawName: string, value: string | undefined): void {
  if (value === undefined || !/^-[^\d.]/.test(value)) return;
  throw usageError(
    "flag_value_missing",
    `${rawName} needs a value, and ${value} looks like another option.`,
    `If it is meant, write ${rawName}=${value}.`,
  );
}

function readGlobal(name: GlobalFlag, rawName: string, value: string | undefined): string | true {
  if (GLOBAL_FLAGS[name].type === "string") {
    if (value === undefined) throw usageError("flag_value_missing", `${rawName} needs a value.`);
    return value;
  }
  if (value !== undefined) throw usageError("flag_value_unexpected", `${rawName} takes no value.`);
  return true;
}

function toEntry(
  byFlag: ReadonlyMap<string, InputField>,
  name: string,
  { rawName, value, isNegated }: { rawName: string; value: string | undefined; isNegated: boolean },
): Entry {
  const field = byFlag.get(name);
  if (field === undefined) throw unknownFlag(rawName, [...byFlag.keys()]);
  const isSwitch = field.kind === "boolean" && !field.isList;
  if (isNegated && !isSwitch && !field.isNullable) throw unknownFlag(rawName, [...byFlag.keys()]);
  if (isNegated && value !== undefined)
    throw usageError("flag_value_unexpected", `${rawName} takes no value.`);
  if (!isNegated && !isSwitch && value === undefined)
    throw usageError("flag_value_missing", `${rawName} needs a value.`);
  return { field, text: value, isNegated };
}

function toGlobalOptions(globals: Tokens["globals"]): GlobalOptions {
  const color = globals.get("color") ?? "auto";
  if (color !== "auto" && color !== "always" && color !== "never")
    throw usageError("flag_value_invalid", "--color is auto, always or never.");
  const directory = globals.get("directory");
  return {
    directory: typeof directory === "string" ? directory : undefined,
    isJson: globals.has("json"),
    isSure: globals.has("yes"),
    isQuiet: globals.has("quiet"),
    isBatch: globals.has("no-input"),
    color,
    wantsHelp: globals.has("help"),
    wantsFollow: globals.has("follow"),
  };
}

function placePositionals(
  command: Command,
  fields: readonly InputField[],
  positionals: readonly string[],
): readonly Entry[] {
  const names = command.hints.positionals ?? [];
  const places = names.flatMap((name) => fields.filter((field) => field.name === name));
  return positionals.map((text, i) => {
    const field = places[Math.min(i, places.length - 1)];
    if (field === undefined || (i >= places.length && !field.isList))
      throw unexpectedArgument(text, places.length);
    return { field, text, isNegated: false };
  });
}

async function readEntries(
  entries: readonly Entry[],
  sources: ArgumentSources,
  files: readonly string[],
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const entry of entries) {
    const { field } = entry;
    const before = input[field.name];
    // A file's `-` is read when it is sent, not as a text.
    const value = files.includes(field.name) ? entry.text : await readEntry(entry, sources);
    if (field.isList)
      input[field.name] = [...((before ?? []) as unknown[]), ...(value as unknown[])];
    else if (field.isRecord && isPlainObject(value) && isPlainObject(before))
      input[field.name] = { ...before, ...value };
    else if (before === undefined) input[field.name] = value;
    else throw usageError("flag_repeated", `--${flagOf(field.name)} is given twice.`);
  }
  return input;
}

async function readEntry(
  { field, text, isNegated }: Entry,
  sources: ArgumentSources,
): Promise<unknown> {
  if (text === undefined) return isNegated && field.kind !== "boolean" ? null : !isNegated;
  if (field.isList) {
    if (text.startsWith("[")) return readFieldText({ ...field, kind: "json" }, text);
    return [await readText(field, text, sources)];
  }
  return readText(field, text, sources);
}

async function readText(
  field: InputField,
  text: string,
  sources: ArgumentSources,
): Promise<unknown> {
  if (text === "-" && (field.kind === "string" || field.kind === "json"))
    return readFieldText(field, await sources.readStdin());
  if (field.kind !== "json") return readFieldText(field, text);
  if (text.startsWith("@")) return readFieldText(field, await sources.readFile(text.slice(1)));
  const pair = field.isRecord ? /^([\w.-]+)=([^]*)$/.exec(text) : null;
  return pair === null
    ? readFieldText(field, text)
    : { [pair[1] ?? ""]: looseValue(pair[2] ?? "") };
}

/** In `key=value` a value that reads as JSON is meant as such: numbers, true, lists. */
function looseValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

async function readStdinField(
  { hints }: Command,
  input: Record<string, unknown>,
  { isStdinTTY, readStdin }: ArgumentSources,
): Promise<void> {
  const { stdin } = hints;
  if (stdin === undefined || input[stdin] !== undefined || isStdinTTY) return;
  const text = await readStdin();
  if (text !== "") input[stdin] = text;
}

function refuseMissing(
  { hints }: Command,
  fields: readonly InputField[],
  input: Readonly<Record<string, unknown>>,
): void {
  const missing = fields.filter(({ name, isRequired }) => isRequired && input[name] === undefined);
  if (missing.length === 0) return;
  const [first] = hints.examples ?? [];
  const names = missing.map(({ name }) =>
    hints.positionals?.includes(name) ? `<${flagOf(name)}>` : `--${flagOf(name)}`,
  );
  throw usageError(
    "argument_missing",
    `Missing: ${names.join(", ")}.`,
    first === undefined
      ? "Add --help to see what the command takes."
      : `For example: \`${first}\`. Add --help to see what the command takes.`,
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownFlag(rawName: string, flags: readonly string[]) {
  const [near] = nearMatches(rawName.replace(/^-+/, ""), [...flags, ...Object.keys(GLOBAL_FLAGS)]);
  return usageError(
    "flag_unknown",
    `There is no option ${rawName} here.`,
    near === undefined ? "Add --help to see the options." : `Did you mean --${near}?`,
  );
}

function unexpectedArgument(text: string, expected: number) {
  const many = expected === 0 ? "no arguments" : `${expected} argument${expected === 1 ? "" : "s"}`;
  return usageError(
    "argument_unexpected",
    `"${text}" is too much: this command takes ${many}.`,
    "Quote a text with spaces.",
  );
}
