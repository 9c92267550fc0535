/** What this program calls itself. */

import { readFileSync } from "node:fs";
import path from "node:path";

const { version } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "..", "..", "package.json"), "utf8"),
) as { version: string };

export const PROGRAM = {
  name: "throughline",
  title: "Throughline",
  version,
  summary: "Keeps the thread of AI work.",
};
