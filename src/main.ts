#!/usr/bin/env node
/** The program: what was typed → the app → a surface. */

import { enableCompileCache } from "node:module";

enableCompileCache();
const { runProgram } = await import("./app/run-program.ts");
process.exitCode = await runProgram(process.argv.slice(2));
