/** Help at every level, made from the same descriptions that parse and run the commands. */

import type { InputField } from "../../kernel/operation/input-field.ts";
import type { CliProgram } from "./cli-world.ts";
import type { Command, CommandGroup, CommandSource } from "./command.ts";
import { EXIT_CODES } from "./exit-code.ts";
import { flagOf, valueName } from "./flag-name.ts";
import { GLOBAL_HELP } from "./global-options.ts";
import type { Style } from "./style.ts";
import { padEnd, textWidth, wrapText } from "./text-width.ts";

export interface HelpLook {
  readonly columns: number;
  readonly style: Style;
}

export function renderRootHelp(program: CliProgram, source: CommandSource, look: HelpLook): string {
  const headings = [...Map.groupBy(source.groups, ({ heading }) => heading)];
  return sections(look, [
    [undefined, `${program.name} ${program.version} – ${program.summary}`],
    ["Usage", `  ${program.name} [-C DIR] [--json] [--yes] <noun> <verb> [arguments]`],
    ...headings.map(([heading, groups]) => {
      const rows = groups.map(({ word, summary }) => [word, summary] as const);
      return [heading, twoColumns(rows, look)] as const;
    }),
    ["Options", twoColumns(GLOBAL_HELP, look)],
    [
      "Exit codes",
      twoColumns(
        EXIT_CODES.map(([code, meaning]) => [String(code), meaning]),
        look,
      ),
    ],
    [
      undefined,
      `${program.name} <noun> --help and ${program.name} <noun> <verb> --help say more; ${program.name} completion helps with the Tab key.`,
    ],
  ]);
}

export function renderGroupHelp(
  program: CliProgram,
  group: CommandGroup,
  commands: readonly Command[],
  look: HelpLook,
): string {
  const rows = commands.map(
    (command) =>
      [
        [...command.words.slice(1), ...positionalNames(command)].join(" "),
        command.summary,
      ] as const,
  );
  return sections(look, [
    [undefined, `${program.name} ${group.word} – ${group.summary}`],
    ["Usage", `  ${program.name} ${group.word} <verb> [arguments]`],
    ["Verbs", twoColumns(rows, look)],
    [undefined, `${program.name} ${group.word} <verb> --help says more.`],
  ]);
}

export function renderCommandHelp(
  program: CliProgram,
  command: Command,
  neighbours: readonly Command[],
  look: HelpLook,
): string {
  const { words, summary, fields, hints } = command;
  const isPlaced = ({ name }: InputField) => hints.positionals?.includes(name) ?? false;
  const placed = fields.filter((field) => isPlaced(field));
  const flags = fields.filter((field) => !isPlaced(field));
  const follow = [["-f, --follow", "Show events until it ends; the exit code tells how."]] as const;
  const own = flags.map(
    (field) => [flagText(field), fieldText(field) + stdinText(command, field)] as const,
  );
  const usage = [
    program.name,
    ...words,
    ...positionalNames(command),
    ...(flags.length > 0 ? ["[options]"] : []),
  ];
  const longer = neighbours.filter(
    (other) =>
      other.words.length > words.length && words.every((word, i) => other.words[i] === word),
  );
  return sections(look, [
    [undefined, wrapText(summary, look.columns)],
    ["Usage", `  ${usage.join(" ")}`],
    [
      "Arguments",
      twoColumns(
        placed.map((field) => [
          `<${flagOf(field.name)}>`,
          fieldText(field) + stdinText(command, field),
        ]),
        look,
      ),
    ],
    ["Options", twoColumns(hints.follow === undefined ? own : [...own, ...follow], look)],
    [
      "See also",
      twoColumns(
        longer.map((other) => [other.words.join(" "), other.summary]),
        look,
      ),
    ],
    ["Everywhere", twoColumns(GLOBAL_HELP, look)],
    [
      "Examples",
      (hints.examples ?? []).map((example) => `  ${program.name} ${example}`).join("\n"),
    ],
    [
      "Exit codes",
      `  ${wrapText(EXIT_CODES.map(([code, meaning]) => `${code} ${meaning}`).join(" · "), look.columns - 2, "  ")}`,
    ],
  ]);
}

function positionalNames({ hints, fields }: Command): readonly string[] {
  return (hints.positionals ?? []).map((name) => {
    const field = fields.find((candidate) => candidate.name === name);
    const shown = `<${flagOf(name)}>${field?.isList ? "…" : ""}`;
    return field?.isRequired && hints.stdin !== name ? shown : `[${shown}]`;
  });
}

function flagText(field: InputField): string {
  const flag = flagOf(field.name);
  if (field.kind === "boolean" && !field.isList)
    return field.default === true ? `--no-${flag}` : `--${flag}`;
  const repeated = field.isList ? "…" : "";
  return `--${flag} ${valueName(field)}${repeated}${field.isNullable ? `, --no-${flag}` : ""}`;
}

function fieldText(field: InputField): string {
  const notes = [
    ...(field.isRequired ? ["required"] : []),
    ...(field.default === undefined || isPlainDefault(field)
      ? []
      : [`default ${JSON.stringify(field.default)}`]),
    ...(field.isList ? ["may be repeated"] : []),
  ];
  const note = notes.length > 0 ? `(${notes.join(", ")})` : "";
  return [field.description, note].filter(Boolean).join(" ");
}

function isPlainDefault({ default: value }: InputField): boolean {
  return value === false || value === true || (Array.isArray(value) && value.length === 0);
}

function stdinText({ hints }: Command, { name }: InputField): string {
  return hints.stdin === name ? " Read from standard input when left out." : "";
}

type Section = readonly [heading: string | undefined, body: string];

function sections({ style }: HelpLook, all: readonly Section[]): string {
  return all
    .filter(([, body]) => body !== "")
    .map(([heading, body]) => (heading === undefined ? body : `${style("bold", heading)}\n${body}`))
    .join("\n\n");
}

function twoColumns(rows: readonly (readonly [string, string])[], { columns }: HelpLook): string {
  const left = Math.min(34, Math.max(0, ...rows.map(([text]) => textWidth(text))));
  const indent = " ".repeat(left + 4);
  const right = Math.max(20, Math.min(columns, 100) - indent.length);
  return rows
    .map(([text, meaning]) => {
      const shown = wrapText(meaning, right, indent);
      if (shown === "") return `  ${text}`;
      return textWidth(text) > left
        ? `  ${text}\n${indent}${shown}`
        : `  ${padEnd(text, left)}  ${shown}`;
    })
    .join("\n");
}
