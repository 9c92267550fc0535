/** Workflows and their runs as people work with them: drawn, put right, saved, run, watched, compared. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { accessibilityFaults, openBrowser, type Visit, visit } from "./browser.ts";

const FLAGGED = `flowchart TD
    rate[Rate It] --> look(Look at It)
    look --> done[Finish]

%% === WORKFLOW_CONFIG ===
%% @rate: {
%%   "prompt": "Rate {{run.input.topic}}.",
%%   "outputSchema": {
%%     "type": "object",
%%     "properties": { "score": { "type": "integer", "minimum": 60, "maximum": 99 } },
%%     "required": ["score"],
%%     "additionalProperties": false
%%   }
%% }
%% @look: { "execution": "manual", "prompt": "It scored {{output.scor}}. Is that right?" }
%% @done: { "prompt": "Write it down." }
%% === END_CONFIG ===
`;

const GATHERED = `flowchart TD
    plan[Plan Interviews] --> each[[Each: Interview]]
    each --> gather[Join Findings]

%% === WORKFLOW_CONFIG ===
%% @plan: { "prompt": "Whom should we ask about {{run.input.topic}}? Output: {people: [name]}" }
%% @each: { "itemsPath": "output.people", "itemVariable": "person", "prompt": "What would {{person}} say? Output: {quote: text}" }
%% @gather: { "prompt": "Bring the findings together. Output: {findings: [text]}" }
%% === END_CONFIG ===
`;

/** Ten ways of a hundred steps, side by side. */
function thousandSteps(): string {
  const ways = Array.from({ length: 10 }, (_, way) => {
    const steps = Array.from({ length: 100 }, (__, n) => `w${way}s${n}[Step ${n} of way ${way}]`);
    return `    ${steps.join(" --> ")}`;
  });
  return ["flowchart TD", ...ways, ""].join("\n");
}

const WATCH_TASKS = `globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  }).observe({ type: "longtask" });`;

async function settled(page: Page): Promise<void> {
  const coming = page.locator(".skeleton, .main [aria-busy=true]");
  const until = Date.now() + 15_000;
  while ((await coming.count()) > 0) {
    assert.ok(Date.now() < until, "something is still to come");
    await page.waitForTimeout(20);
  }
}

