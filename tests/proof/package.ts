/**
 * `npm run prove:package`: what is published works where nothing else is. Builds, packs, installs the tarball into an
 * empty folder without development packages, and there: the version, an old Node, init, a question, a workflow, the
 * served page, MCP, the types and every example. Takes a minute or two, so `npm test` leaves it out.
 */

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const root = path.join(import.meta.dirname, "..", "..");
const home = mkdtempSync(path.join(tmpdir(), "throughline-package-"));
const project = path.join(home, "project");
const {
  ANTHROPIC_API_KEY: _a,
  OPENAI_API_KEY: _o,
  GOOGLE_GENERATIVE_AI_API_KEY: _g,
  ...inherited
} = process.env;
const env = {
  ...inherited,
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"] ?? ""}`,
  NO_COLOR: "1",
  THROUGHLINE_PORT: "0",
};

const startedAt = performance.now();
function say(text: string): void {
  process.stdout.write(
    `${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}\n`,
  );
}

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", [...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function throughline(args: readonly string[], stdin = ""): string {
  const bin = path.join(project, "node_modules", ".bin", "throughline");
  const { status, stdout, stderr } = spawnSync(bin, [...args], {
    cwd: project,
    env,
    input: stdin,
    encoding: "utf8",
  });
  assert.equal(status, 0, `throughline ${args.join(" ")}: ${stderr}`);
  return stdout;
}

try {
  npm(root, "run", "--silent", "build");
  say("built");
  npm(root, "pack", "--silent", "--ignore-scripts", "--pack-destination", home);
  const tarball = readdirSync(home).find((file) => file.endsWith(".tgz"));
  assert.ok(tarball);
  const bytes = statSync(path.join(home, tarball)).size;
  say(`packed ${tarball}: ${(bytes / 1e6).toFixed(1)} MB`);

  mkdirSync(project);
  writeFileSync(
    path.join(project, "package.json"),
    '{ "name": "empty", "private": true, "type": "module" }\n',
  );
  npm(
    project,
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--silent",
    path.join(home, tarball),
  );
  const installed = path.join(project, "node_modules", "throughline");
  for (const part of [
    "dist/main.js",
    "dist/index.d.ts",
    "library",
    "web/dist/index.html",
    "web/dist/docs/index.html",
  ])
    assert.ok(existsSync(path.join(installed, part)), `${part} is missing`);
  for (const part of ["src", "tests", "node_modules/typescript", "node_modules/@biomejs"])
    assert.ok(!existsSync(path.join(installed, part)), `${part} should not be there`);
  const packages = readdirSync(path.join(project, "node_modules")).filter(
    (name) => !name.startsWith("."),
  );
  say(`installed beside ${packages.length} packages, none of them ours for development`);

  const { version } = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
    version: string;
  };
  assert.equal(throughline(["--version"]), `throughline ${version}\n`);
  complainsOnOldNode(path.join(installed, "dist", "main.js"));
  throughline(["init", "--sample"]);
  assert.match(throughline(["ask", "What should we look at first?"]), /\w/);
  const run = throughline([
    "workflow",
    "run",
    "library:translation",
    "--set",
    "text=Good morning",
    "--follow",
  ]);
  assert.match(run, /run\.(completed|held)|completed|waiting/);
  say("init, ask and workflow run");

  await servesPages();
  say("served");
  await speaksMcp();
  say("spoke MCP");

  cpSync(path.join(root, "examples"), path.join(project, "examples"), { recursive: true });
  for (const example of readdirSync(path.join(project, "examples")).filter((file) =>
    file.endsWith(".ts"),
  )) {
    const place = path.join(home, example.replace(".ts", ""));
    mkdirSync(place);
    const done = spawnSync(process.execPath, [path.join("examples", example), place], {
      cwd: project,
      env,
      encoding: "utf8",
    });
    assert.equal(done.status, 0, `${example}: ${done.stderr}`);
  }
  say("ran the examples on the installed package");
  typesAreThere();
  say("types hold");
  say("The package works in an empty project.");
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** What is too old says so in one line; whether one is on this machine decides whether that can be tried. */
function complainsOnOldNode(main: string): void {
  const old = ["/usr/bin/node", "/usr/local/bin/node", "/opt/node/bin/node"]
    .filter((file) => existsSync(file))
    .find((file) => Number(execFileSync(file, ["-p", "process.versions.node.split('.')[0]"])) < 24);
  if (old === undefined) return say("no older Node here to be refused");
  const { status, stderr } = spawnSync(old, [main, "--version"], { encoding: "utf8" });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /needs Node 24\.15 or newer; this is \d+/);
  say(`refused by ${old}: ${stderr.trim()}`);
}

async function servesPages(): Promise<void> {
  const bin = path.join(project, "node_modules", ".bin", "throughline");
  const child = spawn(bin, ["serve"], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let printed = "";
      child.stdout.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
        const found = /(http:\/\/\S+)\/#code=/.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${printed}`)));
    });
    const page = await (await fetch(url)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    assert.ok(script, "the page has its script");
    assert.equal((await fetch(url + script)).status, 200);
    assert.match(await (await fetch(`${url}/docs`)).text(), /Getting started/);
  } finally {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }
}

async function speaksMcp(): Promise<void> {
  const client = new Client({ name: "proof", version: "1.0.0" });
  const bin = path.join(project, "node_modules", ".bin", "throughline");
  await client.connect(
    new StdioClientTransport({
      command: bin,
      args: ["-C", project, "mcp"],
      env: { PATH: env.PATH },
    }),
  );
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 9);
  await client.close();
}

function typesAreThere(): void {
  const settings = {
    compilerOptions: {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "esnext.disposable"],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    },
    files: ["typed.ts"],
  };
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify(settings));
  const good = `import { openWorkspace } from "throughline";
const workspace = await openWorkspace({ directory: "." });
const { packetId } = await workspace.operations.packet.compile({ originType: "project", originId: "x" });
export const id: string = packetId;
`;
  const tsc = path.join(root, "node_modules", ".bin", "tsc");
  const check = (text: string) => {
    writeFileSync(path.join(project, "typed.ts"), text);
    return spawnSync(tsc, ["-p", project], { encoding: "utf8" });
  };
  const held = check(good);
  assert.equal(held.status, 0, held.stdout);
  assert.notEqual(check(good.replace('"project", originId', '"planet", originId')).status, 0);
}
