import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { missingProgram } from "../scratch/scratch-repository.ts";
import { accessibilityFaults, openBrowser, type Visit, visit } from "./browser.ts";

describe("the page of sessions", { skip: missingProgram("git") ?? false }, () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  const file = (name: string) => path.join(home.folder, name);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: home.folder });
  const run = async (args: readonly string[], stdin = "") => {
    const { code, stderr } = await home.run(args, stdin);
    assert.equal(code, 0, stderr);
  };

  before(async () => {
    home = scratchFolder();
    git("init", "--quiet", "--initial-branch=dev");
    git("config", "user.name", "Ann");
    git("config", "user.email", "ann@example.org");
    git("commit", "--quiet", "--allow-empty", "--message=base");
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("shows sessions, their intents and commits, what must hold, and the report; a session is finished from it", async () => {
    const { page, complaints } = visitor;
    await page.goto(new URL("/sessions", server.url).href);
    await page.getByText("No prompt has left a trail yet").waitFor();
    const words = ["--interpretation", "Reading is slow; read once."];
    await run(
      ["session", "start", "-", ...words, "--strategy", "Measure first."],
      "Make the settings faster.\n",
    );
    for (const name of ["Read the settings once", "Measure it"]) {
      writeFileSync(file(name), name);
      await run(["session", "intent", name]);
    }

    await page.getByRole("link", { name: /Make the settings faster/ }).click();
    await page.getByText("Measure it").waitFor();
    await page.getByRole("button", { name: "Finish" }).click();
    await page.getByLabel("What was achieved, in one line").fill("Settings are read once");
    await page.getByLabel("The answer, for the report").fill("It takes **2 ms** now.");
    await page.getByRole("dialog").getByRole("button", { name: "Finish" }).click();
    await page.locator(".chip.ok", { hasText: "finished" }).waitFor();

    await page.getByText("2 intents squashed", { exact: false }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole("tab", { name: "Invariants" }).click();
    await page.getByText("invariants hold").waitFor();
    assert.equal(await page.locator(".invariants > li").count(), 15);
    assert.equal(await page.locator(".invariants > [data-verdict=breach]").count(), 0);
    writeFileSync(file("left"), "over\n");
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByText("Not recorded: left.").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    rmSync(file("left"));
    await page.getByRole("tab", { name: "Report" }).click();
    await page.getByText("2 ms", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Commit message" }).click();
    await page.getByText("## Squashed Change IDs", { exact: false }).waitFor();
    await page.getByRole("link", { name: "Sessions", exact: true }).first().click();
    await page.getByRole("link", { name: /Settings are read once/ }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(complaints, []);
  });
});
