/** A team from its first words to the origin of a sentence, and a question that is answered where it stands. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { accessibilityFaults, openBrowser, type Visit, visit } from "./browser.ts";
import { settled } from "./settled.ts";

/** A folder for pictures to look at; none unless given. */
const { SHOTS } = process.env;

describe("teams", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;

  const picture = async (name: string) => {
    await settled(page);
    if (SHOTS !== undefined) await page.screenshot({ path: path.join(SHOTS, `team-${name}.png`) });
  };

  /** A model that asks, as the chair, what it was not told. */
  const addAskingModel = () => {
    const missingDetails = [
      { question: "Who will read it?", blocking: true, options: ["Experts"] },
    ];
    const script = path.join(home.folder, "asking.json");
    const replies = [{ step: "bootstrap", continuation: "*", set: { missingDetails } }];
    writeFileSync(script, JSON.stringify({ replies }));
    const config = { providers: { asking: { kind: "rehearsal", script } } };
    writeFileSync(path.join(home.folder, ".throughline", "config.json"), JSON.stringify(config));
  };

  before(async () => {
    home = scratchFolder();
    await home.run(["init"]);
    addAskingModel();
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("a team is started, is seen to work, and concludes", async () => {
    await page.goto(new URL("/teams", server.url).href);
    await page.getByText("No team has worked here yet").waitFor();
    await page.getByRole("button", { name: /^Book workshop/ }).click();
    await page.getByLabel("Rounds at most").fill("3");
    await picture("start");
    await page.getByRole("button", { name: /Start Book workshop/ }).click();
    await page.waitForURL("**/teams/*");

    await page.getByText("The team has worked its 3 rounds.").waitFor({ timeout: 60_000 });
    await page.getByRole("heading", { name: "Said to you" }).waitFor();
    await page.getByRole("cell", { name: "skipped" }).first().waitFor();
    assert.equal(await page.locator(".round-grid tbody tr").count(), 4);
    await picture("rounds");
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  test("a sentence of a version leads back to the person's words, and an envelope shows what changed", async () => {
    await page.getByRole("tab", { name: /Products/ }).click();
    const written = page.locator(".tree-line", { hasText: /\d version/ }).first();
    await written.click();
    await page.getByRole("heading", { name: "Definition of done" }).waitFor();
    await picture("product");
    await page.getByRole("button", { name: "Trace sentences" }).click();
    await page.locator(".sentence").nth(1).click();
    await page.locator(".trace-chain .thread li.now").waitFor();
    assert.match(
      await page.locator(".trace-chain .thread li.now").first().innerText(),
      /u1 user message/,
    );
    await picture("sentence");
    await page.getByLabel("Your comment").fill("Say it to a child of twelve.");
    await page.getByRole("button", { name: "Comment" }).click();
    await page.getByText("Say it to a child of twelve.").first().waitFor();

    await page.getByRole("tab", { name: "Envelopes" }).click();
    await page.locator(".item", { hasText: "Plan & assign" }).first().click();
    await page.getByRole("button", { name: /Since round/ }).click();
    await page.locator(".diff .add").first().waitFor();
    await picture("envelope");
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  test("what the chair needs to know is answered in place, and a concluded team works on", async () => {
    const started = await home.run([
      "team",
      "start",
      "lab",
      "--rounds",
      "1",
      "--model",
      "asking/asking",
      "--json",
    ]);
    const { runId } = (JSON.parse(started.stdout) as { data: { runId: string } }).data;
    await page.goto(new URL(`/teams/${runId}`, server.url).href);
    await page.getByLabel("Who will read it?").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: /^Answer/ }).click();
    await page.getByText("is needed to answer").first().waitFor();
    await picture("halt");
    await page.getByLabel("Who will read it?").fill("Nurses in training.");
    await page.getByRole("button", { name: /^Answer/ }).click();

    await page.getByText("The team has worked its round.").waitFor({ timeout: 60_000 });
    await page.getByText("Who will read it? Nurses in training.").waitFor();
    await page.getByRole("button", { name: "Work one more round" }).click();
    await page.getByText("The team has worked its 2 rounds.").waitFor({ timeout: 60_000 });
    await page.goto(new URL("/teams", server.url).href);
    await picture("list");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(new URL(`/teams/${runId}`, server.url).href);
    await page.getByRole("heading", { name: "Rounds" }).waitFor();
    await picture("390");
    const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert.equal(await page.evaluate(isWide), false, "nothing sticks out on a phone");
    await page.goto(new URL("/teams", server.url).href);
    await page.locator(".team-line").first().waitFor();
    assert.equal(await page.locator(".team-line").count(), 2);
    assert.deepEqual(
      visitor.complaints.filter((text) => !text.includes("400")),
      [],
    );
    assert.deepEqual(visitor.foreign, []);
  });
});
