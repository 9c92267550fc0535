/** Hostile texts as the content of teams, sessions and dialectics: names, products, comments, intents, reports, documents. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Call, callsTo } from "../scratch/call-server.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { missingProgram } from "../scratch/scratch-repository.ts";
import { openBrowser, type Visit, visit } from "../web/browser.ts";
import { makeRepository } from "../web/furnished.ts";
import { until } from "../web/until.ts";
import { shownTexts } from "./corpus.ts";
import { canBeKept, oneLine, TELL_ON_THEM, type Witness, witness } from "./witness.ts";

const TEXTS = shownTexts().filter(canBeKept);
const SHORT = TEXTS.filter((text) => text.length <= 300);
/** What looks like a key is taken out before anything is shown. */
const LINES = [...new Set(SHORT.map(oneLine))].filter(
  (line) => line.length > 3 && !line.includes("base64"),
);
/** Blocks of text as long as a field may be. */
const BLOCKS = Array.from({ length: Math.ceil(SHORT.length / 40) }, (_, n) =>
  SHORT.slice(n * 40, (n + 1) * 40).join("\n\n"),
);
const PRODUCTS = 60;
/** What looks like a password in a hostile address is part of the trial. */
const ALLOWED = { allowSecret: "made up" };

/** Models that give the texts back: in the documents of a dialectic, and as what a chair asks for. */
function addModels({ folder }: ScratchFolder): void {
  const place = path.join(folder, ".throughline");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const [a, b, c, d] = BLOCKS;
  const missingDetails = LINES.slice(0, 8).map((question, n) => {
    return { question, blocking: true, options: LINES.slice(8 + n * 2, 10 + n * 2) };
  });
  const scripts = {
    writer: [
      {
        step: "thesis_generate_business_case",
        continuation: "*",
        set: { executive_summary: a, market_opportunity: b, user_problem_validation: c },
      },
      { step: "thesis_generate_technical_approach", continuation: "*", set: { architecture: d } },
    ],
    asking: [{ step: "bootstrap", continuation: "*", set: { missingDetails } }],
  };
  const providers = Object.entries(scripts).map(([name, replies]) => {
    const script = path.join(folder, `${name}.json`);
    writeFileSync(script, JSON.stringify({ replies }));
    return [name, { kind: "rehearsal", script }];
  });
  const config = { rateLimit: { perSecond: 0 }, providers: Object.fromEntries(providers) };
  writeFileSync(path.join(place, "config.json"), JSON.stringify(config));
}

/** Everything in it that people write, written by somebody hostile. */
function hostileTeam(): string {
  const [name = "", description = "", field = "", example = "", rootName = "", ...rest] = LINES;
  const roles = ["chair", "operative", "operative", "watchdog", "envoy"];
  const members = roles.map((role, n) => ({
    name: rest[n * 4],
    role,
    teamRole: rest[n * 4 + 1],
    skills: [rest[n * 4 + 2]],
    characteristics: [rest[n * 4 + 3]],
  }));
  const products = LINES.slice(30, 30 + PRODUCTS).map((title, n) => ({
    name: title,
    type: "content",
    owner: members[1 + (n % 2)]?.name,
    description: SHORT[n + 100],
    dod: [LINES[n + 110], LINES[n + 150]],
  }));
  const team = { name, description, field, example, rootName, rootDod: rest.slice(20, 26) };
  return JSON.stringify({ ...team, members, products });
}

