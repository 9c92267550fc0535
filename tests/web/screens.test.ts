/**
 * `SCREENS=1` takes the pictures in docs/screens anew: every page, in light and in dark, with the sample and its run;
 * `SCREENS=/tasks` only those whose address begins so.
 */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type ScratchFolder, scratchFolder } from "../scratch/program.ts";
import { openBrowser, pageAddresses, visit } from "./browser.ts";
import { settled } from "./settled.ts";

const FOLDER = path.join(import.meta.dirname, "..", "..", "docs", "screens");
const LARGEST = 60_000;
const { SCREENS } = process.env;

test("pictures of every page", { skip: SCREENS === undefined }, async (t) => {
  mkdirSync(FOLDER, { recursive: true });
  const home = scratchFolder();
  const [browser, server] = await Promise.all([openBrowser(), home.serve()]);
  t.after(async () => {
    await browser.close();
    await home.remove();
  });
  const first = await visit(browser, server.loginUrl);
  await first.page.getByRole("button", { name: "Run sample" }).click();
  await first.page.waitForURL("**/runs/*");
  await first.page.getByText("1 waits for an answer").waitFor();
  const run = new URL(first.page.url()).pathname;
  await home.run([
    "packet",
    "compile",
    "project",
    "Tidepool (sample)",
    "--intent",
    "generate_next_actions",
  ]);
  const exchanges = await home.run(["exchange", "list", run.replace("/runs/", ""), "--json"]);
  const exchange = /"id":"([^"]+)"/.exec(exchanges.stdout)?.[1] ?? "";
  const dialectic = await argued(home);
  const pages = await pageAddresses(first.page);
  for (const colours of ["light", "dark"] as const) {
    const code = await home.run(["open"]);
    const { page, context } = await visit(browser, code.stdout.trim(), {
      colours,
      width: 1280,
      height: 800,
    });
    const addresses = [
      ...pages,
      run,
      `/prompts/${exchange}`,
      "/workflows/library%3Aresearch",
      "/packets/new?pane=preview",
      "/settings/people",
      "/settings/care",
      dialectic,
      `${dialectic}/document/thesis/business_case/s1`,
    ].filter((address) => SCREENS === "1" || address.startsWith(SCREENS ?? ""));
    for (const address of addresses) {
      await page.goto(new URL(address, server.url).href);
      await page.locator(".main h1, .main .empty").first().waitFor();
      await settled(page);
      const picture = await takePicture(page);
      writeFileSync(path.join(FOLDER, `${nameOf(address)}-${colours}.webp`), picture);
      t.diagnostic(`${nameOf(address)}-${colours} ${picture.length}`);
    }
    await context.close();
  }
  assert.ok(pages.length >= 8);
});

/** Through two of its stages, with something said and something changed. */
async function argued(home: ScratchFolder): Promise<string> {
  const words = "A booking system for a small clinic: patients book by phone or page, two doctors.";
  const model = ["--model", "rehearsal/rehearsal"];
  await home.run(["dialectic", "start", words, ...model, ...model, "--follow"]);
  await home.run(["dialectic", "next", "--follow"]);
  const document = "thesis/business_case/s1";
  const remark = ["--section", "executive_summary", "--text", "Name the two doctors."];
  await home.run(["dialectic", "feedback", "--document", document, ...remark]);
  await home.run(
    ["dialectic", "edit", "thesis/technical_approach/s2", "--section", "architecture"],
    "Phone first.",
  );
  const { stdout } = await home.run(["dialectic", "status", "--json"]);
  return `/dialectic/${(JSON.parse(stdout) as { data: { runId: string } }).data.runId}`;
}

/** As good as fits. */
async function takePicture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  for (const quality of [80, 65, 50, 35, 20]) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
    const picture = Buffer.from(data, "base64");
    if (picture.length <= LARGEST) return picture;
  }
  throw new Error(`${page.url()} does not fit ${LARGEST} bytes.`);
}

function nameOf(address: string): string {
  const [, page = "", detail] = address.split("/");
  if (page === "") return "home";
  if (detail === undefined) return page;
  if (address.includes("/document/")) return `${page}-document`;
  return page === "settings" ? `${page}-${detail}` : `${page}-one`;
}
