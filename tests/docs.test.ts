/**
 * The documentation is true: every block of shell in it is executed on a real workspace, every other command that stands
 * in it is a command that there is, every link leads somewhere, and the site is made of it.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { listNouns } from "../src/app/methods.ts";
import { ownGroups } from "../src/app/own-commands.ts";
import { describeCommand } from "../src/kernel/operation/command-description.ts";
import { loadOperations } from "../src/kernel/operation/noun-index.ts";
import { toCommand, type Command } from "../src/surfaces/cli/command.ts";
import { flagOf } from "../src/surfaces/cli/flag-name.ts";
import { buildDocs } from "../web/build-docs.ts";
import { type ScratchFolder, scratchFolder } from "./scratch/program.ts";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(root, "docs");
const main = path.join(root, "src", "main.ts");
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));

/** Options of every command, and those of the ones that stay. */
const EVERYWHERE =
  "follow json yes help quiet color directory no-input host port allow-remote no-agents concurrency view".split(
    " ",
  );

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(path.join(folder, page), "utf8");
  return [...text.matchAll(/^```(\w*)[^\n]*\n([^]*?)^```$/gm)].map(
    ([, language = "", body = ""]) => ({
      language,
      text: body,
    }),
  );
}

/** Long-lived commands are started, waited for until they say that they run, and ended. */
const LONG = `
import { spawn } from "node:child_process";
const child = spawn(process.execPath, [${JSON.stringify(main)}, ...process.argv.slice(2)], { stdio: ["ignore", "pipe", "inherit"] });
let printed = "";
child.stdout.on("data", (chunk) => {
  printed += chunk;
  if (/is running|Working on/.test(printed)) child.kill("SIGTERM");
});
child.on("exit", (code) => process.exit(/is running|Working on/.test(printed) ? 0 : (code ?? 1)));
`;

describe("every block of shell in the documentation runs", () => {
  let home: ScratchFolder;
  let programs: string;
  before(async () => {
    home = scratchFolder();
    programs = mkdtempSync(path.join(tmpdir(), "throughline-docs-"));
    writeFileSync(path.join(programs, "long.mjs"), LONG);
    writeFileSync(
      path.join(programs, "throughline"),
      `#!/bin/bash\ncase "$1" in start|serve|work) exec ${process.execPath} ${path.join(programs, "long.mjs")} "$@";; esac\nexec ${process.execPath} ${main} "$@"\n`,
    );
    chmodSync(path.join(programs, "throughline"), 0o755);
    await home.run(["init", "--sample"]);
    await home.serve(["serve"]);
  });
  after(async () => {
    await home.remove();
    rmSync(programs, { recursive: true, force: true });
  });

  for (const page of pages) {
    const blocks = blocksOf(page).filter(({ language }) => language === "sh");
    if (blocks.length === 0) continue;
    test(page, async () => {
      const place = path.join(home.folder, page.replace(".md", ""));
      mkdirSync(place);
      const script = `set -euo pipefail\n${blocks.map(({ text }) => text).join("\n")}`;
      const { code, output } = await runShell(script, place, programs);
      assert.equal(code, 0, `${page}:\n${output}`);
    });
  }
});

function runShell(
  script: string,
  cwd: string,
  programs: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const {
    ANTHROPIC_API_KEY: _a,
    OPENAI_API_KEY: _o,
    GOOGLE_GENERATIVE_AI_API_KEY: _g,
    ...inherited
  } = process.env;
  const env = {
    ...inherited,
    PATH: `${programs}${path.delimiter}${process.env["PATH"] ?? ""}`,
    HOME: cwd,
    NO_COLOR: "1",
    THROUGHLINE_PORT: "0",
  };
  return new Promise((resolve) => {
    const child = execFile(
      "bash",
      ["-x", "-c", script],
      { cwd, env, timeout: 240_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, output: `${stdout}${stderr}`.slice(-4000) });
      },
    );
    child.stdin?.end();
  });
}

