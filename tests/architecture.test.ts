/** The shape of the source. Each rule is run over the repository and over planted breaches. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  type Exceptions,
  findBrokenImports,
  findCodeFromText,
  findForeignImports,
  findIdleExceptions,
  findImpureKernel,
  findMisplacedFiles,
  findStrayModelCalls,
  findVagueFiles,
  type SourceFile,
} from "./architecture-rules.ts";
import { blankText } from "./blank-text.ts";

const root = path.join(import.meta.dirname, "..");

const sources: readonly SourceFile[] = globSync("src/**/*.ts", { cwd: root }).map((file) => ({
  path: file.split(path.sep).join("/"),
  code: readFileSync(path.join(root, file), "utf8"),
}));

/** The ports of the kernel: the only places where it touches time, chance, files and processes. */
const kernelPorts: Exceptions = {
  "src/kernel/base/clock.ts": ["Date.now", "performance.now", "setTimeout"],
  "src/kernel/base/ids.ts": ["randomness"],
  "src/kernel/library/library-files.ts": ["node:fs"],
  "src/kernel/operation/uploads.ts": ["node:fs"],
  "src/kernel/store/backup-files.ts": ["node:fs"],
  "src/kernel/store/file-in-place.ts": ["node:fs"],
  "src/kernel/store/grow-log.ts": ["node:fs"],
  "src/kernel/store/postgres-store.ts": ["setTimeout"],
};

test("a file imports its own unit or the kernel; only app joins units", () => {
  const advice = "Move the shared piece down into the kernel, or join the two in src/app.";

  assert.deepEqual(findMisplacedFiles(sources), [], advice);
  assert.deepEqual(findBrokenImports(sources), [], advice);
});

test("shipped code leans neither on tests nor on packages outside its layer", () => {
  assert.deepEqual(
    findForeignImports(sources),
    [],
    "Brands and transports belong into adapters and surfaces; a package a layer truly needs is added to PACKAGES.",
  );
});

test("no file hides behind a barrel or a bucket name", () => {
  assert.deepEqual(
    findVagueFiles(sources),
    [],
    "Name the file after what it holds; import from where a thing is defined.",
  );
});

test("the kernel reaches time, chance, files, processes and network through ports only", () => {
  assert.deepEqual(
    findImpureKernel(sources, kernelPorts),
    [],
    "Take a Clock, an IdSource or a port as an argument; a new port file is added to kernelPorts.",
  );
});

test("every exception is still needed", () => {
  assert.deepEqual(findIdleExceptions(sources, kernelPorts), [], "Remove it from kernelPorts.");
});

test("text never becomes code", () => {
  assert.deepEqual(findCodeFromText(sources), []);
});

test("only the engine calls models", () => {
  assert.deepEqual(
    findStrayModelCalls(sources),
    [],
    "Return a turn from a handler and let the run make the call, so that it is kept, priced and bounded.",
  );
});

function file(place: string, code: string): SourceFile {
  return { path: place, code };
}

