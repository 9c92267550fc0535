/** `SCREENS=1` takes the pictures in docs/screens anew: every page, in light and in dark, with the sample and its run. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { scratchFolder } from "../scratch/program.ts";
import { openBrowser, pageAddresses, visit } from "./browser.ts";
import { settled } from "./settled.ts";

const FOLDER = path.join(import.meta.dirname, "..", "..", "docs", "screens");
const LARGEST = 60_000;

test("pictures of every page", { skip: process.env["SCREENS"] !== "1" }, async (t) => {
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
    ];
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
  return page === "settings" ? `${page}-${detail}` : `${page}-one`;
}
