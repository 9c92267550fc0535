/** What a model sends while somebody watches, what it proposes out of a conversation, and an import that was stopped. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { openBrowser, visit } from "./browser.ts";

const TRANSCRIPT = [
  "# Where the tide data comes from",
  "",
  "## User",
  "",
  "We said on Monday that the harbour office is the only source we trust. Who asks them for a key?",
  "",
  "## Assistant",
  "",
  "Then the harbour office it is. Somebody has to write to them before the pilot begins, and until then nothing can be measured.",
  "",
].join("\n");

/** A model as a program: it prints half of its answer to a packet and waits to be told to go on. */
const MODEL = `
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
const prompt = await text(process.stdin);
const packet = /"packet": "(\\w+)"/.exec(prompt)?.[1];
if (packet === undefined) {
  console.log(JSON.stringify({
    decisions: [{ message: "m1", quote: "the harbour office is the only source we trust", title: "Only the harbour office is trusted" }],
    tasks: [
      { message: "m2", quote: "Somebody has to write to them before the pilot begins", title: "Ask the harbour office for a key", isBlocker: true },
      { message: "m2", quote: "words that nobody said", title: "Invented" },
    ],
    highlights: [],
  }));
} else {
  console.log("## Answer\\nThe first half of the answer has arrived.");
  while (!existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 20));
  const block = { packet, tasks: [{ title: "Measure the first tide", description: "With the new key" }], decisions: [], highlights: [] };
  console.log("The second half as well.\\n\\n\`\`\`tl-return\\n" + JSON.stringify(block) + "\\n\`\`\`");
}
`;

const EXPORTED = 400;

/** An export that takes long enough to be stopped on its way. */
function chatgptExport(): string {
  const said = "What was said about the tide and the harbour, at length. ".repeat(600);
  const conversations = Array.from({ length: EXPORTED }, (_, n) => ({
    title: `Talk ${n}`,
    create_time: 1_700_000_000 + n,
    conversation_id: `talk-${n}`,
    current_node: "a",
    mapping: {
      a: {
        id: "a",
        parent: null,
        children: [],
        message: {
          author: { role: "user" },
          content: { content_type: "text", parts: [`${n}: ${said}`] },
        },
      },
    },
  }));
  return JSON.stringify(conversations);
}

describe("answers of a model", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let page: Page;

  const go = async (address: string) => {
    await page.goto(new URL(address, server.url).href);
    await page.locator(".main h1").first().waitFor();
  };
  const call = async (route: string, input: object = {}): Promise<unknown> => {
    const response = await fetch(`${server.url}/api/v1/${route}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    assert.ok(response.ok, `${route}: ${response.status} ${await response.clone().text()}`);
    return response.json();
  };

  before(async () => {
    home = scratchFolder();
    writeFileSync(path.join(home.folder, "harbour.md"), TRANSCRIPT);
    writeFileSync(path.join(home.folder, "conversations.json"), chatgptExport());
    writeFileSync(path.join(home.folder, "model.mjs"), MODEL);
    await home.run(["init"]);
    const settings = {
      defaultModel: "halting/default",
      providers: {
        halting: {
          kind: "command",
          command: process.execPath,
          args: ["model.mjs"],
        },
      },
    };
    writeFileSync(path.join(home.folder, ".throughline", "config.json"), JSON.stringify(settings));
    server = await home.serve();
    browser = await openBrowser();
    ({ page } = await visit(browser, server.loginUrl));
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("a conversation is distilled, and what is proposed is reviewed beside its words", async () => {
    await home.run(["import", "harbour.md"]);
    await go("/conversations");
    await page
      .getByRole("link", { name: /Where the tide data comes from/ })
      .first()
      .click();
    await page.locator(".said").first().waitFor();
    await page.getByRole("button", { name: "Distill" }).click();
    await page.getByRole("button", { name: "2 proposals to review" }).click();
    const rows = page.locator(".cand");
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2, "what nobody said is not proposed");
    const before = await home.run(["task", "list"]);
    assert.doesNotMatch(before.stdout, /Ask the harbour office/, "nothing is written before");
    const task = rows.filter({ hasText: "Ask the harbour office" });
    await task.getByText("Somebody has to write to them").waitFor();
    await task.getByRole("button", { name: "Accept" }).click();
    await rows
      .filter({ hasText: "Only the harbour office" })
      .getByRole("button", { name: "Skip" })
      .click();
    await page.getByRole("button", { name: "Write 1 accepted" }).click();
    await page.getByText("Harvest written, 1 object").waitFor();

    await task.getByRole("button", { name: "Written" }).click();
    const drawer = page.getByRole("complementary", { name: /^Task/ });
    await drawer.getByText("Somebody has to write to them before the pilot begins").waitFor();
    const after = await home.run(["decision", "list"]);
    assert.doesNotMatch(after.stdout, /Only the harbour office/);
  });

  test("a packet goes straight to a model, its reply is seen while it arrives, and is harvested", async () => {
    await call("project/add", { name: "Harbour" });
    const { packetId } = (await call("packet/compile", {
      originType: "project",
      originId: "Harbour",
      intent: "generate_next_actions",
    })) as { readonly packetId: string };
    await go(`/packets/${packetId}`);
    await page.getByRole("button", { name: /^Send/ }).first().click();
    const answer = page.getByRole("region", { name: "Answer" });
    await answer.getByText("The first half of the answer has arrived.").waitFor();
    await page.getByText("the answer arrives").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Read what it proposes/ }).count(), 0);

    writeFileSync(path.join(home.folder, "go-on"), "");
    await answer.getByText("The second half as well.").waitFor();
    await page.getByRole("button", { name: /^Read what it proposes/ }).click();
    const row = page.locator(".cand", { hasText: "Measure the first tide" });
    await row.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("button", { name: "Write 1 accepted" }).click();

    await page.getByText("Harvest written, 1 object").waitFor();
    const { stdout } = await home.run(["task", "list"]);
    assert.match(stdout, /Measure the first tide/);
  });

  test("an import that was stopped goes on from its page and brings everything once", async () => {
    await go("/conversations/import");
    const file = path.join(home.folder, "conversations.json");
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "See what would come" }).click();
    const bring = page.getByRole("button", { name: `Import ${EXPORTED} conversations` });
    await bring.click();
    const importId = await runningImport();
    await call("import/stop", { importId });
    await go(`/conversations/import/${importId}`);
    await page.getByRole("heading", { name: "Stopped; what came in stays" }).waitFor();
    await page.getByRole("button", { name: "Go on where it stopped" }).click();
    await page.getByRole("heading", { name: "It is in" }).waitFor();

    const { stdout } = await home.run(["import", file]);
    assert.match(stdout, /\n {2}400 conversations as before\n/);
    assert.doesNotMatch(stdout, / new/);
  });

  async function runningImport(): Promise<string> {
    for (;;) {
      const listed = (await call("import/list")) as {
        readonly items: readonly { readonly id: string; readonly state: string }[];
      };
      const running = listed.items.find(({ state }) => state === "running");
      if (running !== undefined) return running.id;
    }
  }
});
