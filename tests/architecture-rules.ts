/** The rules of ARCHITECTURE.md as functions over source files; each returns the breaches it finds. */

import path from "node:path";
import { blankText } from "./blank-text.ts";

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly code: string;
}

/** By file, what it alone may use and nobody else in its reach. */
export type Exceptions = Readonly<Record<string, readonly string[]>>;

/** Inside the kernel a folder may import only the folders named before it. */
const KERNEL_ORDER = [
  "base",
  "contract",
  "model",
  "library",
  "prompt",
  "store",
  "run",
  "vcs",
  "operation",
];

const LAYERS = ["kernel", "methods", "adapters", "surfaces"];

/** What a layer may take from npm; the ones not named here may take anything. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  kernel: ["gpt-tokenizer", "jsonc-parser", "jsonrepair", "kysely", "partial-json", "pg", "zod"],
  methods: ["kysely", "zod"],
  surfaces: ["@hono/node-server", "@modelcontextprotocol/server", "hono", "zod"],
};

const VAGUE_NAMES =
  /^(?:index|utils?|helpers?|common|misc|types|constants|managers?|services?|shared)$/;

/** A file may import its own unit and the kernel, inside the kernel only earlier folders; `app` joins. */
export function findBrokenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ specifier }) => path.posix.join(path.posix.dirname(file.path), specifier))
      .filter((target) => !mayReach(file.path, target))
      .map(
        (target) =>
          `${file.path} imports ${target}: ${unitOf(file.path)} must not know ${unitOf(target)}`,
      ),
  );
}

/** Files that lie where the order of layers says nothing about them. */
export function findMisplacedFiles(files: readonly SourceFile[]): string[] {
  return files
    .map((file) => ({ path: file.path, unit: unitOf(file.path) }))
    .filter(({ unit }) => {
      const [layer = "", folder] = unit.split("/");
      if (unit === "app") return false;
      if (!LAYERS.includes(layer) || folder === undefined) return true;
      return layer === "kernel" && !KERNEL_ORDER.includes(folder);
    })
    .map((file) => `${file.path}: no layer has this place`);
}

/** A shipped file may not lean on tests, nor a layer on packages that are none of its business. */
export function findForeignImports(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !isTest(file.path))
    .flatMap((file) => {
      const allowed = PACKAGES[unitOf(file.path).split("/")[0] ?? ""];
      return importsOf(file)
        .filter(({ specifier }) => {
          if (specifier.startsWith(".")) return isTest(specifier);
          if (specifier.startsWith("node:")) return specifier === "node:test";
          return allowed !== undefined && !allowed.includes(packageOf(specifier));
        })
        .map(({ specifier }) => `${file.path} imports ${specifier}`);
    });
}

/** Files and folders named after nothing, and files that only pass on what others define. */
export function findVagueFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path !== "src/index.ts")
    .flatMap((file) => {
      const vague = file.path
        .replace(/(?:\.test|\.suite)?\.ts$/, "")
        .split("/")
        .filter((name) => VAGUE_NAMES.test(name));
      const passesOn = importsOf(file).filter((each) => each.exports);
      return [
        ...vague.map((name) => `${file.path}: "${name}" says nothing`),
        ...passesOn.map(({ specifier }) => `${file.path} passes on ${specifier}`),
      ];
    });
}

const IMPURE_WORDS: Readonly<Record<string, RegExp>> = {
  "Date.now": /\bDate\.now\b/,
  "new Date()": /\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()/,
  "performance.now": /\bperformance\.(?:now|timeOrigin)\b/,
  "Math.random": /\bMath\.random\b/,
  randomness: /\b(?:randomUUID|randomBytes|randomInt|randomFill(?:Sync)?|getRandomValues)\b/,
  setTimeout: /\bsetTimeout\b/,
  setInterval: /\bsetInterval\b/,
};

const IMPURE_MODULES =
  /^(?:node:)?(child_process|fs|http|https|http2|net|tls|dgram|dns|timers|cluster)(?:\/|$)/;

/** Time, chance, files, processes and the network reach the kernel through ports only. */
export function findImpureKernel(files: readonly SourceFile[], exceptions: Exceptions): string[] {
  return files
    .filter((file) => file.path.startsWith("src/kernel/") && !isTest(file.path))
    .flatMap((file) =>
      impuritiesOf(file)
        .filter((name) => !exceptions[file.path]?.includes(name))
        .map((name) => `${file.path} uses ${name}`),
    );
}

