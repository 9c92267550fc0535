/** What stands around every page: project, colours, palette, budget, drawer, toasts, notifications, and a server that is gone. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Call, callsTo } from "../scratch/call-server.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { openBrowser, pageAddresses, type Visit, visit } from "./browser.ts";
import { furnish, goTo, makeRepository } from "./furnished.ts";
import { settled } from "./settled.ts";
import { until } from "./until.ts";

/** A model whose calls cost what one can see: 200 dollars for a million tokens. */
function addCostlyModel({ folder }: ScratchFolder): void {
  const place = path.join(folder, ".throughline");
  const prices = path.join(place, "library", "prices");
  mkdirSync(prices, { recursive: true, mode: 0o700 });
  const config = { providers: { costly: { kind: "rehearsal" } } };
  writeFileSync(path.join(place, "config.json"), JSON.stringify(config));
  const costly = { provider: "costly", model: "*", input: 200, output: 200 };
  const file = { schemaVersion: 1, currency: "USD", asOf: "2026-11-18", source: "made up" };
  writeFileSync(path.join(prices, "costly.json"), JSON.stringify({ ...file, prices: [costly] }));
}

/** Tells instead of showing: a headless browser shows no notification to anybody. */
const NOTIFICATIONS = `globalThis.told = [];
  globalThis.Notification = class extends EventTarget {
    static permission = "default";
    static requestPermission = async () => (Notification.permission = "granted");
    constructor(title, { body, tag }) {
      super();
      told.push(title + " | " + body);
      globalThis.lastNotification = this;
    }
    close() {}
  };`;

/** How far what was seen has moved by itself since the page began, as browsers count it. */
const MOVED = `globalThis.moved = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) moved += shift.value;
  }).observe({ type: "layout-shift", buffered: true });`;

