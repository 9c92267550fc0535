/**
 * `SCREENS=1` takes the pictures in docs/screens anew: every page, in light and in dark, with something on it;
 * `SCREENS=/tasks` only those whose address begins so. `LOOK=folder` puts all views of all pages there, also as a
 * phone shows them, to be looked at.
 */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { callsTo } from "../scratch/call-server.ts";
import { scratchFolder } from "../scratch/program.ts";
import { openBrowser, pageAddresses, visit } from "./browser.ts";
import { everyPage, furnish, goTo, makeRepository } from "./furnished.ts";

const FOLDER = path.join(import.meta.dirname, "..", "..", "docs", "screens");
const LARGEST = 60_000;
const { SCREENS, LOOK } = process.env;
const COLOURS = ["light", "dark"] as const;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

test("pictures of every page", { skip: SCREENS === undefined && LOOK === undefined }, async (t) => {
  const home = scratchFolder();
  makeRepository(home);
  const [browser, server] = await Promise.all([openBrowser(), home.serve()]);
  t.after(async () => {
    await browser.close();
    await home.remove();
  });
  const { page } = await visit(browser, server.loginUrl, DESK);
  await page.getByRole("button", { name: "Run sample" }).click();
  await page.waitForURL("**/runs/*");
  await page.getByText("1 waits for an answer").waitFor();
  const run = new URL(page.url()).pathname;
  await furnish(home, server);
  const call = callsTo(server);
  await restOfTeams(call);

  if (LOOK !== undefined) {
    mkdirSync(LOOK, { recursive: true });
    for await (const address of everyPage(page))
      await takeAll(page, path.join(LOOK, slug(address)));
    return;
  }
  mkdirSync(FOLDER, { recursive: true });
  const { items: exchanges } = await call("exchange.list", { runId: run.replace("/runs/", "") });
  const { items: dialectics } = await call("dialectic.list", {});
  const dialectic = `/dialectic/${dialectics[0]?.runId}`;
  const pages = await pageAddresses(page);
  const addresses = [
    ...pages,
    run,
    `/prompts/${exchanges[0]?.id}`,
    "/workflows/library%3Aresearch",
    "/packets/new?pane=preview",
    "/settings/people",
    "/settings/care",
    dialectic,
    `${dialectic}/document/thesis/business_case/s1`,
  ].filter((address) => SCREENS === "1" || address.startsWith(SCREENS ?? ""));
  for (const address of addresses) {
    await goTo(page, address);
    for (const colours of COLOURS) {
      await page.emulateMedia({ colorScheme: colours });
      const picture = await takePicture(page);
      writeFileSync(path.join(FOLDER, `${nameOf(address)}-${colours}.webp`), picture);
      t.diagnostic(`${nameOf(address)}-${colours} ${picture.length}`);
    }
  }
  assert.ok(pages.length >= 8);
});

/** A team at work looks different from moment to moment. */
async function restOfTeams(call: ReturnType<typeof callsTo>): Promise<void> {
  for (;;) {
    const { items } = await call("run.list", { method: "team", state: ["queued", "running"] });
    if (items.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function takeAll(page: Page, place: string): Promise<void> {
  for (const [screen, size] of [
    ["desk", DESK],
    ["phone", PHONE],
  ] as const) {
    await page.setViewportSize(size);
    for (const colours of COLOURS) {
      await page.emulateMedia({ colorScheme: colours });
      await page.screenshot({ path: `${place}-${screen}-${colours}.png` });
    }
  }
  await page.setViewportSize(DESK);
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

function slug(address: string): string {
  const words = address.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "one").replaceAll(/\W+/g, "-");
  return words.replaceAll(/^-|-$/g, "") || "home";
}

function nameOf(address: string): string {
  const [, page = "", detail] = address.split("/");
  if (page === "") return "home";
  if (detail === undefined) return page;
  if (address.includes("/document/")) return `${page}-document`;
  return page === "settings" ? `${page}-${detail}` : `${page}-one`;
}
