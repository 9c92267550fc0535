/**
 * Everything that reads text from outside, with generated hostile texts by category: it answers or refuses by name, in
 * no time, and nothing it makes leads outside, carries a command to a terminal or touches a prototype. `HOSTILE_TEXTS=1`
 * gives every reader every text; some are given otherwise.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { evaluateCondition } from "../../src/kernel/base/condition-evaluate.ts";
import { parseCondition } from "../../src/kernel/base/condition-parse.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { parseJson } from "../../src/kernel/base/safe-json.ts";
import { parseTemplate, renderTemplate } from "../../src/kernel/base/template.ts";
import { defineContract } from "../../src/kernel/contract/contract.ts";
import { readReply } from "../../src/kernel/contract/read-reply.ts";
import { readFrontMatter } from "../../src/kernel/library/front-matter.ts";
import { manyLines, oneLine } from "../../src/kernel/operation/terminal-text.ts";
import { cleanUntrusted } from "../../src/kernel/prompt/clean-untrusted.ts";
import { redactSecrets } from "../../src/kernel/prompt/find-secrets.ts";
import { isBookmarkName } from "../../src/kernel/vcs/bookmark-name.ts";
import { parseIntent } from "../../src/kernel/vcs/intent-message.ts";
import { requireRepositoryPath, subjectFolder } from "../../src/kernel/vcs/repository-path.ts";
import { parseSessionMessage } from "../../src/kernel/vcs/session-message.ts";
import { folderName, placeOf, slugOf } from "../../src/methods/dialectic/files/path-codec.ts";
import { parseCron } from "../../src/methods/pipeline/starters/cron.ts";
import { parseDuration } from "../../src/methods/pipeline/workflow/duration.ts";
import { readWorkflow } from "../../src/methods/pipeline/workflow/read-workflow.ts";
import { generatedTexts } from "./generated-texts.ts";

const EVERY = Number(process.env["HOSTILE_TEXTS"] ?? 9);
const SLOWEST_MS = 2000;

const contract = defineContract({
  name: "hostile",
  schema: z.object({ status: z.enum(["SUCCESS", "FAILED"]), output: z.string() }),
});
const scope = { output: { status: "approved" }, run: { input: { parts: ["one"] } } };
/** A backslash is a letter here: the program does not start on Windows. */
const outside = /(?:^|\/)\.\.(?:\/|$)|^\/|\0/;
const escapes = /(?![\t\n])\p{Cc}/u;

/** Each gives what broke, if anything did. */
const READERS: Readonly<Record<string, (text: string) => string | undefined | void>> = {
  JSON: (text) => void parseJson(text),
  conditions: (text) => void evaluateCondition(parseCondition(text), scope),
  templates: (text) => {
    const { text: rendered } = renderTemplate(parseTemplate(text), scope);
    return /\[native code\]|function \w*\(/.test(rendered.replaceAll(text, "")) &&
      !/\[native code\]|function/.test(text)
      ? "code came out"
      : undefined;
  },
  replies: (text) => void readReply(contract, text, { finish: "stop" }),
  workflows: (text) => void readWorkflow(text),
  "front matter": (text) => void readFrontMatter(text),
  "terminal, one line": (text) =>
    escapes.test(oneLine(text)) ? "an escape came through" : undefined,
  "terminal, lines": (text) =>
    escapes.test(manyLines(text)) ? "an escape came through" : undefined,
  "untrusted text": (text) => void cleanUntrusted(text),
  secrets: (text) => void redactSecrets(text),
  "paths in a repository": (text) =>
    outside.test(requireRepositoryPath(text)) ? "it leads outside" : undefined,
  "folders of subjects": (text) =>
    outside.test(subjectFolder(text)) ? "it leads outside" : undefined,
  "names of models": (text) => (outside.test(slugOf(text)) ? "it leads outside" : undefined),
  "names of folders": (text) => (outside.test(folderName(text)) ? "it leads outside" : undefined),
  "paths of documents": (text) => void placeOf(text),
  branches: (text) =>
    isBookmarkName(text) && /\.\.|[\0 ~^:?*[\\]/.test(text) ? "git would not" : undefined,
  intents: (text) => void parseIntent(text),
  "messages of sessions": (text) => void parseSessionMessage(text),
  cron: (text) => void parseCron(text),
  durations: (text) => void parseDuration(text),
};

describe("hostile texts for everything that reads", () => {
  test("are read or refused by name, quickly, and lead nowhere", (t) => {
    const broken: string[] = [];
    let given = 0;
    let turn = 0;
    const texts = generatedTexts();
    for (const [category, all] of Object.entries(texts)) {
      for (const text of all) {
        for (const [reader, read] of Object.entries(READERS)) {
          if (turn++ % EVERY !== 0) continue;
          given += 1;
          const begun = performance.now();
          let wrong: string | undefined | void;
          try {
            wrong = read(text);
          } catch (error) {
            if (!(error instanceof ProductError) || error.kind === "internal")
              wrong = String(error);
          }
          const took = performance.now() - begun;
          if (took > SLOWEST_MS) wrong = `took ${Math.round(took)} ms`;
          if (typeof wrong === "string")
            broken.push(
              `${category} for ${reader}: ${JSON.stringify(text.slice(0, 80))}: ${wrong}`,
            );
        }
      }
    }
    assert.deepEqual(broken.slice(0, 20), []);
    assert.equal(({} as { owned?: unknown }).owned, undefined);
    const counts = Object.entries(texts).map(([category, all]) => `${category} ${all.length}`);
    t.diagnostic(`texts by category: ${counts.join(", ")}`);
    t.diagnostic(`${given} readings by ${Object.keys(READERS).length} readers, 0 broken`);
  });
});
