import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTokenCounter } from "./count-tokens.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const bytes = (count: number) =>
  Uint8Array.from({ length: count }, (_, i) => (i * 7919 + i * i * 31) % 256);

const samples: Readonly<Record<string, string>> = {
  english:
    "We need to decide by Friday whether to keep the existing database. The main risk is a lack of time, and nobody has yet spoken with the customers. ",
  markdown:
    "## Next steps\n\n1. **Measure** the import of a large export (`conversations.json`).\n2. Ask Ana about the retention rule.\n\n| step | owner |\n|---|---|\n| import | Ana |\n",
  code: 'export function add(a: Amounts, b: Amounts): Amounts {\n  return { tokens: a.tokens + b.tokens };\n}\n// "quoted" and `ticked`\n',
  json: '{"status":"SUCCESS","items":[{"id":"p3","title":"Import","score":0.82}],"next":null}\n',
  chinese: "我们需要在周五之前决定是否继续使用现有的数据库。项目的主要风险是时间不足。",
  russian: "Нам нужно решить до пятницы, будем ли мы использовать существующую базу данных. ",
  base64: Buffer.from(bytes(300)).toString("base64"),
};

test("the guess stays near the true count in every script, short or long", async () => {
  const counter = await loadTokenCounter("gpt-5");

  for (const [name, sample] of Object.entries(samples)) {
    for (const text of [sample, sample.repeat(60)]) {
      const ratio = estimateTokens(text) / counter.count(text);
      assert.ok(ratio > 0.75 && ratio < 1.35, `${name} (${text.length}): ${ratio.toFixed(2)}`);
    }
  }
});

test("nothing is no token, and a huge text costs no more time than a page", () => {
  assert.equal(estimateTokens(""), 0);
  assert.equal(estimateTokens("a"), 2);

  const huge = "x ".repeat(5_000_000);
  const before = process.cpuUsage();
  estimateTokens(huge);
  const { user, system } = process.cpuUsage(before);

  assert.ok((user + system) / 1000 < 500);
});
