/**
 * Changes a client's settings file so that it starts our MCP server, and changes it back. The file is kept beside itself
 * as it was; whatever else stands in it, comments too, is left alone.
 */

import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { ProductError } from "../kernel/base/errors.ts";
import { diffLines } from "../kernel/prompt/diff-lines.ts";
import type { ToolChoice } from "../surfaces/mcp/tools.ts";
import { type ClientName, clientOf, type Launch, type McpClient } from "./mcp-clients.ts";
import { PROGRAM } from "./program.ts";

export interface ClientChange {
  readonly file: string;
  /** The change as lines with `+` and `-` before them. */
  readonly diff: string;
  readonly isNeeded: boolean;
  /** Says what was done. */
  carryOut(): string;
}

const BACKUP = `.${PROGRAM.name}-backup`;

export function planInstall(
  name: ClientName,
  { folder, profile, readOnly }: ToolChoice & { readonly folder: string },
): ClientChange {
  const client = clientOf(name);
  const file = fileOf(client, folder);
  const before = readText(file);
  const launch = launchOf(path.dirname(folder), [
    ...(profile === "core" ? [] : ["--profile", profile]),
    ...(readOnly ? ["--read-only"] : []),
  ]);
  const after = withEntry(client, file, before, client.entry(launch));
  return {
    file,
    diff: diffOf(before ?? "", after),
    isNeeded: after !== before,
    carryOut: () => {
      const backup = file + BACKUP;
      // The first one is of before us; what we wrote ourselves needs none.
      const isKept = before !== undefined && !existsSync(backup);
      if (isKept) writeFileSync(backup, before, { mode: 0o600 });
      writeWhole(file, after);
      const kept = isKept ? ` As it was: ${backup}.` : "";
      return `${client.title} knows the workspace.${kept} ${client.after}`;
    },
  };
}

export function planUninstall(
  name: ClientName,
  { folder }: { readonly folder: string },
): ClientChange {
  const client = clientOf(name);
  const file = fileOf(client, folder);
  const now = readText(file);
  const backup = file + BACKUP;
  const kept = readText(backup);
  const rest = now === undefined ? undefined : restOf(client, file, now, kept);
  return {
    file,
    diff: diffOf(now ?? "", rest ?? ""),
    isNeeded: now !== rest,
    carryOut: () => {
      if (rest === undefined) rmSync(file);
      else writeWhole(file, rest);
      if (rest === kept) rmSync(backup, { force: true });
      return `${client.title} no longer knows the workspace.`;
    },
  };
}

/** What there was before us where nobody else has changed anything since, else what there is without us. */
function restOf(
  client: McpClient,
  file: string,
  now: string,
  kept: string | undefined,
): string | undefined {
  const entry = findEntry(client, file, now);
  if (entry === undefined) return now;
  return withEntry(client, file, kept, entry) === now ? kept : withoutEntry(client, file, now);
}

/** This very program, wherever the client stands when it starts it. */
function launchOf(home: string, flags: readonly string[]): Launch {
  const main = process.argv[1] ?? "";
  return { command: process.execPath, args: [main, "-C", home, "mcp", ...flags] };
}

function fileOf({ file }: McpClient, folder: string): string {
  const place = file(path.dirname(folder));
  // A link to a file kept elsewhere stays one.
  return existsSync(place) ? realpathSync(place) : place;
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } };

type Entry = Readonly<Record<string, unknown>>;

function withEntry(
  client: McpClient,
  file: string,
  text: string | undefined,
  entry: Entry,
): string {
  if (client.format === "toml") return withTable(client, text ?? "", entry);
  const before = text === undefined || text.trim() === "" ? "{}\n" : text;
  requireJson(client, file, before);
  return applyEdits(before, modify(before, [client.key, PROGRAM.name], entry, FORMAT));
}

function withoutEntry(client: McpClient, file: string, text: string): string {
  if (client.format === "toml") return withoutTable(client, text);
  requireJson(client, file, text);
  return applyEdits(text, modify(text, [client.key, PROGRAM.name], undefined, FORMAT));
}

function findEntry(client: McpClient, file: string, text: string): Entry | undefined {
  if (client.format === "toml") return findTable(client, text);
  requireJson(client, file, text);
  const servers = (parse(text) as Readonly<Record<string, Record<string, Entry>>>)[client.key];
  return servers?.[PROGRAM.name];
}

function requireJson({ key, title }: McpClient, file: string, text: string): void {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  const servers = (value as Record<string, unknown> | undefined)?.[key];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (first === undefined && isObject && (servers === undefined || typeof servers === "object"))
    return;
  const fault =
    first === undefined
      ? `"${key}" in it is not a list of servers`
      : `${printParseErrorCode(first.error)} at character ${first.offset}`;
  throw new ProductError("client_settings_invalid", `The settings of ${title} cannot be read.`, {
    kind: "conflict",
    hint: `${file}: ${fault}. Nothing was changed.`,
  });
}

/** One table with texts and lists of texts: JSON's way of writing those is also TOML's. */
function withTable(client: McpClient, text: string, entry: Entry): string {
  const rest = withoutTable(client, text);
  const gap = rest === "" ? "" : rest.endsWith("\n") ? "\n" : "\n\n";
  const lines = Object.entries(entry).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return `${rest}${gap}[${tableOf(client)}]\n${lines.join("\n")}\n`;
}

function withoutTable(client: McpClient, text: string): string {
  const place = placeOfTable(client, text);
  if (place === undefined) return text;
  const { lines, start, end } = place;
  const before = lines.slice(0, start).join("\n").trimEnd();
  const after = lines.slice(end).join("\n");
  return (
    [before, after].filter((part) => part !== "").join("\n\n") +
    (after === "" && before !== "" ? "\n" : "")
  );
}

function findTable(client: McpClient, text: string): Entry | undefined {
  const place = placeOfTable(client, text);
  if (place === undefined) return undefined;
  const { lines, start, end } = place;
  const settings = lines.slice(start + 1, end).flatMap((line) => {
    const [, name, value] = /^(\w+) = (.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, jsonOr(value)] as const];
  });
  return Object.fromEntries(settings);
}

/** Somebody may have written into our table what is TOML and not JSON. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function placeOfTable(client: McpClient, text: string) {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === `[${tableOf(client)}]`);
  if (start === -1) return undefined;
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line));
  return { lines, start, end: next === -1 ? lines.length : next };
}

function tableOf({ key }: McpClient): string {
  return `${key}.${PROGRAM.name}`;
}

/** Whole or not at all: the client may read it at any moment. */
function writeWhole(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, text, { flush: true, mode: 0o600 });
  renameSync(draft, file);
}

const MARKS = { same: " ", removed: "-", added: "+" } as const;
const AROUND = 2;

/** What changes and the lines next to it. */
function diffOf(before: string, after: string): string {
  const lines = diffLines(before, after);
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ change }) => change !== "same");
  return lines
    .filter((_, at) => isNear(at))
    .map(({ change, text }) => `${MARKS[change]} ${text}`)
    .join("\n");
}