/** Exceptions that nothing needs any more, so that the list can only shrink. */
export function findIdleExceptions(files: readonly SourceFile[], exceptions: Exceptions): string[] {
  return Object.entries(exceptions).flatMap(([name, uses]) => {
    const file = files.find((candidate) => candidate.path === name);
    const needed = file === undefined ? [] : impuritiesOf(file);
    return uses.filter((use) => !needed.includes(use)).map((use) => `${name} does not use ${use}`);
  });
}

function impuritiesOf(file: SourceFile): string[] {
  const code = blankText(file.code, "code");
  const words = Object.entries(IMPURE_WORDS).filter(([, pattern]) => pattern.test(code));
  const modules = importsOf(file).flatMap(
    ({ specifier }) => IMPURE_MODULES.exec(specifier)?.[1] ?? [],
  );
  return [...words.map(([name]) => name), ...new Set(modules.map((name) => `node:${name}`))];
}

/** Text never becomes code. */
export function findCodeFromText(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const code = blankText(file.code, "code");
    const words =
      code.match(/\beval\b(?=\s*[(.)])|\bnew\s+Function\b|(?<![\w.])Function\s*\(/g) ?? [];
    const modules = importsOf(file).filter(({ specifier }) =>
      /^(?:node:)?(?:vm|repl|inspector)(?:\/|$)/.test(specifier),
    );
    return [...words, ...modules.map(({ specifier }) => specifier)].map(
      (use) => `${file.path} uses ${use}`,
    );
  });
}

/** Only the engine calls models: what it calls is recorded, priced and bounded. */
export function findStrayModelCalls(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !mayCallModels(file.path))
    .filter((file) => /\.call\s*\(/.test(blankText(file.code, "code")))
    .map((file) => `${file.path} calls a model (or names something else \`call\`)`);
}

/** What tests are set up with may stand between the rehearsal model and the engine. */
function mayCallModels(file: string): boolean {
  if (file.startsWith("src/kernel/run/") || file.startsWith("src/adapters/")) return true;
  return file.endsWith(".suite.ts") || (file.startsWith("src/kernel/model/") && isTest(file));
}

interface Import {
  readonly specifier: string;
  /** `export … from` */
  readonly exports: boolean;
}

const IMPORT =
  /\b(?:(import|export)\b[^"';()]*?\bfrom\s*|import\s*\(?\s*|new\s+URL\s*\(\s*(?=["']\.))["']([^"'\n]+)["']/g;

function importsOf(file: SourceFile): Import[] {
  const code = blankText(file.code, "code");
  return [...blankText(file.code, "imports").matchAll(IMPORT)]
    .filter(({ index }) => code.charAt(index) !== " ")
    .map(([, word, specifier = ""]) => ({ specifier, exports: word === "export" }));
}

/** `src/methods/ask/answer.ts` → `methods/ask`; src/app and files straight under src/ → `app`. */
function unitOf(file: string): string {
  const [root, layer = "", folder = "", ...deeper] = file.split("/");
  if (root !== "src") return "what lies outside src";
  if (folder === "" || layer === "app") return "app";
  return deeper.length === 0 ? layer : `${layer}/${folder}`;
}

/** Tests may also stand on the scratch databases in tests/ and look at the library's files. */
function mayReach(file: string, target: string): boolean {
  const isFixture = target.startsWith("tests/scratch/") || target.startsWith("library/");
  return mayImport(unitOf(file), unitOf(target)) || (isTest(file) && isFixture);
}

function mayImport(from: string, to: string): boolean {
  if (from === to || from === "app") return true;
  const rank = (unit: string): number =>
    unit.startsWith("kernel/") ? KERNEL_ORDER.indexOf(unit.slice("kernel/".length)) : Infinity;
  return rank(to) >= 0 && rank(to) < rank(from);
}

function packageOf(specifier: string): string {
  const [first = "", second] = specifier.split("/");
  return first.startsWith("@") && second !== undefined ? `${first}/${second}` : first;
}

function isTest(file: string): boolean {
  return /\.(?:test|suite)\.ts$/.test(file);
}
