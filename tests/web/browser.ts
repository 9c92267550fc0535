/** A real Chromium on a real server: what people see. Everything it loads and everything it complains about is kept. */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const ROOT = path.join(import.meta.dirname, "..", "..");

/** Our own: those that the package brings along switch web security off. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The pages as they are built now, in a browser that is closed when the tests are over. */
export async function openBrowser(): Promise<Browser> {
  await promisify(execFile)(process.execPath, [path.join(ROOT, "web", "build.ts"), "--if-changed"]);
  return chromium.launch({ executablePath: await findChromium(), args: ARGUMENTS });
}

/** Unpacks one where none is installed: whoever starts several at once has it found before. */
export async function findChromium(): Promise<string> {
  const { CHROMIUM } = process.env;
  const found = [CHROMIUM, ...INSTALLED].find((file) => file !== undefined && existsSync(file));
  if (found !== undefined) return found;
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What pages complained about: errors, warnings, refused loads. */
  readonly complaints: readonly string[];
  /** Addresses outside the server that something was loaded from. */
  readonly foreign: readonly string[];
  /** The same person with another screen. */
  again(options?: VisitOptions): Promise<Visit>;
  /** Another tab of the same visitor. */
  openTab(address: string): Promise<Page>;
}

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: "light" | "dark";
}

/** A visitor with a browser of their own, let in by the printed address. */
export function visit(
  browser: Browser,
  loginUrl: string,
  options: VisitOptions = {},
): Promise<Visit> {
  return arrive(browser, loginUrl, options);
}

async function arrive(
  browser: Browser,
  address: string,
  { width = 1440, height = 900, colours = "light" }: VisitOptions,
  storageState?: Awaited<ReturnType<BrowserContext["storageState"]>>,
): Promise<Visit> {
  const context = await browser.newContext({
    ...(storageState === undefined ? {} : { storageState }),
    viewport: { width, height },
    colorScheme: colours,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(15_000);
  const { origin } = new URL(address);
  const complaints: string[] = [];
  const foreign: string[] = [];
  context.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(asked)) foreign.push(asked);
  });
  const listen = (page: Page) => {
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  };
  context.on("page", listen);
  const page = await context.newPage();
  await page.goto(address);
  await page.locator(".app").waitFor();
  return {
    page,
    context,
    complaints,
    foreign,
    again: async (options = {}) => arrive(browser, origin, options, await context.storageState()),
    openTab: async (place) => {
      const tab = await context.newPage();
      await tab.goto(new URL(place, origin).href);
      await tab.locator(".app").waitFor();
      return tab;
    },
  };
}

/** Where the navigation leads: every page there is. */
export function pageAddresses(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `[...new Set([...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href")))]`,
  );
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly failureSummary?: string;
  }[];
}

/** What axe-core holds against the page as it stands: serious and critical findings, one line each. */
export async function accessibilityFaults(
  page: Page,
  /** All of them unless named. */
  rules?: readonly string[],
): Promise<readonly string[]> {
  await page.evaluate(axe);
  const options = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const found = await page.evaluate<readonly Finding[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = "" }) => `${id} ${target.join(" ")} ${failureSummary}`),
    );
}
