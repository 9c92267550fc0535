/**
 * What holds on every page: readable for everybody in both colours, no wider than a phone, and every action by
 * keyboard. Each control that answers a pointer is enumerated, reached by Tab or by the
 * arrow keys of the group it stands in, seen to have the focus, and seen to act on Enter or Space.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { accessibilityFaults, openBrowser, type Visit, visit } from "./browser.ts";
import { everyPage, furnish, goTo, makeRepository } from "./furnished.ts";
import { settled } from "./settled.ts";
import { until } from "./until.ts";

/**
 * Runs in the page. `begin` notes what stands in `root` and how it looks unfocused; from then on each focus and each
 * click is written down, and clicks go no further, so that pressing everything changes nothing. `end` says what was
 * not reached, not seen, or did not act.
 */
const WITNESS = `globalThis.witness = (() => {
  const NATIVE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true]";
  const ROLES = "[role=button], [role=link], [role=tab], [role=menuitem], [role=option], [role=checkbox], [role=slider], [tabindex='0']";
  const HANDLERS = ["onClick", "onDoubleClick", "onMouseDown", "onPointerDown", "onDragStart"];
  let root, known, looks, reached, acted, unseen;
  const handlersOf = (element) => {
    const key = Object.keys(element).find((name) => name.startsWith("__reactProps$"));
    return HANDLERS.filter((name) => typeof element[key]?.[name] === "function");
  };
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0 && !element.closest("[inert]");
  const isOff = (element) => element.matches(":disabled");
  const nameOf = (element) =>
    element.localName + (element.className?.baseVal ?? element.className ? "." + String(element.className?.baseVal ?? element.className).split(" ")[0] : "") +
    " " + JSON.stringify((element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 50));
  /** The parts of a control that may show that it has the focus. */
  const partsOf = (element) =>
    [element, element.parentElement, element.closest("label, .cm-editor, .drop"), element.nextElementSibling, element.querySelector(".shape")].filter(Boolean);
  const lookOf = (element) =>
    partsOf(element)
      .map((part) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor, borderColor, stroke, strokeWidth } = getComputedStyle(part);
        return [outlineStyle === "none" ? "" : outlineStyle + outlineWidth + outlineColor, boxShadow, backgroundColor, borderColor, stroke, strokeWidth].join(" ");
      })
      .join("|");
  const onFocus = ({ target }) => {
    if (!(target instanceof Element) || !root.contains(target)) return;
    reached.add(target);
    const [before, now] = [looks.get(target), lookOf(target)];
    if (before === now || (before === undefined && getComputedStyle(target).outlineStyle === "none")) unseen.add(target);
  };
  const onClick = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    for (const element of event.composedPath()) if (element instanceof Element) acted.add(element);
  };
  return {
    begin(selector) {
      root = document.querySelector(selector);
      reached = new Set();
      acted = new Set();
      unseen = new Set();
      document.activeElement?.blur();
      const all = [...root.querySelectorAll("*")].filter((element) => isShown(element) && !isOff(element));
      known = all.filter((element) => element.matches(NATIVE + "," + ROLES) || handlersOf(element).length > 0);
      looks = new Map(known.map((element) => [element, lookOf(element)]));
      addEventListener("focusin", onFocus, true);
      addEventListener("click", onClick, true);
      root.setAttribute("tabindex", "-1");
      root.focus({ preventScroll: true });
    },
    /** What has the focus: how to press it, or that the round is over. */
    current() {
      const element = document.activeElement;
      if (element === root || !root.contains(element)) return "outside";
      // What can be written in takes Enter for itself, a list of choices opens.
      if (element.matches("input[type=checkbox], input[type=radio]")) return "Space";
      if (element.matches("input, textarea, select, [contenteditable=true]")) return "none";
      if (element.matches("a[href], button, summary, [role=button]:not(.node)")) return "Enter";
      return "none";
    },
    groups: () => ({
      tabs: [...root.querySelectorAll("[role=tablist]")].map((list) => list.querySelectorAll("[role=tab]").length),
      nodes: root.querySelectorAll(".node").length,
    }),
    focusTabs(n) {
      [...root.querySelectorAll("[role=tablist]")][n].querySelector("[tabindex='0']").focus();
    },
    end() {
      removeEventListener("focusin", onFocus, true);
      removeEventListener("click", onClick, true);
      const faults = [];
      const here = known.filter((element) => element.isConnected && isShown(element));
      const radios = new Set(here.filter((element) => reached.has(element) && element.type === "radio").map(({ name }) => name));
      for (const element of here) {
        const isGroup = element.matches("svg[role=group], label, dialog, .board");
        if (isGroup) continue;
        // A card is dragged; the same is in the menu that it holds.
        if (element.getAttribute("draggable") === "true") {
          if (element.querySelector("[aria-haspopup=menu]") === null) faults.push("cannot be moved by keys: " + nameOf(element));
          continue;
        }
        if (element.matches("input[type=radio]") && radios.has(element.name)) continue;
        if (!reached.has(element)) {
          faults.push((element.matches(NATIVE + "," + ROLES) ? "not reached: " : "answers only a pointer: ") + nameOf(element));
          continue;
        }
        if (unseen.has(element)) faults.push("focus not seen: " + nameOf(element));
        const presses = element.matches("a[href], button, summary, [role=button]:not(.node), input[type=checkbox]");
        if (presses && !element.matches("[role=tab]") && !acted.has(element)) faults.push("does not act: " + nameOf(element));
      }
      return { count: here.length, faults: [...new Set(faults)] };
    },
  };
})();`;

