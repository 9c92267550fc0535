#!/usr/bin/env node
/** The program: what was typed → the app → a surface. */

import * as nodeModule from "node:module";
import { complainAboutNode } from "./app/node-version.ts";

const complaint = complainAboutNode(process.versions.node);
if (complaint === undefined) {
  nodeModule.enableCompileCache();
  const { runProgram } = await import("./app/run-program.ts");
  process.exitCode = await runProgram(process.argv.slice(2));
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 1;
}