test("planted imports across units are found, and lawful ones are not", () => {
  const broken: [string, string][] = [
    ["src/methods/ask/a.ts", 'import { x } from "../team/x.ts";'],
    ["src/methods/ask/a.test.ts", 'import { x } from "../team/x.ts";'],
    ["src/methods/ask/deep/a.ts", 'import type { X } from "../../team/x.ts";'],
    ["src/methods/ask/a.ts", 'import { x } from "../../adapters/git/x.ts";'],
    ["src/methods/ask/a.ts", 'import { x } from "../../app/config.ts";'],
    ["src/methods/ask/a.ts", 'import { x } from "../../main.ts";'],
    ["src/surfaces/cli/a.ts", 'import { x } from "../../methods/ask/x.ts";'],
    ["src/surfaces/cli/a.ts", 'import {\n  x,\n  y,\n} from "../http/x.ts";'],
    ["src/adapters/git/a.ts", 'const x = await import("../jj/x.ts");'],
    ["src/adapters/git/a.ts", 'const x = new Worker(new URL("../jj/x.ts", import.meta.url));'],
    ["src/kernel/base/a.ts", 'import { x } from "../contract/x.ts";'],
    ["src/kernel/store/a.ts", 'import { x } from "../run/x.ts";'],
    ["src/kernel/run/a.ts", 'export { x } from "../operation/x.ts";'],
    ["src/kernel/run/a.ts", 'import "../../methods/ask/x.ts";'],
    ["src/kernel/run/a.suite.ts", 'import { x } from "../../adapters/git/x.ts";'],
    ["src/kernel/run/a.ts", 'import { x } from "../unheard/x.ts";'],
    ["src/methods/ask/a.ts", 'import x from "../../../library/x.json";'],
    ["src/methods/ask/a.ts", 'import { x } from "../../../tests/x.ts";'],
    ["src/methods/ask/a.ts", 'const slash = /["/]/;\nimport { x } from "../team/x.ts";'],
  ];
  const lawful: [string, string][] = [
    [
      "src/methods/ask/a.ts",
      'import { x } from "./x.ts";\nimport { y } from "../../kernel/run/y.ts";',
    ],
    ["src/methods/ask/deep/a.ts", 'import { x } from "../x.ts";'],
    [
      "src/kernel/run/a.ts",
      'import { x } from "../store/x.ts";\nimport { y } from "../base/y.ts";',
    ],
    ["src/adapters/git/a.test.ts", 'import { x } from "../../kernel/vcs/vcs.suite.ts";'],
    ["src/kernel/store/a.test.ts", 'import { x } from "../../../tests/scratch/scratch-store.ts";'],
    [
      "src/app/a.ts",
      'import { x } from "../methods/ask/x.ts";\nimport { y } from "../adapters/git/y.ts";',
    ],
    ["src/main.ts", 'import { x } from "./surfaces/cli/x.ts";'],
    ["src/methods/ask/a.ts", '// import { x } from "../team/x.ts";\n/* import "../team/y.ts"; */'],
    [
      "src/methods/ask/a.ts",
      'const text = `import { x } from "../team/x.ts" ${a + `from "../b"`}`;',
    ],
  ];

  for (const [place, code] of broken) {
    assert.equal(findBrokenImports([file(place, code)]).length, 1, `${place}: ${code}`);
  }
  for (const [place, code] of lawful) {
    assert.deepEqual(findBrokenImports([file(place, code)]), []);
  }
});

test("planted files in unknown places are found", () => {
  const places = [
    "src/kernel/loose.ts",
    "src/kernel/extras/a.ts",
    "src/plugins/x/a.ts",
    "src/methods/a.ts",
  ];

  assert.equal(findMisplacedFiles(places.map((place) => file(place, ""))).length, places.length);
  assert.deepEqual(
    findMisplacedFiles([file("src/main.ts", ""), file("src/app/config.ts", "")]),
    [],
  );
});

test("planted brands, test tools and suites in shipped code are found", () => {
  const broken: [string, string][] = [
    ["src/kernel/model/a.ts", 'import { x } from "@ai-sdk/openai";'],
    ["src/kernel/run/a.ts", 'import { PgBoss } from "pg-boss";'],
    ["src/kernel/base/a.ts", 'import * as fc from "fast-check";'],
    ["src/kernel/base/a.ts", 'import { test } from "node:test";'],
    ["src/adapters/git/a.ts", 'import { x } from "./a.suite.ts";'],
    ["src/methods/ask/a.ts", 'import { Hono } from "hono/tiny";'],
    ["src/surfaces/http/a.ts", 'const x = await import("@ai-sdk/provider");'],
  ];

  for (const [place, code] of broken) {
    assert.equal(findForeignImports([file(place, code)]).length, 1, `${place}: ${code}`);
  }
  assert.deepEqual(
    findForeignImports([
      file("src/kernel/base/a.test.ts", 'import * as fc from "fast-check";'),
      file("src/adapters/ai-sdk/a.ts", 'import { x } from "@ai-sdk/openai";'),
      file("src/kernel/contract/a.ts", 'import { z } from "zod/v4";'),
      file("src/kernel/contract/b.ts", 'const words = ["import", "export", "from", "x"];'),
    ]),
    [],
  );
});

test("planted barrels and bucket names are found", () => {
  const broken: [string, string][] = [
    ["src/kernel/run/index.ts", ""],
    ["src/kernel/run/utils.ts", ""],
    ["src/kernel/run/helpers.test.ts", ""],
    ["src/methods/ask/types.ts", ""],
    ["src/methods/common/a.ts", ""],
    ["src/methods/ask/a.ts", 'export * from "./b.ts";'],
    ["src/methods/ask/a.ts", 'export { type B, c as d } from "./b.ts";'],
  ];

  for (const [place, code] of broken) {
    assert.equal(findVagueFiles([file(place, code)]).length, 1, place);
  }
  assert.deepEqual(
    findVagueFiles([
      file("src/index.ts", 'export { x } from "./app/x.ts";'),
      file("src/surfaces/http/api-types.ts", "export interface A {}"),
      file("src/kernel/store/a.ts", 'export const a = 1;\nimport { b } from "./b.ts";'),
    ]),
    [],
  );
});

