/** From a conversation that is brought in, over what is kept and what must not leave, to a packet and home again. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { openBrowser, type Visit, visit } from "./browser.ts";
import { settled } from "./settled.ts";

const SECRET = "the staging password is tide-and-foam-41";
const TRANSCRIPT = [
  "# Relay outage, what we learned",
  "",
  "## User",
  "",
  `The relay died twice last night. For the record, ${SECRET}, so that you can look yourself.`,
  "",
  "## Assistant",
  "",
  "The relay keeps every connection in one map. A slow client holds its buffer for ever, and the map only grows.",
  "",
].join("\n");

/** Selects words of a message as somebody would who drags over them. */
async function selectWords(page: Page, words: string): Promise<void> {
  await page.locator(".said", { hasText: words }).first().waitFor();
  await page.evaluate(`{
    const wanted = ${JSON.stringify(words)};
    const nodes = [...document.querySelectorAll(".said [data-at]")].map((piece) => piece.firstChild);
    const node = nodes.find((each) => each?.textContent.includes(wanted));
    const at = node.textContent.indexOf(wanted);
    document.getSelection().setBaseAndExtent(node, at, node, at + wanted.length);
  }`);
  await page.getByRole("toolbar", { name: "What to do with the selection" }).waitFor();
}

describe("thinking", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;

  const go = async (address: string, to: Page = page) => {
    await to.goto(new URL(address, server.url).href);
    await to.locator(".main h1").first().waitFor();
  };

  before(async () => {
    home = scratchFolder();
    writeFileSync(path.join(home.folder, "relay-outage.md"), TRANSCRIPT);
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
    await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("a conversation is brought in: sent over a line that breaks, looked at, agreed to, read", async () => {
    const parts: string[] = [];
    await page.route("**/api/v1/uploads/*", async (route) => {
      parts.push(route.request().method());
      if (parts.length === 1) await route.abort("connectionreset");
      else await route.continue();
    });
    await go("/conversations/import");
    await page.locator("input[type=file]").setInputFiles(path.join(home.folder, "relay-outage.md"));
    await page.getByRole("button", { name: "See what would come" }).click();
    await page.getByRole("heading", { name: "This is what would come" }).waitFor();
    const planned = await home.run(["conversation", "list"]);
    await page.getByRole("button", { name: "Import 1 conversation" }).click();
    await page.getByRole("heading", { name: "It is in" }).waitFor();
    await page.unroute("**/api/v1/uploads/*");
    await page.getByRole("link", { name: /Relay outage/ }).click();

    await page.locator(".said").getByText("The relay died twice last night").waitFor();
    assert.deepEqual(parts.slice(0, 3), ["PUT", "GET", "PUT"], "it asks how far it got");
    assert.doesNotMatch(planned.stdout, /Relay outage/, "the look wrote nothing");
  });

  test("a file that was stopped on its way goes on when it is chosen again, and brings nothing twice", async () => {
    const talk = new URL(page.url()).pathname;
    const begun: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/api/v1/uploads"))
        begun.push(request.url());
    });
    await page.route("**/api/v1/uploads/*", (route) =>
      route.request().method() === "PUT" ? undefined : route.continue(),
    );
    await go("/conversations/import");
    await page.locator("input[type=file]").setInputFiles(path.join(home.folder, "relay-outage.md"));
    await page.getByRole("button", { name: "See what would come" }).click();
    await page.getByRole("button", { name: "Stop sending" }).click();
    await page.unroute("**/api/v1/uploads/*");
    await page.locator("input[type=file]").setInputFiles(path.join(home.folder, "relay-outage.md"));
    await page.getByRole("button", { name: "See what would come" }).click();
    await page.getByRole("heading", { name: "Nothing new in it" }).waitFor();

    assert.equal(begun.length, 1, "the second time takes up the first");
    await go(talk);
  });

  test("selected words become a highlight, a task and a decision that say where they come from", async () => {
    await selectWords(page, "A slow client holds its buffer for ever");
    await page.getByRole("button", { name: "Highlight" }).click();
    await page.locator(".kept", { hasText: "A slow client holds its buffer for ever" }).waitFor();
    await page.locator(".drawn").getByText("Highlights, 1").waitFor();

    await selectWords(page, "The relay died twice last night");
    await page.keyboard.press("t");
    await page.getByLabel("What is to be done").fill("Find out why the relay died");
    await page.getByRole("button", { name: "Keep it" }).click();
    const drawer = page.getByRole("complementary", { name: /^Task/ });
    await drawer.getByText("The relay died twice last night").waitFor();
    await page.keyboard.press("Escape");

    await page.keyboard.press("]");
    await page.getByRole("toolbar", { name: "What to do with the selection" }).waitFor();
    await page.keyboard.press("d");
    await page.getByLabel("What was decided").fill("Bound every buffer");
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("complementary", { name: /^Decision/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".drawn").getByText("Decisions, 1").waitFor();
  });

  test("what is redacted is gone from the reader, from the search and from the packet", async () => {
    await selectWords(page, SECRET);
    await page.getByRole("button", { name: "Task" }).click();
    await page.getByLabel("What is to be done").fill("Change the staging password");
    await page.getByLabel("More about it").fill(`Because ${SECRET}.`);
    await page.getByRole("button", { name: "Keep it" }).click();
    const task = page.getByRole("complementary", { name: /^Task/ });
    await task.waitFor();
    await page.keyboard.press("Escape");
    const talk = page.url();
    const list = await home.run(["task", "list", "--text", "staging", "--json"]);
    const taskId = /"id":"([^"]+)"/.exec(list.stdout)?.[1] ?? "";
    await go(`/packets/new?origin=task:${taskId}&pane=preview`);
    await page.locator(".packet-text", { hasText: "tide-and-foam-41" }).waitFor();

    await page.goto(talk);
    await page.locator(".said").first().waitFor();
    await selectWords(page, SECRET);
    await page.keyboard.press("x");
    await page.getByRole("dialog", { name: "Redact" }).getByLabel("Why").fill("a password");
    await page.getByRole("button", { name: "Redact", exact: true }).click();
    await page.locator(".said", { hasText: "[redacted]" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    assert.equal(await page.getByText("tide-and-foam-41").count(), 0);
    await go(`/packets/new?origin=task:${taskId}&pane=preview`);
    await page.locator(".packet-text", { hasText: "[redacted]" }).waitFor();
    assert.equal(await page.getByText("tide-and-foam-41").count(), 0);
  });

  test("a packet is compiled, steered, copied, and two of three candidates of its answer come home", async () => {
    await go("/packets");
    await page.getByRole("link", { name: "Compile" }).first().click();
    await page.getByText("Resolve blocking uncertainty").click();
    await page.locator(".packet-text", { hasText: "Resolve blocking uncertainty" }).waitFor();
    await page
      .getByRole("button", { name: /^Ban Leases, not locks/ })
      .first()
      .click();
    await page.locator(".ledger .out", { hasText: "Leases, not locks" }).waitFor();
    await page.getByRole("slider", { name: "Budget" }).focus();
    for (let n = 0; n < 6; n += 1) await page.keyboard.press("PageDown");
    await page.getByText(/ \/ [1-4],\d00/).waitFor();
    await settled(page);
    await page.getByRole("button", { name: /^Copy/ }).click();
    await page.waitForURL(/\/packets\/[0-9a-f-]{36}/);
    const text = await page.evaluate<string>("navigator.clipboard.readText()");
    const name = /"packet": "(\w+)"/.exec(text)?.[1] ?? "";
    const answer = [
      "## Answer",
      "Measure first.",
      "```tl-return",
      JSON.stringify({
        packet: name,
        tasks: [
          { title: "Count open buffers per client", description: "Once a minute is enough" },
          { title: "Rewrite the relay in another language", description: "" },
        ],
        decisions: [],
        highlights: [{ label: "buffers", content: "A map that only grows is a leak with a name" }],
      }),
      "```",
    ].join("\n");

    await page.getByRole("textbox", { name: /The answer/ }).fill(answer);
    await page.getByRole("button", { name: /^Read it/ }).click();
    const rows = page.locator(".cand");
    await rows.nth(2).waitFor();
    assert.equal(await rows.count(), 3);
    const before = await home.run(["task", "list"]);
    assert.doesNotMatch(before.stdout, /Count open buffers/, "nothing is written before");
    await rows
      .filter({ hasText: "Count open buffers" })
      .getByRole("button", { name: "Accept" })
      .click();
    await rows
      .filter({ hasText: "A map that only grows" })
      .getByRole("button", { name: "Accept" })
      .click();
    await rows
      .filter({ hasText: "Rewrite the relay" })
      .getByRole("button", { name: "Skip" })
      .click();
    await page.getByRole("button", { name: "Write 2 accepted" }).click();

    await page.getByText("Harvest written, 2 objects").waitFor();
    await rows
      .filter({ hasText: "Count open buffers" })
      .getByRole("button", { name: "Written" })
      .click();
    const drawer = page.getByRole("complementary", { name: /^Task/ });
    await drawer.getByText("From packet").waitFor();
    await page.keyboard.press("Escape");
    await rows
      .filter({ hasText: "A map that only grows" })
      .getByRole("button", { name: "Written" })
      .click();
    await page
      .getByRole("complementary", { name: /^Highlight/ })
      .getByText("From packet")
      .waitFor();
    await page.keyboard.press("Escape");
  });

  test("a harvest can be undone, and two packets compared", async () => {
    await page.getByRole("button", { name: "Undo the harvest" }).click();
    await page.getByText("Taken back, 2 objects").waitFor();
    const { stdout } = await home.run(["task", "list"]);
    assert.doesNotMatch(stdout, /Count open buffers/);

    await home.run([
      "packet",
      "compile",
      "project",
      "Tidepool (sample)",
      "--intent",
      "generate_next_actions",
    ]);
    await go("/packets");
    await page.locator(".packet-line").nth(1).waitFor();
    for (const box of await page.getByRole("checkbox").all()) await box.check({ force: true });
    await page.getByRole("button", { name: "Compare the two" }).click();
    await page.getByRole("heading", { name: "Compare two packets" }).waitFor();
    await page.locator(".whole-diff .add", { hasText: "Next actions" }).waitFor();
  });

  test("what is left out is pinned: the packet holds it and says so, and opens its tool beside", async () => {
    const pinned = "never compare wall clocks of two devices";
    const text = page.locator(".packet-text", { hasText: pinned });
    await go("/packets/new?intent=resolve_blocking_uncertainty&budget=1800");
    await page.locator(".ledger-row.out", { hasText: pinned }).waitFor();
    assert.equal(await text.count(), 0);
    await page.getByRole("button", { name: `Pin ${pinned}` }).click();
    await page
      .locator(".ledger-row:not(.out)", { hasText: pinned })
      .locator(".tag", { hasText: "pinned" })
      .waitFor();
    await text.waitFor();
    await settled(page);
    await page.getByRole("button", { name: "Keep draft" }).click();
    await page.waitForURL(/\/packets\/[0-9a-f-]{36}/);
    await text.waitFor();
    await page.getByRole("region", { name: "Made of" }).getByText("clocks").waitFor();
    await page.getByRole("tab", { name: /^Ledger/ }).click();
    await page
      .locator(".ledger-row:not(.out)", { hasText: pinned })
      .locator(".tag", { hasText: "pinned" })
      .waitFor();

    // Nothing leaves the machine: the tool's address is answered here.
    await visitor.context.route("https://claude.ai/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>The tool</title>" }),
    );
    const packet = page.url();
    const [tool] = await Promise.all([
      visitor.context.waitForEvent("page"),
      page.getByRole("button", { name: "Open Claude" }).click(),
    ]);
    await tool.waitForURL("https://claude.ai/new");
    assert.equal(await tool.evaluate("opener"), null, "it learns nothing of the page it came from");
    await tool.close();
    await page.bringToFront();
    assert.match(await page.evaluate<string>("navigator.clipboard.readText()"), RegExp(pinned));
    assert.equal(page.url(), packet);
    await page
      .getByRole("list", { name: "Where it stands" })
      .getByText(/Copied \d/)
      .waitFor();
  });

  test("the browser keeps the login and what was chosen, and nothing of what was read or written", async () => {
    const kept = await page.evaluate<Record<string, string>>("({ ...localStorage })");
    const session = await page.evaluate<number>("sessionStorage.length");
    const databases = await page.evaluate<unknown[]>("indexedDB.databases()");
    const cookie = await page.evaluate<string>("document.cookie");
    assert.deepEqual([session, databases, cookie], [0, [], ""]);
    const known = ["last-visit", "login-secret", "notify", "project", "theme"];
    assert.deepEqual(
      Object.keys(kept).filter((name) => !known.includes(name) && !/^upload \d+ \d+$/.test(name)),
      [],
    );
    assert.match(kept["login-secret"] ?? "", /^[\w-]{43}$/);
    const others = Object.entries(kept).filter(([name]) => name !== "login-secret");
    for (const [name, text] of others) assert.match(text, /^[\w -]{0,40}$/, name);
  });
});
