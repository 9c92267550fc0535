/** Runs as somebody watches and steers them, their prompts as somebody sees through them, and the inbox by keyboard. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Call, callsTo } from "../scratch/call-server.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { openBrowser, type Visit, visit } from "./browser.ts";
import { settled } from "./settled.ts";
import { until } from "./until.ts";

const REVIEW = {
  workflow: "library:document-review",
  input: { document: "A lease ends by itself.", audience: "engineers" },
};

/** A model that cannot end a list, and says so every time. */
function addMessyModel({ folder }: ScratchFolder): void {
  const place = path.join(folder, ".throughline");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const script = path.join(folder, "messy.json");
  const reply = '{"answer": "Begin with the lease.", "confidence": 0.8, "followUps": [],}';
  writeFileSync(script, JSON.stringify({ replies: [{ step: "answer", reply }] }));
  const config = { providers: { messy: { kind: "rehearsal", script } } };
  writeFileSync(path.join(place, "config.json"), JSON.stringify(config));
}

describe("runs, prompts and the inbox", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;
  let call: Call;
  let run = "";

  const go = async (address: string) => {
    await page.goto(new URL(address, server.url).href);
    await page.locator(".main h1").first().waitFor();
    await settled(page);
  };
  const asked = async (request: string, context: string) => {
    const { runId } = await call("ask.start", { request, context, model: "messy/messy" });
    await until("it is answered", async () => {
      return (await call("run.show", { runId })).run.state === "completed";
    });
    const { items } = await call("exchange.list", { runId });
    return items[0]?.id ?? "";
  };

  before(async () => {
    home = scratchFolder();
    addMessyModel(home);
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    call = callsTo(server);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
    run = (await call("workflow.run", REVIEW)).runId;
    await until("it asks", async () => (await call("run.show", { runId: run })).waits.length === 1);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("a run is paused and goes on by a key", async () => {
    await go(`/runs/${run}`);
    await page.locator(".head .chip.wait").first().waitFor();
    await page.keyboard.press("p");
    await page.locator(".head .chip", { hasText: "paused" }).waitFor();
    await page.keyboard.press("p");
    await page.locator(".head .chip", { hasText: "paused" }).waitFor({ state: "detached" });
    assert.equal((await call("run.show", { runId: run })).run.state, "waiting");
  });

  test("its time, its steps, its prompts and what happened are views of it", async () => {
    const view = async (name: string) => {
      await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
      await settled(page);
    };
    await view("Timeline");
    await page.locator(".tl .bar2").nth(5).waitFor();
    await view("Steps");
    await page
      .locator(".steps li", { hasText: "Decide on Edits" })
      .getByText(/wait/i)
      .first()
      .waitFor();
    await page.locator(".steps button", { hasText: "Check Claims" }).click();
    await page.getByRole("heading", { name: "Check Claims" }).waitFor();
    await view("Prompts");
    assert.equal(await page.locator(".exchanges > a").count(), 6);
    await view("Events");
    await page.locator(".events li", { hasText: "wait.opened" }).waitFor();
    await page.locator(".events li", { hasText: "run.started" }).waitFor();
    await view("Artifacts");
    await page.getByText("It left nothing behind").waitFor();
    await view("Result");
    await page.getByText("A lease ends by itself.").first().waitFor();
    await view("Graph");
    await page.locator(".node.s-wait[data-step=gate]").waitFor();
  });

  test("a passage, its layer and its row in the ledger light up together, by pointer and by focus", async () => {
    const exchange = await asked("What is first?", "The relay dies at night.");
    await go(`/prompts/${exchange}`);
    const lit = (part: string) => page.locator(`${part} .lit`);
    const passage = page.locator(".prompt .span", { hasText: "The relay dies at night." }).first();
    await passage.hover();
    await lit(".layers").waitFor();
    await lit(".ledger").waitFor();
    assert.equal(await lit(".layers").count(), 1);
    assert.match((await passage.getAttribute("class")) ?? "", /\blit\b/);

    await page.getByRole("heading", { name: "Ledger" }).hover();
    await lit(".layers").waitFor({ state: "detached" });
    await page.locator(".layers > button").first().hover();
    await lit(".prompt").first().waitFor();
    await page.locator(".ledger > button").first().focus();
    await lit(".prompt").first().waitFor();
  });

  test("each repair of a reply stands where it was made, and what is kept is the raw text", async () => {
    await page.locator(".prompt-reply .fixn").first().waitFor();
    await page.locator(".repairs li").first().waitFor();
    await page.locator(".prompt-reply .reply", { hasText: /\[\]\d?,\d?\}/ }).waitFor();
    await page.getByText("Nothing was invented: repairs only change syntax.").waitFor();
    await page.locator(".prompt-reply .chip", { hasText: "readable after 1 repair" }).waitFor();
  });

  test("a reply is seen raw, repaired, and as what lies between, without a pointer", async () => {
    const reply = page.getByRole("region", { name: "What came back" });
    const mode = (name: string) => reply.getByRole("button", { name, exact: true });
    await mode("Raw").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/reply=repaired/);
    await reply.getByRole("heading", { name: "Repaired reply" }).waitFor();
    await reply.locator(".reply", { hasText: '"followUps": []}' }).waitFor();
    assert.equal(await reply.locator(".reply .fixn").count(), 0);

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await reply.locator(".whole-diff .del", { hasText: "[],}" }).waitFor();
    await reply.locator(".whole-diff .add", { hasText: "[]}" }).waitFor();
    await reply.getByText("With the repair in it.").waitFor();
    await mode("Raw").press("Enter");
    await reply.locator(".reply .fixn").waitFor();
  });

  test("what a prompt says otherwise than the one before it is shown line by line", async () => {
    const exchange = await asked("What is first?", "The relay dies at noon.");
    await go(`/prompts/${exchange}`);
    const which = page.getByRole("group", { name: "As what" });
    await which.getByRole("button", { name: "Diff" }).click();
    await page.waitForURL(/view=diff/);
    const diff = page.locator(".whole-diff");
    await diff.locator(".add", { hasText: "at noon" }).waitFor();
    await diff.locator(".del", { hasText: "at night" }).waitFor();
    await page.getByText(/^1 line came, 1 line went/).waitFor();
    await which.getByRole("button", { name: "Text" }).click();

    const alone = await asked("What comes last?", "Nothing.");
    await go(`/prompts/${alone}?view=diff`);
    await page.getByText("There is none before it").waitFor();
  });

  test("in the inbox entries are walked, edited, put to sleep, given away and answered without a pointer", async () => {
    for (let n = 0; n < 2; n += 1) await call("workflow.run", REVIEW);
    await until("three wait", async () => (await call("inbox.list", {})).total === 3);
    await go("/inbox");
    const chosen = page.locator("[data-entry][aria-current=true]");
    const first = await chosen.getAttribute("data-entry");
    await page.keyboard.press("j");
    await page.waitForURL("**/inbox/*");
    assert.notEqual(await chosen.getAttribute("data-entry"), first);
    await page.keyboard.press("k");
    await until("the first is chosen again", async () => {
      return (await chosen.getAttribute("data-entry")) === first;
    });
    await settled(page);

    await page.getByRole("tab", { name: "Run" }).click();
    await page.locator(".steps li", { hasText: "Check Claims" }).waitFor();
    await page.getByRole("tab", { name: "Prompts" }).click();
    await page.locator(".exchanges > a").first().waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page.locator(".events li").first().waitFor();
    await page.getByRole("tab", { name: "Evidence" }).click();

    await page.locator(".tabs [role=tab]").first().blur();
    await page.keyboard.press("h");
    await page
      .getByRole("status")
      .getByText(/^Asleep until/)
      .waitFor();
    await page.locator(`[data-entry="${first}"]`).waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Snoozed 1/ }).click();
    await page.locator(`[data-entry="${first}"]`).waitFor();
    await page.getByRole("button", { name: /^Mine/ }).click();
    await settled(page);

    await page.getByRole("button", { name: "Assign" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem").first().waitFor();
    const other = page.getByRole("menuitem", { name: "Anybody" });
    while (!(await other.evaluate((each) => each === each.ownerDocument.activeElement)))
      await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Now for ").waitFor();
    await page.getByRole("button", { name: "Assign" }).getByText(/^For /).waitFor();

    const before = await chosen.getAttribute("data-entry");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("e");
    assert.equal(await page.evaluate("document.activeElement.closest('form.form') !== null"), true);
    await page.keyboard.press("Space");
    await page.getByLabel("Advice").fill("Say when it ends.");
    await page.getByLabel("Advice").blur();
    await page.keyboard.press("a");
    await page.getByRole("status").getByText("Complete: Document review").waitFor();
    await page.locator(`[data-entry="${before}"]`).waitFor({ state: "detached" });
    await settled(page);
    await page.keyboard.press("r");
    await page
      .getByRole("status")
      .getByText(/^Reject:/)
      .waitFor();
  });

  test("a limit that a run came to is raised from the inbox, and the run goes on", async () => {
    const { runId } = await call("workflow.run", REVIEW);
    const waitOf = async () => (await call("run.show", { runId })).waits[0];
    await until("it asks", async () => (await waitOf()) !== undefined);
    const gate = await waitOf();
    await call("run.limit", { runId, turns: 1 });
    const fields = { decision: "revise", advice: "Say when it ends." };
    await call("inbox.answer", { waitId: gate?.id ?? "", choice: "complete", fields });
    await until("it is held", async () => (await waitOf())?.kind === "limit_reached");
    await go(`/inbox/${(await waitOf())?.id}`);
    await page.getByLabel("New limit of turns").fill("20");
    await page.getByRole("button", { name: /^Raise the limit/ }).click();
    await page
      .getByRole("status")
      .getByText(/^Raise the limit:/)
      .waitFor();

    await until("it asks again", async () => (await waitOf())?.kind === gate?.kind);
    const { run: raised } = await call("run.show", { runId });
    assert.deepEqual([raised.state, raised.limits.turns], ["waiting", 20]);
    assert.notEqual((await waitOf())?.id, gate?.id);
  });

  test("nothing was loaded from elsewhere, and the browser had nothing to complain about", () => {
    assert.deepEqual([visitor.foreign, visitor.complaints], [[], []]);
  });
});
