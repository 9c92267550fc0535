/**
 * The documentation is followed: whatever a page says to type is typed, in its order, in a workspace of its own, and
 * ends and prints as the page says. What a page only speaks of has been typed on some page.
 *
 * `DOCS=write node --test tests/docs/commands.test.ts` puts what is really printed into the pages. While a page is being
 * written its commands may say `<^>` and `<$>` for the first and the last id that the command above printed, and `<2>`
 * for the second that the page shows; `?` stands for what is printed, `?4,2` for its first four lines and its last two.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { initWorkspace } from "../../src/app/first-minute.ts";
import { listNouns } from "../../src/app/methods.ts";
import { ownGroups } from "../../src/app/own-commands.ts";
import { serve } from "../../src/app/serve.ts";
import { describeCommand } from "../../src/kernel/operation/command-description.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import { executeSql } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { type Command, toCommand } from "../../src/surfaces/cli/command.ts";
import { findPostgres } from "../scratch/postgres-server.ts";
import { fencesOf, mentionsOf, type Step, stepsOf } from "./page-steps.ts";
import { installPrograms, READER, type Reader, startReader } from "./reader.ts";
import { type Bindings, bound, differenceOf, idsIn, unbound } from "./same-shape.ts";

const root = path.join(import.meta.dirname, "..", "..");
const pages = [
  "README.md",
  "library/README.md",
  ...readdirSync(path.join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];

/** Where a page begins: every other one in a workspace with the sample, while a server runs. */
const BEGINS: Readonly<Record<string, "nowhere" | "closed" | "postgres">> = {
  "docs/getting-started.md": "nowhere",
  "docs/moving.md": "closed",
  "docs/postgres.md": "postgres",
};

/** What no test can type, and why. */
const NOT_TYPED: Readonly<Record<string, string>> = {
  "npm ci && npm start": "installs from the registry; tests/journeys/first-minute.test.ts starts",
  "npm ci && npm test": "is this",
};

const isWriting = process.env["DOCS"] === "write";
const HOME = "/home/mara";

describe("every command in the documentation is typed", { concurrency: 2 }, () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(path.join(tmpdir(), "throughline-docs-"));
    mkdirSync(path.join(scratch, "programs"));
    installPrograms(path.join(scratch, "programs"));
    // The servers are in this process; what they commit is by the reader.
    Object.assign(process.env, READER);
    process.env["PATH"] = `${scratch}/programs${path.delimiter}${process.env["PATH"] ?? ""}`;
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  for (const page of pages) {
    const steps = stepsOf(readFileSync(path.join(root, page), "utf8"));
    if (steps.length === 0) continue;
    test(page, async (t) => {
      const home = path.join(scratch, page.replaceAll(/\W/g, "-"));
      const folder = path.join(home, "tidepool");
      mkdirSync(folder, { recursive: true });
      const begins = BEGINS[page];
      const dropDatabase = begins === "postgres" ? await usePostgres(folder) : undefined;
      if (begins === undefined || begins === "closed")
        await initWorkspace(folder, { hasSample: true });
      const server =
        begins === undefined
          ? await serve(path.join(folder, ".throughline"), { port: 0 })
          : undefined;
      const reader = startReader(home, folder, path.join(scratch, "programs"));
      t.after(async () => {
        await reader.leave();
        await server?.stop();
        await dropDatabase?.();
      });
      await follow(page, steps, reader, home);
    });
  }

  test("and what pages only speak of has been typed on one of them", async () => {
    const operations = await loadOperations(listNouns(() => ""));
    const commands: readonly Command[] = [
      ...operations.map((operation) => toCommand(describeCommand(operation))),
      ...(await Promise.all(ownGroups.map((group) => group.load(undefined)))).flat(),
    ];
    const typed = pages
      .flatMap((page) => stepsOf(readFileSync(path.join(root, page), "utf8")))
      .flatMap(({ command }) => commandsIn(command));
    const missing = pages.flatMap((page) =>
      mentionsOf(readFileSync(path.join(root, page), "utf8"))
        .filter((mention) => isCommand(mention, commands))
        .filter((mention) => !typed.some((words) => isCovered(mention, words)))
        .map((mention) => `${page}: ${mention}`),
    );
    assert.deepEqual(missing, []);
  });

  test("and none hides in a block that is not typed", () => {
    const hidden = pages.flatMap((page) =>
      fencesOf(readFileSync(path.join(root, page), "utf8"))
        .filter(({ language }) => !["sh", "console"].includes(language))
        .flatMap(({ lines }) => lines)
        .filter((line) => /^(?:\$ )?(?:throughline|npm|npx) /.test(line))
        .map((line) => `${page}: ${line}`),
    );
    assert.deepEqual(hidden, []);
  });
});

/** Sets the database as the page says, to a schema of its own. */
async function usePostgres(folder: string): Promise<() => Promise<void>> {
  const connectionString = await findPostgres();
  const schema = `t_${randomBytes(8).toString("hex")}`;
  const settings = path.join(folder, ".throughline", "config.json");
  mkdirSync(path.dirname(settings), { mode: 0o700 });
  writeFileSync(settings, JSON.stringify({ database: connectionString, schema }), { mode: 0o600 });
  return async () => {
    const store = openPostgres({ connectionString, schema });
    for (const name of [schema, `${schema}_queue`])
      await store.write(() => executeSql(sqlText(`drop schema if exists ${name} cascade`), []));
    await store.close();
  };
}

