import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { callsTo } from "../scratch/call-server.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { accessibilityFaults, openBrowser, type Visit, visit } from "./browser.ts";
import { settled } from "./settled.ts";

describe("the first visit", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;

  before(async () => {
    home = scratchFolder();
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("the printed link lets in, is gone from the address, and shows what to do first", async () => {
    const { page } = visitor;

    await page.getByRole("heading", { name: "Nothing to pick up yet" }).waitFor();

    assert.equal(new URL(page.url()).hash, "");
    await page
      .getByText("Tidepool (sample)")
      .or(page.getByText("Remove the sample"))
      .first()
      .waitFor();
  });

  test("the sample runs, is seen to wait live, and ends when its question is answered from the inbox", async () => {
    const { page, openTab } = visitor;

    await page.getByRole("button", { name: "Run sample" }).click();
    await page.waitForURL("**/runs/*");
    const run = new URL(page.url()).pathname;
    await page.getByText("1 waits for an answer").waitFor();
    await page.getByRole("link", { name: "Inbox, 1 waiting" }).waitFor();
    const watcher = await openTab(run);
    await watcher.getByText("1 waits for an answer").waitFor();

    await page.getByText("1 waits for an answer").click();
    await page.waitForURL("**/inbox/*");
    await page.getByText("revise", { exact: true }).click();
    await page.getByText("accept", { exact: true }).click();
    await page.getByLabel("Advice").fill("Say when a lease ends.");
    await page.getByRole("button", { name: "Complete then the run goes on" }).click();

    await page.getByRole("status").getByText("Complete: Document review").waitFor();
    await watcher.locator(".chip.ok", { hasText: "completed" }).first().waitFor();
    await watcher.getByRole("tab", { name: "Result" }).click();
    await watcher.getByText("What it was given").waitFor();
    await watcher.close();
    await page.getByRole("link", { name: "Inbox, nothing waits" }).waitFor();
  });

  test("an answer that lacks something is refused beside the field", async () => {
    const { page } = visitor;
    const call = callsTo(server);
    await call("workflow.run", { workflow: "library:pr-review", input: { prNumber: 7 } });
    await call("workflow.run", {
      workflow: "library:document-review",
      input: { document: "A lease ends by itself.", audience: "engineers" },
    });

    await page.goto(new URL("/inbox", server.url).href);
    await page.locator("[data-entry]", { hasText: "Decide on Edits" }).first().click();
    await page.getByRole("button", { name: "Complete then the run goes on" }).click();

    await page.locator(".field .fault", { hasText: "is needed" }).first().waitFor();
  });

  test("every prompt can be seen through, from the run to the source of a passage", async () => {
    const { page } = visitor;
    await page.goto(new URL("/runs?view=done", server.url).href);
    await page
      .getByRole("link", { name: /Document review/ })
      .first()
      .click();
    await page.getByRole("tab", { name: /Prompts/ }).click();
    await page.locator(".exchanges a").first().click();
    await page.waitForURL("**/prompts/*");

    await page.getByRole("heading", { name: "Ledger" }).waitFor();
    await page.locator(".prompt .mark").first().click();

    await page.getByText("Chosen passage").waitFor();
    await page.getByText("The stored reply is the raw one", { exact: false }).waitFor();
  });

  test("by keyboard: palette, places, keys, drawer and back", async () => {
    const { page } = visitor;
    await page.goto(server.url);
    await page
      .getByRole("heading", { name: /Good|Home/ })
      .first()
      .waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("expired lease");
    await page.getByRole("option", { name: /Two workers see an expired lease/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: /^Task/ }).getByText("blocker").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: /^Task/ }).waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.waitForURL("**/runs");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Start a run").waitFor();
    await page.keyboard.press("Escape");
    await page.goBack();

    assert.equal(new URL(page.url()).pathname, "/");
  });

  test("any command runs from the palette, with its fields as a form", async () => {
    const { page } = visitor;
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("decision.list");
    await page.getByRole("option", { name: /decision.list/ }).click();
    await page
      .getByRole("dialog", { name: "decision.list" })
      .getByRole("button", { name: "Show" })
      .click();

    await page.getByRole("dialog").getByText("Leases, not locks").waitFor();
    await page.keyboard.press("Escape");
  });

  test("on a phone: tabs at the bottom, list and detail one after the other", async () => {
    const phone = await visitor.again({ width: 390, height: 844 });
    const { page } = phone;

    await page
      .getByRole("navigation", { name: "Main" })
      .last()
      .getByRole("link", { name: /Inbox/ })
      .click();
    await page
      .getByRole("link", { name: /Human Review|Decide on Edits/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Answer", exact: true }).waitFor();
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page
      .getByRole("link", { name: /Human Review|Decide on Edits/ })
      .first()
      .waitFor();

    assert.ok(width <= 390, `the page is ${width} wide`);
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });

  test("nothing serious stands in the way in the palette and in what is open beside", async () => {
    const { page } = visitor;
    const { items } = await callsTo(server)("run.list", {});
    await page.goto(new URL(`/runs?open=run:${items[0]?.id}`, server.url).href);
    await page.getByRole("complementary", { name: /^Run/ }).waitFor();
    await settled(page);
    const faults = [...(await accessibilityFaults(page))];
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    faults.push(...(await accessibilityFaults(page)));

    assert.deepEqual(faults, []);
  });

  test("nothing was loaded from elsewhere, and the browser had nothing to complain about", () => {
    assert.deepEqual(visitor.foreign, []);
    // The browser tells of the answer that lacked something.
    assert.deepEqual(visitor.complaints, [
      "Failed to load resource: the server responded with a status of 400 (Bad Request)",
    ]);
  });
});