describe("what stands in the documentation exists", async () => {
  const operations = await loadOperations(listNouns(() => ""));
  const commands: readonly Command[] = [
    ...operations.map((operation) => toCommand(describeCommand(operation))),
    ...(await Promise.all(ownGroups.map((group) => group.load(undefined)))).flat(),
  ];

  /** Lines that begin with the program's name, wherever they are shown as code. */
  const typed = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => ["", "sh", "text"].includes(language))
      .flatMap(({ text }) => text.split("\n"))
      .filter((line) => line.startsWith("throughline "))
      .map((line) => ({ page, line })),
  );

  test("there is a fair number of commands to look at", () => {
    assert.ok(typed.length > 40, String(typed.length));
  });

  for (const { page, line } of typed)
    test(`${page}: ${line.slice(0, 100)}`, () => {
      // What stands further right explains it.
      const [shown = ""] = line.replace(/^throughline /, "").split(/ {3,}|#/, 1);
      const words = shown.split(/\s+/).filter((word) => word !== "-C");
      const found = commands
        .filter((command) => command.words.every((word, at) => words[at] === word))
        .toSorted((a, b) => b.words.length - a.words.length)[0];
      const isGroup = commands.some(({ words: [first] }) => first === words[0]);
      assert.ok(found !== undefined || isGroup, "no such command");
      if (found === undefined) return;
      const next = words[found.words.length] ?? "";
      const takesNothing = found.hints.positionals === undefined;
      assert.ok(!takesNothing || !/^[\w"]/.test(next), `"${next}" is too much`);
      const known = new Set([
        ...found.fields.flatMap(({ name }) => [flagOf(name), `no-${flagOf(name)}`]),
        ...EVERYWHERE,
      ]);
      const flags = [...(shown.split("|", 1)[0] ?? "").matchAll(/ --([a-z][a-z-]*)/g)].map(
        ([, flag = ""]) => flag,
      );
      assert.deepEqual(
        flags.filter((flag) => !known.has(flag)),
        [],
        "no such option",
      );
    });

  test("every link from page to page leads somewhere", () => {
    const broken = pages.flatMap((page) =>
      [...readFileSync(path.join(folder, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !["cli.md", "api.md"].includes(target))
        .filter((target) => !existsSync(path.resolve(folder, target)))
        .map((target) => `${page} → ${target}`),
    );
    assert.deepEqual(broken, []);
  });
});

describe("the documentation as a site", () => {
  test("has every page, the references made from operations, and working links between them", async (t) => {
    const site = mkdtempSync(path.join(tmpdir(), "throughline-site-"));
    t.after(() => rmSync(site, { recursive: true, force: true }));
    await buildDocs(site);
    const files = readdirSync(site);
    for (const page of pages) assert.ok(files.includes(page.replace(".md", ".html")), page);
    for (const file of ["index.html", "cli.html", "api.html", "docs.css"])
      assert.ok(files.includes(file), file);
    const operations = await loadOperations(listNouns(() => ""));
    const api = readFileSync(path.join(site, "api.html"), "utf8");
    for (const { name } of operations) assert.ok(api.includes(`id="${name}"`), name);
    const broken = files
      .filter((file) => file.endsWith(".html"))
      .flatMap((file) =>
        [...readFileSync(path.join(site, file), "utf8").matchAll(/(?:href|src)="\/docs\/([^"#]*)/g)]
          .map(([, target = ""]) => (target === "" ? "index.html" : target))
          .filter((target) => !files.includes(target))
          .map((target) => `${file} → ${target}`),
      );
    assert.deepEqual(broken, []);
    for (const file of files.filter((name) => name.endsWith(".html")))
      assert.doesNotMatch(
        readFileSync(path.join(site, file), "utf8"),
        /<script|style="|javascript:/i,
        file,
      );
  });
});