describe("workflows and runs in the browser", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let workflow = "";
  let run = "";

  before(async () => {
    home = scratchFolder();
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
    const made = await home.run(["workflow", "create", "Rating", "--draft", "--json"], FLAGGED);
    workflow = /"id":"([^"]+)"/.exec(made.stdout)?.[1] ?? "";
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  const go = async (address: string) => {
    await visitor.page.goto(new URL(address, server.url).href);
  };
  const node = (id: string) => visitor.page.locator(`.node[data-step="${id}"]`);

  test("a workflow of the library runs from its page, and is watched to its end in the graph", async () => {
    const { page } = visitor;
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.waitForURL("**/workflows");
    await page.getByRole("link", { name: /^Document review/ }).click();
    await node("gate").waitFor();
    assert.equal(await page.locator(".node").count(), 10);

    await page.getByRole("button", { name: "Run", exact: true }).click();
    const sheet = page.getByRole("dialog", { name: /^Run/ });
    await sheet.getByLabel(/document/i).fill("A lease ends by itself.");
    await sheet.getByLabel(/audience/i).fill("engineers");
    await sheet.getByRole("button", { name: "Start" }).click();
    await page.waitForURL("**/runs/*");
    run = new URL(page.url()).pathname.split("/").at(-1) ?? "";

    await page.locator(".node.s-ok[data-step=findings]").waitFor();
    await page.locator(".node.s-wait[data-step=gate]").waitFor();
    assert.ok((await page.locator(".edge.taken").count()) >= 8);
    await page.getByRole("link", { name: "Answer", exact: true }).click();
    await page.getByText("revise", { exact: true }).click();
    await page.getByLabel("Advice").fill("Say when it ends.");
    await page.getByRole("button", { name: /^Complete/ }).click();
    await page.getByRole("status").getByText("Complete: Document review").waitFor();
    await go(`/runs/${run}`);
    await page.getByRole("button", { name: "Pass 2" }).waitFor();
    await page.locator(".node.s-wait[data-step=gate]").waitFor();
    const { waits } = JSON.parse((await home.run(["run", "show", run, "--json"])).stdout).data;
    const answer = '{"decision":"accept","advice":"Good."}';
    await home.run(["inbox", "answer", waits[0].id, "complete", "--fields", answer]);

    await page.locator(".chip.ok", { hasText: "completed" }).first().waitFor();
    await page.locator(".node.s-ok[data-step=report]").waitFor();
    await page.getByRole("button", { name: "Pass 1" }).click();
    await page.locator(".node.s-todo[data-step=report]").waitFor();
  });

  test("the chosen step tells prompt, reply and output, and runs again from there", async () => {
    const { page } = visitor;
    await go(`/runs/${run}`);
    await node("claims").click();
    const pane = page.getByRole("complementary", { name: "Chosen step" });
    await pane.getByRole("heading", { name: "Check Claims" }).waitFor();
    await pane.getByRole("tab", { name: "Prompt" }).click();
    await pane.getByText("You check what a document says is so", { exact: false }).waitFor();
    await pane.getByRole("button", { name: "Rerun from here" }).click();
    await page.getByRole("status").getByText("Running again from “Check Claims”").waitFor();
    await page.locator(".node.s-wait[data-step=gate]").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.locator(".chip", { hasText: "cancelled" }).first().waitFor();
  });

  test("a flagged problem leads to its place, is put right, and the version is saved and compared", async () => {
    const { page } = visitor;
    await go(`/workflows/${workflow}`);
    const problems = page.getByRole("region", { name: "Problems" });
    await problems.getByRole("button", { name: /Nothing can fill output\.scor/ }).click();
    await page.getByRole("heading", { name: "Look at It" }).waitFor();
    await page.getByText("line 15, column", { exact: false }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Run", exact: true }).isDisabled(), true);

    await problems.getByRole("button", { name: "Use output.score" }).click();
    await problems.getByText("none: it can run").waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("status").getByText("Saved as version 2").waitFor();

    await page.getByRole("link", { name: "Versions" }).click();
    await page.locator(".diff .add", { hasText: "output.score}}" }).waitFor();
    await page.locator(".diff .del", { hasText: "output.scor}}" }).waitFor();
    await page.getByText("step look, Look at It: prompt").waitFor();
  });

  test("the form changes one step and leaves the rest of the text alone; a prompt completes paths", async () => {
    const { page } = visitor;
    await home.run(["workflow", "run", "Rating", "--set", "topic=leases"]);
    await go(`/workflows/${workflow}?step=rate`);
    const form = page.getByRole("region", { name: "Step" });
    const source = page.locator(".wf-source .cm-content");
    await form.getByRole("button", { name: "Decision" }).waitFor();

    await form.getByLabel("Retries").fill("2");
    await form.getByLabel("Retries").press("Enter");
    await source.getByText('"retries": 2').waitFor();
    await node("look").click();
    await form.getByRole("heading", { name: "Look at It" }).waitFor();
    await form.getByRole("button", { name: "Agent" }).click();
    await source.getByText("look[Look at It]").waitFor();
    await form.getByRole("button", { name: "Agent", pressed: true }).waitFor();
    await form.getByRole("button", { name: "Person" }).click();
    await source.getByText("look(Look at It)").waitFor();
    await form.getByRole("button", { name: "Person", pressed: true }).waitFor();

    const prompt = form.getByRole("textbox", { name: "Prompt" });
    await prompt.press("Control+End");
    await prompt.pressSequentially(" Of {{run.in");
    await page
      .getByRole("option", { name: /run\.input\.topic/ })
      .getByText("leases")
      .waitFor();
    await page.getByRole("option", { name: /run\.input\.topic/ }).click();
    await source.getByText("Of {{run.input.topic}}", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByRole("status").getByText("Saved as version 3").waitFor();
    const after = JSON.parse(
      (await home.run(["workflow", "show", "Rating", "--json"])).stdout,
    ).data;
    assert.match(after.source, /%% @done: \{ "prompt": "Write it down\." \}/);
    assert.match(after.source, /rate\[Rate It\] --> look\(Look at It\)/);
  });

  test("it is walked dry, exported, imported under another name, and two runs stand side by side", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("button", { name: "Walk it" }).click();
    await page.getByText("rate → look → done").waitFor();
    await page.getByRole("dialog").getByText("Rate It", { exact: false }).first().click();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "More" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export with its agents" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "rating.json");
    await go("/workflows");
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByLabel("A file that was exported").setInputFiles(await download.path());
    await page.getByLabel("Name here, if another").fill("Rating elsewhere");
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
    await page.getByRole("heading", { name: "Rating elsewhere" }).waitFor();

    await home.run(["workflow", "run", "Rating", "--set", "topic=tides"]);
    await go("/runs");
    await page
      .getByRole("link", { name: /Rating/ })
      .first()
      .click();
    await page.locator(".node.s-wait[data-step=look]").waitFor();
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.locator(".beside.heads").getByText("the other").waitFor();
    await page.getByRole("button", { name: "All steps" }).click();
    await page.locator(".compared").getByText("Rate It").waitFor();
  });

  test("how many items go at once, and how many a join waits for, are set in the form and saved", async () => {
    const { page } = visitor;
    const made = await home.run(["workflow", "create", "Interviews", "--json"], GATHERED);
    await go(`/workflows/${/"id":"([^"]+)"/.exec(made.stdout)?.[1]}?step=each`);
    const form = page.getByRole("region", { name: "Step" });
    const source = page.locator(".wf-source .cm-content");
    const set = async (label: string, value: string, written: string) => {
      await form.getByRole("textbox", { name: label }).fill(value);
      await form.getByRole("textbox", { name: label }).press("Enter");
      await source.getByText(written).waitFor();
    };
    await form.getByRole("button", { name: "Each", pressed: true }).waitFor();
    await set("At once", "3", '"concurrency": 3');
    await set("Items at most", "12", '"maxItems": 12');

    await node("gather").click();
    await form.getByRole("button", { name: "Join", exact: true, pressed: true }).waitFor();
    await form.getByRole("button", { name: "Number", exact: true }).click();
    await source.getByText('"minCount": 1').waitFor();
    await set("How many", "2", '"minCount": 2');
    await form.getByRole("button", { name: "Per cent", exact: true }).click();
    await source.getByText('"minPercent": 80').waitFor();
    await source.getByText('"minCount"').waitFor({ state: "detached" });
    await set("Per cent", "60", '"minPercent": 60');
    await set("Deadline", "2h", '"deadline": "2h"');
    await form.getByLabel("At the deadline").selectOption("partial");
    await source.getByText('"onDeadline": "partial"').waitFor();
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByRole("status").getByText("Saved as version 2").waitFor();

    const shown = await home.run(["workflow", "show", "Interviews", "--json"]);
    const saved = JSON.parse(shown.stdout).data.source;
    for (const kept of ["each[[Each: Interview]]", "gather[Join Findings]", '"person"'])
      assert.ok(saved.includes(kept), saved);
    const [, each = "", gather = ""] = /@each: ([^@]*)%% @gather: ([^@]*)$/.exec(saved) ?? [];
    for (const written of ['"concurrency": 3', '"maxItems": 12'])
      assert.ok(each.includes(written), saved);
    for (const written of ['"minPercent": 60', '"deadline": "2h"', '"onDeadline": "partial"'])
      assert.ok(gather.includes(written), saved);
    assert.ok(!saved.includes("minCount"), saved);
  });

  test("everything goes by keyboard: from step to step in the graph, and into the text", async () => {
    const { page } = visitor;
    await go(`/workflows/${workflow}`);
    await node("rate").waitFor();
    await node("rate").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Finish" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.dataset.step"), "done");

    await page.locator(".wf-source .cm-content").focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("%% n s p\n");
    await page.getByText("v4 unsaved").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0, "typing is no command");
    for (let n = 0; n < 6; n += 1) await page.keyboard.press("Control+z");
    await page.getByText("v4 unsaved").waitFor({ state: "detached" });
  });

  test("nothing serious stands in the way where a run or a version is chosen, also on a phone", async () => {
    const { page } = visitor;
    const faults: string[] = [];
    for (const address of [
      `/workflows/${workflow}?step=look`,
      `/workflows/${workflow}/versions`,
      `/runs/${run}/timeline?step=gate`,
      `/runs/${run}/compare?show=all`,
    ]) {
      await go(address);
      await page.locator(".main h1").first().waitFor();
      await settled(page);
      const found = [...(await accessibilityFaults(page))];
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(...(await accessibilityFaults(page, ["color-contrast"])));
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 390, height: 844 });
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (wide > 390) found.push(`is ${wide} wide`);
      await page.setViewportSize({ width: 1440, height: 900 });
      faults.push(...found.map((fault) => `${address}: ${fault}`));
    }
    assert.deepEqual(faults, []);
  });

  test("a thousand steps open at once, and watching them work does not hold the page up", async () => {
    const { page } = visitor;
    await home.run(["workflow", "create", "Thousand"], thousandSteps());
    const begun = await home.run(["workflow", "run", "Thousand", "--json"]);
    const id = /"runId":"([^"]+)"/.exec(begun.stdout)?.[1] ?? "";
    await go("/runs");
    await page.evaluate(WATCH_TASKS);
    await page
      .getByRole("link", { name: /Thousand/ })
      .first()
      .waitFor();

    const startedAt = performance.now();
    await page.evaluate(
      `history.pushState(null, "", "/runs/${id}"), dispatchEvent(new PopStateEvent("popstate"))`,
    );
    await page.locator(".node").nth(20).waitFor();
    const openMs = performance.now() - startedAt;
    await page.locator(".node.s-ok").nth(10).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator(".node.s-ok").nth(300).waitFor({ timeout: 90_000 });
    assert.ok((await page.locator(".node").count()) >= 1000);
    const longest = await page.evaluate<number>("Math.max(0, ...longTasks)");

    console.log(
      `# 1,000 steps: opened in ${Math.round(openMs)} ms, longest task ${Math.round(longest)} ms`,
    );
    // The machine may be busy; GRAPH_STRICT=1 holds to what is promised.
    const isStrict = process.env["GRAPH_STRICT"] === "1";
    assert.ok(openMs < (isStrict ? 1500 : 8000), `opened in ${Math.round(openMs)} ms`);
    assert.ok(longest < (isStrict ? 200 : 1500), `a task took ${Math.round(longest)} ms`);
    await go("/runs");
    await home.run(["run", "cancel", id]);
  });

  test("nothing was loaded from elsewhere, and the browser had nothing to complain about", () => {
    assert.deepEqual(visitor.foreign, []);
    assert.deepEqual(visitor.complaints, []);
  });
});
