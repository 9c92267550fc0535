/**
 * Builds the pages into `dist/`, which the server reads. `--if-changed` does nothing while what they are made of is
 * what it was. The folder changes places in one rename, so that nobody is served half a build.
 */

import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import config from "./vite.config.ts";

const HERE = import.meta.dirname;
const DIST = path.join(HERE, "dist");
const STAMP = "inputs.txt";
const SOURCES = [
  "src",
  "public",
  "index.html",
  "vite.config.ts",
  "package.json",
  "build-docs.ts",
  "../docs",
  "../package.json",
];
/** What the references in the documentation are made from. */
const OPERATIONS = ["../src/methods", "../src/kernel/operation", "../src/app"];

async function run(): Promise<void> {
  const inputs = inputsDigest();
  const onlyIfChanged = process.argv.includes("--if-changed");
  if (onlyIfChanged && inputs === stampOf(DIST)) return;
  const startedAt = performance.now();
  process.stdout.write("Building the web pages… ");
  await buildInto(`${DIST}.${process.pid}`, inputs);
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

async function buildInto(folder: string, inputs: string): Promise<void> {
  const old = `${folder}.old`;
  try {
    const { build } = await import("vite");
    await build({
      ...config,
      configFile: false,
      logLevel: "warn",
      build: { ...config.build, outDir: folder },
    });
    const { buildDocs } = await import("./build-docs.ts");
    await buildDocs(path.join(folder, "docs"));
    writeFileSync(path.join(folder, STAMP), inputs);
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(folder, DIST);
  } finally {
    for (const left of [folder, old]) rmSync(left, { recursive: true, force: true });
  }
}

function stampOf(folder: string): string | undefined {
  const file = path.join(folder, STAMP);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Tests and generated types leave no trace in the build. */
function inputsDigest(): string {
  const operations = OPERATIONS.flatMap(filesUnder).filter((file) =>
    /-(?:operations?|shape|nouns|fields|commands)\.ts$/.test(file),
  );
  const digests = [...SOURCES.flatMap(filesUnder), ...operations]
    .filter((file) => !/\.test\.ts$|operation-types\.ts$/.test(file))
    .toSorted()
    .map((file) => `${path.relative(HERE, file)} ${hash("sha256", readFileSync(file))}`);
  return hash("sha256", digests.join("\n"));
}

function filesUnder(name: string): string[] {
  const place = path.join(HERE, name);
  if (path.extname(name) !== "") return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

await run();