/** Types every step and holds what comes against what the page says. */
async function follow(
  page: string,
  steps: readonly Step[],
  reader: Reader,
  home: string,
): Promise<void> {
  const bindings: Bindings = new Map();
  const written: Written[] = [];
  const ids: string[] = [];
  let above: readonly string[] = [];
  for (const step of steps) {
    const { line, shown, exitCode } = step;
    if (NOT_TYPED[step.command.trim()] !== undefined) continue;
    const command = isWriting ? withPlaces(step.command, above, ids) : step.command;
    const { code, output: said, remarks } = await reader.type(bound(command, bindings));
    const output = said === "" ? remarks : said;
    const printed = output.replaceAll(home, HOME).trimEnd().split("\n");
    const where = `${page}:${line}: ${command}`;
    if (isWriting) {
      if (code !== exitCode) process.stderr.write(`${where}\n  ends with ${code}: ${remarks}\n`);
    } else assert.equal(code, exitCode, `${where}\n${said}${remarks}`);
    const difference = shown && differenceOf(shown, printed, bindings);
    if (isWriting) {
      if (difference !== undefined) bindInOrder(shown ?? [], printed, bindings);
      above = idsIn(unbound(output, bindings));
      ids.push(...above.filter((id) => !ids.includes(id)));
    }
    if (isWriting && (difference !== undefined || command !== step.command || code !== exitCode))
      written.push({ step, command, printed: printed.map((text) => unbound(text, bindings)) });
    else if (difference !== undefined)
      assert.fail(
        `${where}\n  shown:   ${difference.shown}\n  printed: ${difference.printed ?? "nothing more"}\n\n${printed.slice(0, 30).join("\n")}`,
      );
  }
  if (isWriting) write(page, written);
}

/** What is rewritten is known by its place: commands further down still name it. */
function bindInOrder(
  shown: readonly string[],
  printed: readonly string[],
  bindings: Bindings,
): void {
  const known = new Set(bindings.values());
  const fresh = [...new Set(idsIn(printed.join("\n")))].filter((id) => !known.has(id));
  const asked = [...new Set(idsIn(shown.join("\n")))].filter((id) => !bindings.has(id));
  for (const [index, id] of asked.entries())
    if (fresh[index] !== undefined) bindings.set(id, fresh[index]);
}

interface Written {
  readonly step: Step;
  readonly command: string;
  readonly printed: readonly string[];
}

function withPlaces(command: string, above: readonly string[], ids: readonly string[]): string {
  return command.replaceAll(/<(\^|\$|\d+)>/g, (whole, place: string) => {
    const id = place === "^" ? above[0] : place === "$" ? above.at(-1) : ids[Number(place) - 1];
    return id ?? whole;
  });
}

function write(page: string, all: readonly Written[]): void {
  const file = path.join(root, page);
  const lines = readFileSync(file, "utf8").split("\n");
  for (const { step, command, printed } of all.toReversed()) {
    if (step.shown === undefined) {
      const typed = step.command.split("\n").length;
      lines.splice(step.line - 1, typed, ...typedLines(lines[step.line - 1] ?? "", command));
      continue;
    }
    const typed = step.command.split("\n").length;
    lines.splice(
      step.line - 1,
      typed + step.shown.length,
      ...typedLines("$ ", command),
      ...shortened(printed, step.shown[0] ?? ""),
    );
  }
  writeFileSync(file, lines.join("\n"));
}

function shortened(printed: readonly string[], wish: string): readonly string[] {
  const lines = printed.filter((line, index) => index > 0 || line !== "");
  const [, first, last = "0"] = /^\?(\d+)(?:,(\d+))?$/.exec(wish) ?? [];
  if (first === undefined || lines.length <= Number(first) + Number(last)) return lines;
  return [
    ...lines.slice(0, Number(first)),
    "…",
    ...(last === "0" ? [] : lines.slice(-Number(last))),
  ];
}

function typedLines(first: string, command: string): readonly string[] {
  if (!first.startsWith("$ ")) return command.split("\n");
  return command.split("\n").map((line, index) => `${index === 0 ? "$" : ">"} ${line}`);
}

/** The words of every call of the program in a piece of shell. */
function commandsIn(shell: string): readonly (readonly string[])[] {
  return [
    ...shell.matchAll(/(?:throughline|npm run -s throughline --) (?:-C \S+ )?([^\n|;&<>]*)/g),
  ].map(([, text = ""]) => text.split(/\s+/).filter((word) => word !== ""));
}

/** Code in a sentence that begins like a command: with the program's name, or with a noun and its verb. */
function isCommand(mention: string, commands: readonly Command[]): boolean {
  if (mention.startsWith("throughline ")) return true;
  const [first, second] = mention.split(" ");
  return (
    second !== undefined &&
    commands.some(({ words }) => words.length > 1 && words[0] === first && words[1] === second)
  );
}

/** The same command with the same options; what stands for something of the reader's (`NAME`, `ID`, `…`) is theirs. */
function isCovered(mention: string, typed: readonly string[]): boolean {
  const words = mention.replace(/^throughline (?:-C \S+ )?/, "").split(/[\s|[\]]+/);
  const own = words.slice(
    0,
    Math.max(
      1,
      words.findIndex((word) => /^[-A-Z<"…]/.test(word)),
    ),
  );
  const plain = own.every((word) => /^[a-z-]+$/.test(word)) ? own.slice(0, 2) : own.slice(0, 1);
  const flags = words.filter((word) => /^--[a-z]/.test(word)).map((flag) => flag.split("=", 1)[0]);
  return (
    plain.every((word, index) => typed[index] === word) &&
    flags.every((flag) => typed.some((word) => word.split("=", 1)[0] === flag))
  );
}
