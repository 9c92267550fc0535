/** Who works here is decided on the settings page: an agent is made, is given a task, and does it. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { callsTo } from "../scratch/call-server.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { openBrowser, type Visit, visit } from "./browser.ts";
import { settled } from "./settled.ts";

const PROMPT = "You count twice before you say a number.";

describe("settings", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;

  before(async () => {
    home = scratchFolder();
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("an agent is made, given a task, and the task is done", async () => {
    await page.goto(new URL("/settings/people", server.url).href);
    await page.getByRole("button", { name: "Add somebody" }).click();
    const sheet = page.getByRole("dialog", { name: "Add somebody" });
    await sheet.getByLabel("E-mail address").waitFor();
    assert.equal(await sheet.getByLabel("Agent prompt").count(), 0);
    await sheet.getByText("Is agent").click();
    await sheet.getByLabel("Agent prompt").fill(PROMPT);
    assert.equal(await sheet.getByLabel("E-mail address").count(), 0);
    await sheet.getByLabel("Name").fill("Counter");
    await sheet.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("The agent was saved.").waitFor();
    await page.locator(".setting-line", { hasText: "Counter" }).getByText("agent").waitFor();

    await page.keyboard.press("c");
    const capture = page.getByRole("dialog", { name: "Capture" });
    await capture.getByLabel("Title").fill("Count the open buffers");
    await capture.getByRole("button", { name: "Keep it" }).click();
    const task = page.getByRole("complementary", { name: /^Task/ });
    await task.getByRole("button", { name: "Assign Count the open buffers" }).click();
    await page.getByRole("menuitem", { name: /Counter/ }).click();

    await task.locator(".chip.ok", { hasText: "completed" }).first().waitFor();
    const call = callsTo(server);
    const { items: runs } = await call("run.list", {});
    const { items: exchanges } = await call("exchange.list", { runId: runs[0]?.id ?? "" });
    await page.goto(new URL(`/prompts/${exchanges[0]?.id}`, server.url).href);
    await page.locator(".prompt", { hasText: PROMPT }).first().waitFor();
  });

  test("on a phone the chosen tab is in sight", async () => {
    const phone = await visitor.again({ width: 390, height: 844 });
    await phone.page.goto(new URL("/settings/care", server.url).href);
    const tab = phone.page.getByRole("tab", { name: "Backup and doctor" });
    await tab.waitFor();
    await settled(phone.page);
    const box = await tab.boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });

  test("nothing was loaded from elsewhere, and the browser had nothing to complain about", () => {
    assert.deepEqual(visitor.foreign, []);
    assert.deepEqual(visitor.complaints, []);
  });
});
