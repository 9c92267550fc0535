/** What is decided on the settings page: who works here, with which models, for how much, who else comes in, what may not get out, and how it is kept. */

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

  const open = async (address: string) => {
    await page.goto(new URL(address, server.url).href);
    await page.locator(".main h1").first().waitFor();
    await settled(page);
  };

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

  test("a model is added, tried, and told why it does not answer; one that does is tried as well", async () => {
    await open("/settings/models");
    await page.getByRole("button", { name: "Add a model" }).click();
    const sheet = page.getByRole("dialog", { name: "Add a model" });
    await sheet.getByLabel("Name here").fill("absent");
    await sheet.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await sheet.getByLabel("Models, one per line").fill("nobody");
    await sheet.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("status").getByText("absent was added.").waitFor();
    const line = (name: string) => page.locator(".setting-line.model", { hasText: name });
    await line("nobody").getByRole("button", { name: "Test" }).click();
    await line("nobody").locator(".note.fail").waitFor();
    await line("rehearsal").getByRole("button", { name: "Test" }).click();
    await line("rehearsal")
      .getByText(/^Answered in/)
      .waitFor();

    await line("nobody").getByRole("button", { name: "Make default" }).click();
    await line("nobody").getByText("default").waitFor();
    await line("rehearsal").getByRole("button", { name: "Make default" }).click();
    await line("rehearsal").getByText("default").waitFor();
  });

  test("a budget for the day is set, and stands in the top bar", async () => {
    await open("/settings/budgets");
    await page.getByRole("button", { name: "Change" }).first().click();
    await page.getByLabel("Dollars").fill("5");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("The budget was changed.").waitFor();
    await page.locator(".meter").getByText("/ $5.00 today").waitFor();
    await page.locator(".setting-line").first().getByText("of $5.00").waitFor();
  });

  test("a token is shown once, lets in for what was ticked, and not after it is revoked", async () => {
    await open("/settings/tokens");
    await page.getByRole("button", { name: "New token" }).click();
    const sheet = page.getByRole("dialog", { name: "New token" });
    await sheet.getByLabel("What it is for").fill("ci");
    await sheet.getByRole("button", { name: "Make it" }).click();
    const token = (await sheet.locator("pre").textContent()) ?? "";
    await page.keyboard.press("Escape");
    const status = async (route: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const address = `${server.url}/api/v1/${route}`;
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(address, init)).status;
    };

    assert.equal(await status("task/list", {}), 200);
    assert.equal(await status("task/add", { title: "Nothing" }), 403);
    assert.equal(await page.getByText(token).count(), 0, "it is not shown again");
    const line = page.locator(".setting-line", { hasText: "ci" }).filter({ hasText: "read" });
    await line.getByRole("button", { name: "Revoke" }).click();
    await line.waitFor({ state: "detached" });
    assert.equal(await status("task/list", {}), 401);
  });

  test("the redaction tester shows what of a text would get out", async () => {
    await open("/settings/redaction");
    const key = `sk-ant-api03-${"Ab3dEf9h".repeat(11)}AA`;
    await page.getByLabel("Text").fill(`The key is ${key}, keep it.`);
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByText(/^Something is taken out, 1 secret among it/).waitFor();
    assert.equal(await page.locator("pre", { hasText: key }).count(), 0);
    await page.getByLabel("Text").fill("The tide comes at six.");
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByText("Nothing is taken out: all of it would be shown.").waitFor();
    await page.locator("pre", { hasText: "The tide comes at six." }).waitFor();
  });

  test("a backup is made and drilled, and doctor looks at every row", async () => {
    await open("/settings/care");
    await page.getByText("No backup yet").waitFor();
    await page.getByRole("button", { name: "Back up now" }).click();
    await page
      .getByRole("status")
      .getByText(/ was made\.$/)
      .waitFor();
    await page.getByRole("button", { name: "Drill" }).click();
    await page.getByText(/drilled: \d+ rows in \d+ tables are whole/).waitFor();
    await page.getByRole("button", { name: "Examine every row" }).click();
    await settled(page);
    await page.getByText(/^Nothing is wrong, /).waitFor();
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

  test("one sees where one is signed in, ends it there, and changes the password, which ends all", async () => {
    const second = await browser.newContext();
    const elsewhere = await second.newPage();
    const call = callsTo(server);
    const { code } = await call("user.invite", { email: "noor@example.org", displayName: "Noor" });
    await elsewhere.goto(new URL(`/#invite=${code}`, server.url).href);
    const password = elsewhere.getByLabel("Password");
    assert.equal(await password.getAttribute("type"), "password");
    assert.equal(await password.getAttribute("autocomplete"), "new-password");
    const mayPaste = await elsewhere.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "x");
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      return document.querySelector("input[type=password]").dispatchEvent(paste);
    })()`);
    assert.equal(mayPaste, true);
    await password.fill("seven quiet herons");
    await elsewhere.getByRole("button", { name: "Accept the invitation" }).click();
    await elsewhere.locator(".main").waitFor();

    const third = await (await browser.newContext()).newPage();
    await third.goto(server.url);
    await third.getByLabel("E-mail address").fill("noor@example.org");
    await third.getByLabel("Password").fill("seven quiet herons");
    await third.getByRole("button", { name: "Sign in" }).click();
    await third.locator(".main").waitFor();

    await elsewhere.goto(new URL("/settings/logins", server.url).href);
    await elsewhere.getByText("this page").waitFor();
    await elsewhere.getByRole("button", { name: "End", exact: true }).click();
    await elsewhere
      .getByRole("button", { name: "End", exact: true })
      .waitFor({ state: "detached" });
    await third.goto(server.url);
    await third.getByRole("button", { name: "Sign in" }).waitFor();

    await elsewhere.getByRole("button", { name: "Change password" }).click();
    const sheet = elsewhere.getByRole("dialog", { name: "Change password" });
    await sheet.getByLabel("The password until now").fill("not that one");
    await sheet.getByLabel("The new password").fill("eleven loud herons");
    await sheet.getByRole("button", { name: "Change it" }).click();
    await sheet.getByText(/do not fit/).waitFor();
    await sheet.getByLabel("The password until now").fill("seven quiet herons");
    await sheet.getByRole("button", { name: "Change it" }).click();
    await elsewhere.getByRole("button", { name: "Sign in" }).waitFor();
    await elsewhere.getByLabel("E-mail address").fill("noor@example.org");
    await elsewhere.getByLabel("Password").fill("eleven loud herons");
    await elsewhere.getByRole("button", { name: "Sign in" }).click();
    await elsewhere.locator(".main").waitFor();

    // Nothing of what was seen stays in the browser but the tab itself; without the server one is out all the same.
    await elsewhere.route("**/login/logout", (route) => route.abort());
    await elsewhere.getByRole("button", { name: /, Noor, / }).click();
    await elsewhere.getByRole("menuitem", { name: "Sign out" }).click();
    await elsewhere.getByRole("button", { name: "Sign in" }).waitFor();
    assert.equal(await elsewhere.evaluate(() => localStorage.getItem("login-secret")), null);
  });
});