test("planted clocks, dice, files and processes in the kernel are found", () => {
  const impure = [
    "const at = Date.now();",
    "const at = new Date();",
    "const at = `${new Date().toISOString()}`;",
    "const at = performance.now();",
    "const dice = Math.random();",
    "const id = crypto.randomUUID();",
    'import { randomBytes } from "node:crypto";',
    "setTimeout(done, 5);",
    "const every = setInterval(tick, 5);",
    'import { spawn } from "node:child_process";',
    'import { readFile } from "node:fs/promises";',
    'import fs from "fs";',
    'const { spawn } = await import("node:child_process");',
    'import { request } from "node:https";',
  ];
  const pure = [
    "const at = clock.now(); // never Date.now()",
    'const advice = "Pass a clock instead of Date.now() or setTimeout()";',
    "const at = new Date(row.createdAt);",
    "/** Math.random would make this unrepeatable. */",
    "const pattern = /Math.random|`/; const a = `b`;",
    'import path from "node:path";',
  ];

  for (const code of impure) {
    assert.equal(findImpureKernel([file("src/kernel/run/a.ts", code)], {}).length, 1, code);
    assert.deepEqual(findImpureKernel([file("src/adapters/git/a.ts", code)], {}), []);
    assert.deepEqual(findImpureKernel([file("src/kernel/run/a.test.ts", code)], {}), []);
  }
  for (const code of pure) {
    assert.deepEqual(findImpureKernel([file("src/kernel/run/a.ts", code)], {}), [], code);
  }
});

test("an exception covers one use in one file, and is reported once idle", () => {
  const clock = file("src/kernel/base/clock.ts", "export const now = () => Date.now();");
  const allowed = { "src/kernel/base/clock.ts": ["Date.now"] };

  assert.deepEqual(findImpureKernel([clock], allowed), []);
  assert.deepEqual(
    findImpureKernel([{ ...clock, path: "src/kernel/base/b.ts" }], allowed).length,
    1,
  );
  assert.deepEqual(findIdleExceptions([clock], allowed), []);
  assert.deepEqual(findIdleExceptions([], allowed).length, 1);
  assert.deepEqual(
    findIdleExceptions([clock], { "src/kernel/base/clock.ts": ["Date.now", "Math.random"] }).length,
    1,
  );
});

test("planted evaluation of text is found", () => {
  for (const code of [
    "eval(text);",
    "const run = (0, eval)(text);",
    "new Function('a', text);",
    "const make = Function(text);",
    'import vm from "node:vm";',
    'import { Script } from "vm";',
    "const a = `${eval(text)}`;",
  ]) {
    assert.equal(findCodeFromText([file("src/methods/ask/a.test.ts", code)]).length, 1, code);
  }
  for (const code of [
    "const a = parseFunction(text);",
    'assert.equal(text, "eval(x)"); // eval(x)',
    "type Handler = Function;",
    "evaluate(condition);",
  ]) {
    assert.deepEqual(findCodeFromText([file("src/methods/ask/a.ts", code)]), [], code);
  }
});

test("planted model calls outside the engine are found", () => {
  const code = "for await (const delta of provider.call(request, { signal })) use(delta);";

  for (const place of [
    "src/methods/ask/a.ts",
    "src/surfaces/http/a.ts",
    "src/app/a.ts",
    "src/kernel/model/a.ts",
    "src/kernel/prompt/a.ts",
    "src/methods/ask/a.test.ts",
  ]) {
    assert.equal(findStrayModelCalls([file(place, code)]).length, 1, place);
  }
  for (const place of [
    "src/kernel/run/call-model.ts",
    "src/adapters/ai-sdk/a.test.ts",
    "src/kernel/model/model-provider.suite.ts",
    "src/kernel/model/rehearsal.test.ts",
  ]) {
    assert.deepEqual(findStrayModelCalls([file(place, code)]), [], place);
  }
});

test("blanking keeps code, drops text, and keeps every line where it was", () => {
  const source = [
    "const a = 'x' + \"y//\"; // gone",
    "const b = `t ${c + `u ${d}` + '}'} v` / 2; /* gone",
    "gone */ const e = /[/'\"`]/g.test(f) ? g / h / i : { j: 1 };",
  ].join("\n");

  const blanked = blankText(source, "code");

  assert.equal(blanked.length, source.length);
  assert.deepEqual(
    blanked.split("\n").map((line) => line.replaceAll(/\s+/g, " ").trim()),
    ["const a = + ;", "const b = c + d + / 2;", "const e = .test(f) ? g / h / i : { j: 1 };"],
  );
});