const STOPS_AT_MOST = 400;

interface Walked {
  /** How many controls there are. */
  readonly count: number;
  readonly faults: readonly string[];
}

describe("every page", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;

  before(async () => {
    home = scratchFolder();
    makeRepository(home);
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    await furnish(home, server);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
    await page.evaluate(WITNESS);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  const pressUntilFocused = async (key: string, wanted: Locator) => {
    for (let press = 0; press < 20 && !(await isFocused(wanted)); press += 1)
      await page.keyboard.press(key);
    assert.equal(await isFocused(wanted), true, `${key} does not lead to ${String(wanted)}`);
  };

  /** Tabs through all of it, pressing what it comes to. */
  const walk = async (selector: string): Promise<Walked> => {
    await page.evaluate(`witness.begin(${JSON.stringify(selector)})`);
    for (let stop = 0; stop < STOPS_AT_MOST; stop += 1) {
      await page.keyboard.press("Tab");
      const press = await page.evaluate<string>("witness.current()");
      if (press === "outside") break;
      if (press !== "none") await page.keyboard.press(press);
    }
    const { tabs, nodes } = await page.evaluate<{ tabs: readonly number[]; nodes: number }>(
      "witness.groups()",
    );
    for (const [n, count] of tabs.entries()) {
      await page.evaluate(`witness.focusTabs(${n})`);
      for (let step = 0; step < count; step += 1) await page.keyboard.press("ArrowRight");
    }
    if (nodes > 0) await walkGraph(page, nodes);
    return page.evaluate<Walked>("witness.end()");
  };

  test("is readable and no wider than a phone; every control is reached, seen and pressed", async (t) => {
    const faults: string[] = [];
    let [pages, controls] = [0, 0];
    for await (const address of everyPage(page)) {
      faults.push(...(await standsInTheWay(page)).map((fault) => `${address} ${fault}`));
      const found = await walk(".main");
      faults.push(...found.faults.map((fault) => `${address} ${fault}`));
      controls += found.count;
      pages += 1;
    }
    await goTo(page, "/");
    const around = await walk(".app");
    faults.push(...around.faults.map((fault) => `around the page: ${fault}`));
    t.diagnostic(`${pages} pages, ${controls} controls`);
    assert.ok(pages >= 30 && controls >= 500, `${pages} pages, ${controls} controls`);
    assert.deepEqual(faults, []);
  });

  test("what cannot be reached, seen or pressed would be found", async () => {
    await goTo(page, "/settings/tokens");
    await page.evaluate(`{
      const plant = (name, change) => {
        const button = document.createElement("button");
        button.textContent = name;
        change(button);
        document.querySelector(".settings").append(button);
      };
      plant("out of reach", (button) => { button.tabIndex = -1; });
      plant("without a sign", (button) => { button.style.outline = "none"; });
      plant("deaf", (button) => button.addEventListener("keydown", (event) => event.preventDefault()));
    }`);
    const { faults } = await walk(".main");
    await page.reload();
    await page.locator(".app").waitFor();
    await page.evaluate(WITNESS);
    assert.deepEqual(faults, [
      'not reached: button "out of reach"',
      'focus not seen: button "without a sign"',
      'does not act: button "deaf"',
    ]);
  });

  test("menus open by Enter, are walked by arrows, and give the focus back on Escape", async () => {
    for (const address of ["/", "/tasks?text=strays", "/conversations", "/packets/new"]) {
      await goTo(page, address);
      const openers = page.locator("[aria-haspopup=menu]:visible");
      const count = await openers.count();
      assert.ok(count > 0, address);
      for (let n = 0; n < count; n += 1) {
        const opener = openers.nth(n);
        await opener.focus();
        await page.keyboard.press("Enter");
        const items = page.locator("[role=menu]:popover-open :is(button, a)");
        await items.first().waitFor();
        await settled(page);
        const all = await items.count();
        await pressUntilFocused("ArrowDown", items.first());
        for (let item = 0; item < all; item += 1) {
          assert.equal(await isFocused(items.nth(item)), true, `${address} ${n}: item ${item}`);
          await page.keyboard.press("ArrowDown");
        }
        await page.keyboard.press("Escape");
        await page.locator("[role=menu]:popover-open").waitFor({ state: "detached" });
        assert.equal(await isFocused(opener), true, `${address}: menu ${n} lost the focus`);
      }
    }
  });

  const DIALOGS: readonly (readonly [address: string, opener: string | RegExp])[] = [
    ["/", /^Capture/],
    ["/", /^Start a run/],
    ["/tasks", /^New task/],
    ["/tasks?text=strays", "Save this view"],
    ["/decisions", "Capture"],
    ["/decisions", "Edit"],
    ["/decisions", "Supersede"],
    ["/highlights", "Make a task"],
    ["/workflows", "Import"],
    ["/settings/models", "Add a model"],
    ["/settings/budgets", "Change"],
    ["/settings/people", "Add somebody"],
    ["/settings/tokens", "New token"],
    ["/sessions", "Begin a session"],
  ];

  test("dialogs take the focus, keep it, close by Escape and give it back", async () => {
    for (const [address, name] of DIALOGS) {
      await goTo(page, address);
      const opener = page.locator(".main").getByRole("button", { name, exact: true }).first();
      await opener.focus();
      await page.keyboard.press("Enter");
      const dialog = page.locator("dialog[open]");
      await dialog.waitFor();
      for (let stop = 0; stop < 4; stop += 1) {
        const isInside =
          "document.activeElement === document.body || document.querySelector('dialog[open]').contains(document.activeElement)";
        assert.equal(await page.evaluate(isInside), true, `${address} ${name}: stop ${stop}`);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.equal(await isFocused(opener), true, `${address} ${name}: the focus is lost`);
    }
  });

  test("a card goes from column to column by its menu, and the focus with it; arrows lead from card to card", async () => {
    await goTo(page, "/tasks");
    const card = (title: string) => page.locator(".card-name", { hasText: title });
    await card("Ask the harbour master").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await isFocused(card("Replace the sync lock")), true);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assert.equal(
      await page.evaluate("document.activeElement.closest('section').ariaLabel"),
      "To do",
    );
    await card("Ask the harbour master").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Start" }).waitFor();
    await pressUntilFocused("ArrowDown", page.getByRole("menuitem", { name: "Start" }));
    await page.keyboard.press("Enter");
    const column = page.getByRole("region", { name: "In progress", exact: true }).first();
    const moved = column.locator(".card-name", { hasText: "Ask the harbour master" });
    await moved.waitFor();
    await until("the focus went along", () => isFocused(moved));
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: /^Task/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: /^Task/ }).waitFor({ state: "detached" });
    assert.equal(await isFocused(moved), true, "the drawer gives the focus back");
  });

  test("in the graph every step is come to by arrows, and Enter chooses it", async () => {
    await goTo(page, "/workflows/library%3Aresearch");
    await page.locator(".node[tabindex='0']").focus();
    await page.keyboard.press("Home");
    const seen = new Set<string>();
    const current = () => page.evaluate<string>("document.activeElement.dataset.step");
    for (let at = await current(); !seen.has(at); at = await current()) {
      seen.add(at);
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(seen.size, 9);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const step = await current();
    await page.keyboard.press("Enter");
    await page.locator(`.node[data-step=${step}][aria-pressed=true]`).waitFor();
  });

  test("words are selected sentence by sentence, and kept, without a pointer", async () => {
    await goTo(page, "/conversations");
    await page.locator(".said").first().waitFor();
    await page.keyboard.press("]");
    await page.keyboard.press("}");
    const bar = page.getByRole("toolbar", { name: "What to do with the selection" });
    await bar.waitFor();
    await page.keyboard.press("x");
    await page.getByRole("dialog", { name: "Redact" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("]");
    await page.keyboard.press("h");
    await page.locator(".drawn").getByText("Highlights, 3").waitFor();
  });

  test("the browser had nothing to complain about", () => {
    assert.deepEqual([visitor.foreign, visitor.complaints], [[], []]);
  });
});

/** What axe-core and a narrow page find. */
async function standsInTheWay(page: Page): Promise<readonly string[]> {
  const inLight = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await accessibilityFaults(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 844 });
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  await page.setViewportSize({ width: 1440, height: 900 });
  return [...inLight, ...inDark, ...(width > 390 ? [`${width} wide on a phone`] : [])];
}

function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each === each.ownerDocument.activeElement);
}

/** From the first step to the sides, row after row: every step that is drawn has the focus once. */
async function walkGraph(page: Page, nodes: number): Promise<void> {
  await page.evaluate(`document.querySelector(".node[tabindex='0']").focus()`);
  await page.keyboard.press("Home");
  for (let step = 1; step < nodes; step += 1) await page.keyboard.press("ArrowRight");
}
