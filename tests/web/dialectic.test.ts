/** A dialectic in the browser: begun, watched, argued with, revised, edited, made again where it became stale, taken home. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { accessibilityFaults, openBrowser, type Visit, visit } from "./browser.ts";
import { settled } from "./settled.ts";

/** A folder for pictures to look at; none unless given. */
const { SHOTS } = process.env;
const HOUR_MS = 3_600_000;
const LATE = { timeout: 60_000 };
const IS_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

describe("the dialectic", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;
  let session = "";

  const picture = async (name: string) => {
    if (SHOTS === undefined) return;
    await settled(page);
    for (const colours of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: colours, reducedMotion: "reduce" });
      await page.screenshot({ path: path.join(SHOTS, `dx-${name}-${colours}.png`) });
    }
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  };
  const go = async (address: string) => {
    await page.goto(new URL(address, server.url).href);
    await page.locator(".main h1").first().waitFor();
    await settled(page);
  };
  const cells = (state: string) => page.locator(`.dx-cell[data-state=${state}]`);
  const cell = (name: RegExp) => page.getByRole("link", { name }).first();
  const call = async (name: string, input: object) => {
    const response = await fetch(new URL(`/api/v1/${name.replace(".", "/")}`, server.url), {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    assert.equal(response.status, 200, name);
    return (await response.json()) as { runId: string; use: { turns: number } };
  };
  const start = async (model: string) =>
    (await call("dialectic.start", { request: "A kiosk", model: [model] })).runId;
  /** How many calls there have been. */
  const turns = async () => {
    const { use } = await call("dialectic.status", { session: path.basename(session) });
    return use.turns;
  };

  /** One that never finishes a document, and one of whose documents nothing can be used until it is asked a tenth time. */
  const addModels = () => {
    const scripts = {
      endless: [{ step: "thesis_generate_business_case", latencyMs: HOUR_MS }],
      wandering: [
        {
          step: "thesis_generate_feature_spec",
          continuation: "*",
          reply: "Let us talk of gardens.",
        },
      ],
    };
    const providers = Object.entries(scripts).map(([name, replies]) => {
      const script = path.join(home.folder, `${name}.json`);
      writeFileSync(script, JSON.stringify({ replies }));
      return [name, { kind: "rehearsal", script }];
    });
    const place = path.join(home.folder, ".throughline");
    mkdirSync(place, { mode: 0o700 });
    const config = { providers: Object.fromEntries(providers) };
    writeFileSync(path.join(place, "config.json"), JSON.stringify(config));
  };

  before(async () => {
    home = scratchFolder();
    addModels();
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("what it takes is said before it begins, and the matrix fills while it is watched", async () => {
    await go("/dialectic");
    await page.getByText("Nothing has been argued here yet").waitFor();
    await page
      .getByLabel("What you want, in your own words")
      .fill("A booking system for a small clinic: patients book by phone or page.");
    await page.getByRole("row", { name: /^All 104/ }).waitFor();
    await page.getByRole("button", { name: "Use 1" }).click();
    await page.getByRole("row", { name: /^All 74/ }).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("row", { name: /^All 104/ }).waitFor();
    await picture("start");
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.getByRole("button", { name: /^Begin 10 calls for Proposal/ }).click();
    await page.waitForURL("**/dialectic/*");
    session = new URL(page.url()).pathname;
    await page.getByRole("heading", { name: "Proposal is done" }).waitFor(LATE);
    assert.equal(await cells("complete").count(), 10);
    assert.equal(await cells("ahead").count(), 94);
    await page.getByRole("button", { name: /^Go on to Review 28 calls/ }).waitFor();
    await picture("gate");
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  test("a remark on a section drives a revision, and what changed is shown", async () => {
    await cell(/^Business Case, Slot 1, .*: done$/).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Executive Summary" }).waitFor();
    await picture("document");
    await page.getByRole("button", { name: "Say something about Executive Summary" }).click();
    await page
      .getByLabel("What should change in Executive Summary")
      .fill("Name the clinic's two doctors.");
    await picture("saying");
    await page
      .getByRole("button", { name: /^Say it/ })
      .first()
      .click();
    await page.locator(".dx-remark[data-state=open]").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.getByRole("button", { name: "Revise from 1 remark" }).click();
    await page.getByRole("heading", { name: /^Version 2 revised by/ }).waitFor(LATE);
    await page.locator(".dx-remark[data-state=addressed]").waitFor();
    await page.getByRole("button", { name: "Since v1" }).click();
    await page.locator(".diff .add").first().waitFor();
    await page.locator(".diff .del").first().waitFor();
    await picture("changes");
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.getByRole("link", { name: /^v1 written by/ }).click();
    await page.getByText("This version has been replaced.").waitFor();
    await page.getByRole("link", { name: "Prompt and reply" }).click();
    await page.waitForURL("**/prompts/*");
    await page.locator(".prompt").first().waitFor();
  });

  test("an edit says what it makes stale; exactly that is made again", async () => {
    await go(session);
    await cell(/^Business Case, Slot 1, .*: revised, version 2$/).waitFor();
    await page.getByRole("button", { name: /^Go on to Review/ }).click();
    await page.getByRole("heading", { name: "Review is done" }).waitFor(LATE);
    assert.equal(await cells("complete").count(), 38);

    await cell(/^Business Case, Slot 1/).click();
    await page.getByRole("button", { name: "Edit Executive Summary" }).click();
    await page.getByLabel("Executive Summary, as text").fill("Two doctors, one desk.");
    await picture("editing");
    await page.getByRole("button", { name: "Keep the change 14 documents will be stale" }).click();
    await page.getByRole("heading", { name: /^Version 3 edited by/ }).waitFor();
    await page.getByText("Two doctors, one desk.").first().waitFor();

    await go(`${session}/document/antithesis/risk_register/s2.l1`);
    await page.getByText("Stale.", { exact: true }).waitFor();
    await page.keyboard.press("u");
    await page.waitForURL(`**${session}`);
    await page.getByText("14 documents stale.").waitFor();
    assert.equal(await cells("stale").count(), 14);
    await cell(/^Business Case, Slot 1, .*: edited, version 3$/).waitFor();
    assert.ok(await page.getByRole("button", { name: /^Go on to Refinement/ }).isDisabled());
    await picture("stale");
    assert.deepEqual(await accessibilityFaults(page), []);

    const calls = await turns();
    await page.getByRole("button", { name: "Make them again 14 calls, nothing else" }).click();
    await page.getByRole("tab", { name: /^Documents 38\/104/ }).waitFor(LATE);
    assert.equal(await cells("stale").count(), 0);
    assert.equal((await turns()) - calls, 14);
  });

  test("remarks are settled, cost and files are shown, and all of it is exported", async () => {
    await go(`${session}/remarks`);
    await page.getByText("Name the clinic's two doctors.").waitFor();
    await page.getByRole("button", { name: "Open again" }).click();
    await page.getByRole("button", { name: "Defer", exact: true }).click();
    await page.getByLabel("Why it is deferred").fill("Names come later.");
    await page.keyboard.press("Enter");
    await page.getByText("Names come later.").waitFor();
    await page.locator(".dx-remark[data-state=deferred]").waitFor();
    await picture("remarks");

    await page.getByRole("tab", { name: "Cost" }).click();
    await page.getByRole("row", { name: /^Proposal .*11 calls/ }).waitFor();
    await picture("cost");

    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("button", { name: "Write a ZIP" }).click();
    const place = page.locator(".dx-exported .mono").first();
    await place.waitFor();
    assert.ok(existsSync(await place.innerText()));
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const archive = readFileSync(await (await coming).path());
    assert.equal(archive.subarray(0, 2).toString(), "PK");
    await picture("files");
    assert.deepEqual(await accessibilityFaults(page), []);

    await go("/dialectic/recipes/software");
    await page.getByText("33 / 104 / 237 calls with 1 / 2 / 3 slots").waitFor();
    await picture("recipes");
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  test("stale documents are taken as they are when somebody says so", async () => {
    await go(`${session}/document/thesis/business_case/s2`);
    await page.getByRole("button", { name: "Edit Executive Summary" }).click();
    await page.getByLabel("Executive Summary, as text").fill("A second desk can wait.");
    await page.getByRole("button", { name: "Keep the change 14 documents will be stale" }).click();
    await page.getByRole("heading", { name: /^Version 2 edited by/ }).waitFor();
    await go(session);
    const onward = page.getByRole("button", { name: /^Go on to Refinement/ });
    assert.ok(await onward.isDisabled());
    await page.getByText("Take 14 stale documents as they are").click();
    await picture("accepting");
    const calls = await turns();
    await onward.click();
    await page.getByRole("heading", { name: "Refinement is done" }).waitFor(LATE);
    assert.equal(await cells("stale").count(), 0);
    assert.equal((await turns()) - calls, 50, "the stale ones were not made again");
  });

  test("it goes on by itself once it is told to, and begins another iteration from where it is told", async () => {
    await page.getByText("Go on by itself").click();
    await page.getByRole("heading", { name: "Finished", exact: true }).waitFor(LATE);
    await page.getByRole("tab", { name: /^Documents 104\/104/ }).waitFor(LATE);
    await picture("finished");
    assert.deepEqual(await accessibilityFaults(page), []);

    const calls = await turns();
    await page.getByLabel("Begins with").selectOption({ label: "Planning" });
    await page.getByRole("button", { name: "Begin iteration 2" }).click();
    await page.getByText("Iteration 2 has begun.").waitFor();
    await page.getByRole("button", { name: "Begin iteration 3" }).waitFor(LATE);
    await page.getByRole("heading", { name: "Finished", exact: true }).waitFor(LATE);
    assert.equal((await turns()) - calls, 16, "planning and implementation of both slots");
    await picture("iterated");
  });

  test("it is finished where it stands, and begun again with what was learned", async () => {
    await go(`/dialectic/${await start("rehearsal/rehearsal")}`);
    await page.getByRole("heading", { name: "Proposal is done" }).waitFor(LATE);
    await page.getByText("Another iteration, or the end").click();
    await picture("ends");
    await page.getByRole("button", { name: "Begin iteration 2" }).click();
    await page.locator(".tag", { hasText: "iteration 2" }).waitFor(LATE);
    await page.reload();
    await page.getByRole("heading", { name: "Proposal is done" }).waitFor(LATE);
    await page.getByText("Another iteration, or the end").click();
    await page.getByRole("button", { name: "Begin iteration 3" }).waitFor();
    await page.getByRole("button", { name: /^Finish here/ }).click();
    await page.getByRole("heading", { name: "Finished", exact: true }).waitFor(LATE);
    assert.equal(await page.getByText("Go on by itself").count(), 0);
  });

  test("what is being written is shown as such, paused, taken up and cancelled", async () => {
    await go(`/dialectic/${await start("endless/endless")}`);
    await page.getByRole("tab", { name: /^Documents 4\/33/ }).waitFor(LATE);
    const onItsOwn = page.getByRole("checkbox", { name: /^Go on by itself/ });
    for (const told of ["It goes on by itself.", "It asks before each stage."]) {
      await page.getByText("Go on by itself").click();
      await page.getByText(told).waitFor();
      await page.reload();
      await onItsOwn.waitFor({ state: "attached" });
      assert.equal(await onItsOwn.isChecked(), told === "It goes on by itself.");
    }
    assert.equal(await cells("working").count(), 1);
    await picture("working");
    await page.getByRole("button", { name: /^Pause/ }).click();
    await page.getByRole("heading", { name: "Paused: nothing new starts" }).waitFor();
    await page.getByRole("button", { name: /^Resume/ }).click();
    await page.getByRole("heading", { name: "Writing Proposal" }).waitFor();
    await cells("working").click();
    await page.getByText("Nothing has arrived yet.").waitFor();
    await page.keyboard.press("u");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel the dialectic" }).click();
    await page.getByRole("heading", { name: "Cancelled", exact: true }).waitFor();
  });

  test("one that could not be had says why, and is tried again alone", async () => {
    await go(`/dialectic/${await start("wandering/wandering")}`);
    const again = page.getByRole("button", { name: "Try this one again" });
    await again.waitFor(LATE);
    assert.equal(await cells("held").count(), 1);
    await page.getByText(/^13 calls, .* tokens, \$0\.00$/).waitFor();
    await picture("held");
    assert.deepEqual(await accessibilityFaults(page), []);
    await again.click();
    await page.getByText("Feature Specification tries again").waitFor();
    await again.waitFor(LATE);
  });

  test("everything fits a phone, and can be read in the dark", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const document = `${session}/document/thesis/business_case/s1`;
    const addresses = [
      "/dialectic",
      session,
      document,
      `${document}?pane=ledger`,
      `${document}?view=changes`,
      `${session}/cost`,
      `${session}/files`,
      "/dialectic/recipes/software",
    ];
    for (const [n, address] of addresses.entries()) {
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      await go(address);
      assert.equal(await page.evaluate(IS_WIDE), false, `${address} sticks out`);
      assert.deepEqual(await accessibilityFaults(page, ["color-contrast"]), [], address);
      await picture(`390-${n}`);
    }
  });

  test("the browser had nothing to complain about, and nothing was loaded from elsewhere", () => {
    assert.deepEqual(visitor.complaints, []);
    assert.deepEqual(visitor.foreign, []);
  });
});
