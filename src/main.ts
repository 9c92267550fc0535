#!/usr/bin/env node
/** The program: what was typed → the app → a surface. */

import { runProgram } from "./app/run-program.ts";

process.exitCode = await runProgram(process.argv.slice(2));