describe("around every page", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;
  let call: Call;

  const go = async (address: string, to: Page = page) => {
    await to.goto(new URL(address, server.url).href);
    await to.locator(".main h1, .main .empty").first().waitFor();
    await settled(to);
  };
  const palette = async (typed: string, option: RegExp) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(typed);
    await page.getByRole("option", { name: option }).first().click();
  };

  before(async () => {
    home = scratchFolder();
    makeRepository(home);
    addCostlyModel(home);
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    call = callsTo(server);
    await furnish(home, server);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("the chosen project narrows the pages, also after they are loaded anew, until all are chosen", async () => {
    const { id: project } = await call("project.add", { name: "Harbour" });
    await call("decision.add", { title: "Ask in the morning", content: "Nobody is up.", project });
    await go("/decisions");
    await page.getByRole("link", { name: /Leases, not locks/ }).waitFor();

    await page.getByRole("button", { name: "Project: All projects" }).click();
    await page.getByRole("menuitem", { name: "Harbour" }).click();
    await page.getByRole("link", { name: /Leases, not locks/ }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "Project: Harbour" }).waitFor();
    await page.getByRole("link", { name: /Ask in the morning/ }).waitFor();
    assert.equal(await page.getByRole("link", { name: /Leases, not locks/ }).count(), 0);

    await page.getByRole("button", { name: "Project: Harbour" }).click();
    await page.getByRole("menuitem", { name: "All projects" }).click();
    await page.getByRole("link", { name: /Leases, not locks/ }).waitFor();
  });

  test("colours are chosen in the top bar and in the palette, and kept", async () => {
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: "Colours: system" }).click();
    await page.getByRole("button", { name: "Colours: light" }).click();
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    assert.equal(await ground(), dark, "also before anything is drawn anew");

    await palette("colours", /Change colours \(now dark\)/);
    await page.getByRole("button", { name: "Colours: system" }).waitFor();
    assert.equal(await ground(), light);
  });

  test("the palette offers what the page does, what there is, and where to go", async () => {
    const { items } = await call("inbox.list", { all: true });
    await go(`/inbox/${items[0]?.id}`);
    await palette("snooze until", /Snooze until tomorrow/);
    await page
      .getByRole("status")
      .getByText(/^Asleep until/)
      .waitFor();
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await page
      .getByRole("status")
      .getByText(/^Asleep until/)
      .waitFor({ state: "detached" });
    await until("nothing sleeps", async () => {
      return (await call("inbox.list", { all: true, snoozed: "only" })).items.length === 0;
    });

    await palette("harbour master", /Ask the harbour master/);
    await page.getByRole("complementary", { name: /^Task/ }).waitFor();
    await page.keyboard.press("Escape");
    await palette("workflows", /^Workflows/);
    await page.waitForURL("**/workflows");
  });

  test("every kind of thing opens beside the page, and what is not there says so", async () => {
    const first = async <
      Name extends
        | "task.list"
        | "decision.list"
        | "highlight.list"
        | "conversation.list"
        | "run.list"
        | "packet.list"
        | "project.list"
        | "inbox.list",
    >(
      name: Name,
    ) => (await call(name, {})).items[0]?.id ?? "";
    const runs = await call("run.list", { limit: 50 });
    const asked = runs.items.find(({ turns }) => turns > 0)?.id ?? "";
    const { items: exchanges } = await call("exchange.list", { runId: asked });
    const things = {
      task: await first("task.list"),
      decision: await first("decision.list"),
      highlight: await first("highlight.list"),
      conversation: await first("conversation.list"),
      run: await first("run.list"),
      packet: await first("packet.list"),
      project: await first("project.list"),
      wait: await first("inbox.list"),
      exchange: exchanges[0]?.id ?? "",
    };
    for (const [noun, id] of Object.entries(things)) {
      assert.notEqual(id, "", noun);
      await goTo(page, `/runs?open=${noun}:${id}`);
      const drawer = page.locator("aside.drawer");
      await drawer.locator(".facts-kv, dl, h2, h3").first().waitFor();
      assert.equal(await drawer.getByRole("alert").count(), 0, noun);
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
    }
    await goTo(page, `/runs?open=task:${things.run}`);
    await page.locator("aside.drawer").getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
  });

  test("what was just done is told in a line, and taken back from there", async () => {
    const { runId } = await call("ask.start", { request: "What is a lease?" });
    await go(`/runs/${runId}`);
    await page.locator(".head .chip.ok", { hasText: "completed" }).waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.waitForURL("**/runs");
    await page.getByRole("status").getByText("Archived: lists leave it out").waitFor();
    await page.locator(`a[href="/runs/${runId}"]`).waitFor({ state: "detached" });
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await page.locator(`a[href="/runs/${runId}"]`).waitFor();
  });

  test("the meter shows what was spent of the day's budget: amber near its end, plum when nothing is left", async () => {
    const meter = page.locator(".meter");
    await call("budget.set", { usd: 100 });
    await meter.getByText("/ $100.00 today").waitFor();
    const { runId } = await call("ask.start", {
      request: "What is a stray?",
      model: "costly/costly",
    });
    await meter.locator("b", { hasNotText: "$0.00" }).waitFor();
    const { run } = await call("run.show", { runId });
    const spent = run.costMicroUsd / 1e6;
    assert.ok(spent > 0.01, `${spent}`);
    assert.equal(await meter.getAttribute("class"), "meter ");

    await call("budget.set", { usd: Math.ceil((spent * 100) / 0.9) / 100 });
    await page.locator(".meter.wait").waitFor();
    await call("budget.set", { usd: Math.floor(spent * 100) / 100 });
    await page.locator(".meter.hold").waitFor();
    await call("budget.set", { usd: null });
    await meter.getByText("today", { exact: false }).waitFor();
    await page.locator(".meter.hold").waitFor({ state: "detached" });
  });

  test("a new entry in the inbox is told while nobody looks, and leads to it", async () => {
    const other = await visitor.again();
    await other.context.addInitScript(NOTIFICATIONS);
    await go("/search", other.page);
    await other.page.getByRole("button", { name: /admin/ }).click();
    await other.page.getByRole("menuitem", { name: "Notify me of new entries" }).click();
    await other.page.getByRole("button", { name: /admin/ }).click();
    await other.page.getByRole("menuitem", { name: "Stop notifications" }).waitFor();
    await other.page.keyboard.press("Escape");
    await other.page.evaluate(`Object.defineProperty(document, "hidden", { get: () => true })`);
    assert.deepEqual(await other.page.evaluate("told"), [], "what waited before is no news");

    await call("workflow.run", {
      workflow: "library:document-review",
      input: { document: "A stray is kept.", audience: "engineers" },
    });
    await until("it is told", () => other.page.evaluate<boolean>("told.length > 0"));
    const told = await other.page.evaluate<readonly string[]>("told");
    assert.match(told[0] ?? "", /\| Waits for you in Document review/);
    await other.page.evaluate(`lastNotification.dispatchEvent(new Event("click"))`);
    await other.page.waitForURL("**/inbox/*");
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  test("pages do not jump while they load", async (t) => {
    const other = await visitor.again();
    await other.context.addInitScript(MOVED);
    const jumps: string[] = [];
    for (const address of await pageAddresses(page)) {
      await go(address, other.page);
      await other.page.waitForTimeout(200);
      const moved = await other.page.evaluate<number>("moved");
      t.diagnostic(`${address} ${moved.toFixed(4)}`);
      if (moved > 0.1) jumps.push(`${address} ${moved}`);
    }
    assert.deepEqual(jumps, []);
    await other.context.close();
  });

  test("code that does not come is told once, and the page is not loaded anew again and again", async () => {
    const other = await visitor.again();
    const scripts = async (address: string) => {
      await go(address, other.page);
      return other.page.evaluate<readonly string[]>(
        `performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js"))`,
      );
    };
    const elsewhere = await scripts("/decisions");
    const [own] = (await scripts("/tasks")).filter((name) => !elsewhere.includes(name));
    assert.ok(own !== undefined);
    await other.page.route(own, (route) => route.abort());
    let loads = 0;
    other.page.on("domcontentloaded", () => {
      loads += 1;
    });
    await other.page.goto(new URL("/tasks", server.url).href);
    await other.page.locator(".fault").waitFor();
    await other.page.waitForTimeout(2_000);
    assert.equal(loads, 1);
    await other.context.close();
  });

  test("a server that is gone is told where it matters, and the page goes on when it is back", async () => {
    const other = await visitor.again();
    await go("/decisions", other.page);
    const { port } = new URL(server.url);
    await server.stop();
    await other.page.getByText("Not reached, trying again").waitFor();
    await goTo(other.page, "/tasks").catch(() => undefined);
    await other.page.getByText("The server does not answer.").first().waitFor();

    server = await home.serve(["start", "--port", port]);
    await other.page
      .locator(".foot")
      .getByText("Live", { exact: true })
      .waitFor({ timeout: 40_000 });
    await other.page.locator(".card").first().waitFor();
    assert.equal(await other.page.getByText("The server does not answer.").count(), 0);
    await other.context.close();
  });

  test("nothing was loaded from elsewhere, and the browser complained only of what was not there and not reached", () => {
    assert.deepEqual(visitor.foreign, []);
    assert.deepEqual(
      visitor.complaints.filter(
        (said) => !/status of 404|ERR_CONNECTION|ERR_EMPTY|ERR_INCOMPLETE/.test(said),
      ),
      [],
    );
  });
});
