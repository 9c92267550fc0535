/**
 * Tries what is promised and prints what broke.
 *
 *   npm run prove          everything, hours
 *   npm run prove:quick    a share of it, ten minutes
 *   … -- --write           also keeps the table, with date and machine, in docs/proof.md
 */

import { spawn } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { PROOFS, type Proof } from "./proofs.ts";

const root = path.join(import.meta.dirname, "..", "..");
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

interface Result {
  readonly proof: Proof;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  readonly figures: readonly string[];
}

const chosen = PROOFS.filter(({ files }) => files.some((file) => file.includes(values.only ?? "")));
const results: Result[] = [];
for (const proof of chosen) {
  process.stdout.write(`${proof.tried} …\n`);
  const result = await prove(proof);
  results.push(result);
  for (const figure of result.figures) process.stdout.write(`    ${figure}\n`);
  const verdict = result.failed === 0 && result.passed > 0 ? "held" : "BROKEN";
  process.stdout.write(
    `  ${verdict}: ${result.passed} passed, ${result.failed} failed, ${result.seconds} s\n`,
  );
}
const table = tableOf(results);
process.stdout.write(`\n${table}\n`);
if (values.write) writeFileSync(path.join(root, "docs", "proof.md"), pageOf(table));
process.exit(results.some(({ failed, passed }) => failed > 0 || passed === 0) ? 1 : 0);

async function prove(proof: Proof): Promise<Result> {
  const files = proof.files.flatMap((file) => globSync(file, { cwd: root }));
  const only = proof.only === undefined ? [] : [`--test-name-pattern=${proof.only}`];
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    ["--test", "--test-concurrency=1", "--test-reporter=spec", ...only, ...files],
    { cwd: root, env: { ...process.env, ...(values.quick ? proof.quick : proof.long) } },
  );
  let output = "";
  child.stdout.on("data", (text) => (output += String(text)));
  child.stderr.on("data", (text) => (output += String(text)));
  await new Promise((resolve) => child.once("close", resolve));
  const total = (what: string) =>
    Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  const failed = total("fail") + total("cancelled");
  if (failed > 0) process.stdout.write(output.slice(output.indexOf("✖ failing tests:")));
  return {
    proof,
    passed: total("pass"),
    failed,
    seconds: Math.round((performance.now() - begun) / 1000),
    // Diagnostics of tests are indented; the runner's own summary is not.
    figures: [...output.matchAll(/^\s+ℹ (.*)$/gm)].map(([, figure = ""]) => figure),
  };
}

function tableOf(all: readonly Result[]): string {
  const rows = all.map(({ proof, passed, failed, seconds, figures }) => {
    const told = figures
      .filter((figure) => /\d/.test(figure))
      .slice(0, 12)
      .join("; ");
    return `| ${proof.promise} | ${proof.tried} | ${told} | ${passed} held, ${failed} broken | ${seconds} s |`;
  });
  return ["| Promise | Tried | Figures | Result | Time |", "|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function pageOf(table: string): string {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ${process.platform}`;
  const mode = values.quick ? "npm run prove:quick" : "npm run prove";
  return `# Proof

\`${mode}\` on ${new Date().toISOString().slice(0, 10)}: ${machine}. A share of every row is in \`npm test\`. A simulated world that fails names its seed; \`SEED="world 22" node --test tests/simulation/simulation.test.ts\` plays it again, the same to the last byte.

${table}

Not promised: that a model is called exactly once (calls are at least once, bounded and on record), that others do things once who take no idempotency key, order between runs, protection from root or from other programs of the same user, that what a model says is true.
`;
}