describe("hostile texts as the content of methods, in the browser", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;
  let seen: Witness;
  let call: Call;

  before(async () => {
    home = scratchFolder();
    makeRepository(home);
    addModels(home);
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    call = callsTo(server);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
    await visitor.context.addInitScript(TELL_ON_THEM);
    await page.reload();
    await page.locator(".app").waitFor();
    seen = witness(page);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("as a team: its members, products, directives, versions, comments and envelopes", async () => {
    const { id: team } = await call("team.add", { definition: hostileTeam() });
    const [prompt = "", written = "", charter = ""] = BLOCKS;
    const { runId } = await call("team.start", { team, prompt, rounds: 1 });
    await until("the team concludes", async () => {
      return (await call("team.status", { runId })).status === "concluded";
    });
    await call("team.mission", {
      runId,
      statement: LINES[3],
      charter,
      objectives: LINES.slice(40, 48),
      constraints: LINES.slice(48, 60),
    });
    await call("team.write", { runId, product: "p2", content: written });
    const comments = SHORT.slice(60, 90);
    for (const [n, text] of comments.entries())
      await call("team.comment", { runId, product: "p2", content: `${n} ${n} ${n}: ${text}` });

    await seen.go("/teams");
    await seen.go(`/teams/${runId}`);
    seen.assertShown(await seen.textOf(".team-side"), [prompt, ...LINES.slice(40, 60)], "mission");
    await seen.go(`/teams/${runId}/products`);
    seen.assertShown(await seen.textOf(".team-tree"), LINES.slice(30, 30 + PRODUCTS), "products");
    for (let n = 2; n <= 12; n += 1) await seen.go(`/teams/${runId}/products/p${n}`);
    await seen.go(`/teams/${runId}/products/p2`);
    seen.assertShown(await seen.textOf(".main"), comments, "comments");
    await page.getByRole("button", { name: "Trace sentences" }).click();
    await page.locator(".sentence").first().click();
    const { items } = await call("exchange.list", { runId });
    for (const { id } of items.slice(0, 6)) await seen.go(`/prompts/${id}`);
    await seen.go(`/teams/${runId}/envelopes`);
    await page.locator(".item").nth(3).click();
    await page.locator(".item[aria-current=true]").first().waitFor();
  });

  test("as what the chair of a team needs to know", async () => {
    const { runId } = await call("team.start", { team: "lab", rounds: 1, model: "asking/asking" });
    await until("it asks", async () => {
      return (await call("team.status", { runId })).waits.length > 0;
    });
    await seen.go(`/teams/${runId}`);
    seen.assertShown(await seen.textOf(".team-halt"), LINES.slice(0, 8), "questions");
    const { items } = await call("inbox.list", { all: true });
    for (const { id } of items) await seen.go(`/inbox/${id}`);
  });

  test("as documents of a dialectic, in every view of them", async () => {
    const { runId } = await call("dialectic.start", {
      request: BLOCKS[0] ?? "",
      title: LINES[0],
      model: ["writer/writer"],
      overlay: [`tone=${LINES[1]}`],
    });
    await until("the first stage is done", async () => {
      return (await call("dialectic.status", { runId })).state === "waiting";
    });
    for (const tab of ["", "/remarks", "/cost", "/files"])
      await seen.go(`/dialectic/${runId}${tab}`);
    const document = `/dialectic/${runId}/document/thesis`;
    for (const key of ["business_case", "technical_approach"])
      for (const view of ["", "?view=changes", "?view=data", "?pane=ledger"])
        await seen.go(`${document}/${key}/s1${view}`);
    const { items } = await call("artifact.list", { run: runId });
    assert.ok(items.length > 0);
    for (const { id } of items) await seen.go(`/runs/${runId}/artifacts?open=artifact:${id}`);
    const { items: exchanges } = await call("exchange.list", { runId });
    for (const { id } of exchanges) await seen.go(`/prompts/${id}`);
  });

  const hasGit = missingProgram("git") === undefined;
  test("as a session: prompt, reading of it, intents, finish and report", {
    skip: !hasGit,
  }, async () => {
    const [prompt = "", interpretation = "", strategy = ""] = BLOCKS;
    const constraints = SHORT.slice(100, 160);
    const begun = await call("session.start", {
      prompt,
      interpretation,
      strategy,
      constraints,
      commitExisting: true,
      ...ALLOWED,
    });
    const intents: string[] = [];
    for (const [n, line] of LINES.slice(60, 90).entries()) {
      writeFileSync(path.join(home.folder, `file-${n}.txt`), `${n}\n`);
      // What cannot be a line of a commit is refused by name.
      const { what } = await call("session.intent", { what: line, ...ALLOWED }).catch(
        (error: unknown) => {
          assert.match(String(error), /session\.intent: .*"code":"/);
          return { what: undefined };
        },
      );
      if (what !== undefined) intents.push(what.replace(/^intent: /, ""));
    }
    assert.ok(intents.length >= 15, `${intents.length} intents`);
    const place = `/sessions/${begun.session.id}`;
    await seen.go(place);
    const asked = [prompt, interpretation, strategy, ...constraints];
    seen.assertShown(await seen.textOf(".session-asked"), asked, "what was asked");
    seen.assertShown(await seen.textOf(".session-thread"), intents, "intents");

    await call("session.finish", {
      summary: LINES[90],
      answer: BLOCKS.slice(3, 6).join("\n\n"),
      ...ALLOWED,
    });
    for (const tab of ["", "/invariants", "/report", "/commit", "/log"]) await seen.go(place + tab);
    await seen.go("/sessions");
    seen.assertShown(await seen.textOf(".session-list"), [LINES[90] ?? ""], "its title");
  });

  test("nothing reads other than it is: what nobody sees stands as a mark, wherever it is shown", () => {
    assert.deepEqual([...seen.misled], []);
  });

  test("nothing acted, nothing was asked, nothing came from elsewhere", () => {
    assert.deepEqual(visitor.foreign, []);
    assert.deepEqual(visitor.complaints, []);
  });
});
