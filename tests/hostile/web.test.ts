/**
 * Hostile texts wherever people read them, in a real browser: nothing in them acts, nothing is loaded from elsewhere,
 * and what is shown is the text. `HOSTILE_SHOWN` says how many; without it every kind of them once.
 */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";
import { openBrowser, pageAddresses, type Visit, visit } from "../web/browser.ts";
import { settled } from "../web/settled.ts";
import { shownTexts } from "./corpus.ts";
import { generatedTexts } from "./generated-texts.ts";
import { canBeKept, INTRUDERS, oneLine, TELL_ON_THEM, type Witness, witness } from "./witness.ts";

const ASKED = Number(process.env["HOSTILE_SHOWN"] ?? 0);
/** What comes first is what the others grew from. */
const TEXTS = (ASKED > 0 ? allTexts().slice(0, ASKED) : shownTexts()).filter(canBeKept);
const GROUP = 10;
const CHUNK = 50;
const CHUNKS = Array.from({ length: Math.ceil(TEXTS.length / CHUNK) }, (_, n) =>
  TEXTS.slice(n * CHUNK, (n + 1) * CHUNK),
);

function allTexts(): readonly string[] {
  const { markup, mermaid, templates, strings } = generatedTexts();
  return [...new Set([...markup, ...mermaid, ...templates, ...strings])];
}

describe("hostile texts in the browser", () => {
  let browser: Browser;
  let home: ScratchFolder;
  let server: Server;
  let visitor: Visit;
  let page: Page;
  let seen: Witness;
  const made: Made = { things: [], conversations: [], workflows: [], runs: [], dialectics: [] };

  const call: Call = async (name, input) => {
    const response = await fetch(new URL(`/api/v1/${name.replace(".", "/")}`, server.url), {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as Answer;
    assert.ok(response.status < 500, `${name}: ${JSON.stringify(body).slice(0, 300)}`);
    return response.ok ? body : undefined;
  };

  before(async () => {
    home = scratchFolder();
    rehearse(home.folder);
    [browser, server] = await Promise.all([openBrowser(), home.serve()]);
    visitor = await visit(browser, server.loginUrl);
    ({ page } = visitor);
    await visitor.context.addInitScript(TELL_ON_THEM);
    await page.reload();
    await page.locator(".app").waitFor();
    seen = witness(page);
    await furnish(call, made);
  });
  after(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("there are 300, and markup taken at its word would own a page", async () => {
    assert.ok(TEXTS.length >= 300, `${TEXTS.length} texts`);
    const context = await browser.newContext();
    await context.route("**", (route) => route.abort());
    const victim = await context.newPage();
    const owned = await victim.evaluate<number>(`(async () => {
      let count = 0;
      for (const text of ${JSON.stringify(TEXTS)}) {
        globalThis.__owned = undefined;
        const box = document.body.appendChild(document.createElement("div"));
        try { box.innerHTML = text; } catch {}
        await new Promise((done) => setTimeout(done, 8));
        if (globalThis.__owned !== undefined) count += 1;
        box.remove();
      }
      return count;
    })()`);
    await context.close();
    assert.ok(owned >= 5, `${owned} texts act where nothing stops them`);
  });

  test("as what was said: every text stands in its message to the letter", async () => {
    for (const [n, id] of made.conversations.entries()) {
      await seen.go(`/conversations/${id}`);
      await page.locator(".said").last().waitFor();
      seen.assertShown(await seen.textOf(".said-words"), CHUNKS[n] ?? [], `conversation ${n}`);
    }
    assert.equal(made.conversations.length, CHUNKS.length);
  });

  test("as titles, descriptions, labels and tags of tasks, decisions, highlights and projects", async () => {
    await seen.go("/");
    for (const { noun, id, titles } of made.things) {
      await seen.go(`/?open=${noun}:${id}`);
      await page.locator(".drawer .facts-kv").first().waitFor();
      seen.assertShown(await seen.textOf(".drawer"), titles, `${noun} ${titles[0]}`);
    }
  });

  test("as workflow sources, labels of steps and prompts", async () => {
    for (const { id, labels } of made.workflows) {
      await seen.go(`/workflows/${id}`);
      if (labels.length > 0) {
        await page.locator(".node").first().waitFor();
        await page.getByRole("button", { name: "Show all" }).click();
        await page.locator(`.node[data-step=s${labels.length - 1}]`).waitFor();
      }
      const drawn = (await seen.textOf(".node title")).replaceAll(/\[(U\+\w+)\]/g, "$1");
      seen.assertShown(drawn, labels, `workflow ${id}`);
      await seen.go(`/workflows/${id}/versions`);
    }
  });

  test("as requests, replies and results, while they run and after", async () => {
    let read = "";
    for (const id of made.runs) {
      for (const tab of ["", "/timeline", "/steps", "/prompts", "/artifacts", "/result", "/events"])
        await seen.go(`/runs/${id}${tab}`);
      const { items = [] } = (await call("exchange.list", { runId: id })) ?? {};
      for (const exchange of items) {
        await seen.go(`/prompts/${exchange.id}`);
        await page.locator(".prompt").first().waitFor();
        read += await seen.textOf(".main");
        await seen.go(`/prompts?open=exchange:${exchange.id}`);
      }
    }
    assert.ok(read.includes("<svg/onload=globalThis.__owned=1>"), "prompts and replies were read");
  });

  test("as what a dialectic is asked, what is said about its documents and what is written into them", async () => {
    for (const id of made.dialectics)
      for (const tab of ["", "/remarks", "/cost", "/files"])
        await seen.go(`/dialectic/${id}${tab}`);
    const [id] = made.dialectics;
    for (const view of ["", "?view=changes", "?view=data", "?pane=ledger"])
      await seen.go(`/dialectic/${id}/document/thesis/business_case/s1${view}`);
    await seen.go(`/dialectic/${id}/document/thesis/business_case/s1`);
    seen.assertShown(await seen.textOf(".dx-said"), CHUNKS[3] ?? [], "remarks");
    await seen.go(`/dialectic/${id}/remarks`);
    seen.assertShown(await seen.textOf(".dx-said"), CHUNKS[3] ?? [], "all remarks");
  });

  test("on every page of the navigation, in the palette, and as an address", async () => {
    const pages = await pageAddresses(page);
    assert.ok(pages.length >= 7, pages.join(" "));
    for (const address of pages) await seen.go(address);
    const { items: waiting = [] } = (await call("inbox.list", {})) ?? {};
    const { items: packets = [] } = (await call("packet.list", {})) ?? {};
    assert.ok(waiting.length > 0 && packets.length > 0);
    for (const { id } of waiting) await seen.go(`/inbox/${id}`);
    for (const { id } of packets) await seen.go(`/packets/${id}`);
    for (const tab of ["models", "budgets", "people", "redaction"])
      await seen.go(`/settings/${tab}`);
    await page.keyboard.press("Control+k");
    for (const words of ["script", "<img src=x onerror=globalThis.__owned=1>", "evil"]) {
      await page.getByRole("combobox", { name: /^Search/ }).fill(words);
      await settled(page);
      assert.deepEqual(await page.evaluate(INTRUDERS), [], words);
    }
    await page.keyboard.press("Escape");
    for (const text of TEXTS.filter((_, n) => n % 12 === 0).map(oneLine)) {
      const word = encodeURIComponent(text);
      await page.evaluate(
        `history.pushState(null, "", ${JSON.stringify(`/runs?open=${word}:${word}&view=${word}`)}), dispatchEvent(new PopStateEvent("popstate"))`,
      );
      assert.deepEqual(await page.evaluate(INTRUDERS), [], text);
    }
  });

  test("nothing reads other than it is: what nobody sees stands as a mark, wherever it is shown", () => {
    assert.deepEqual([...seen.misled], []);
  });

  test("nothing acted, nothing was asked, nothing came from elsewhere", () => {
    assert.deepEqual(visitor.foreign, []);
    assert.deepEqual(
      visitor.complaints.filter((said) => !/status of 40[04]/.test(said)),
      [],
    );
  });
});

interface Made {
  readonly things: Thing[];
  readonly conversations: string[];
  readonly workflows: { readonly id: string; readonly labels: readonly string[] }[];
  readonly runs: string[];
  readonly dialectics: string[];
}

interface Thing {
  readonly noun: string;
  readonly id: string;
  /** What must be read in it, to the letter. */
  readonly titles: readonly string[];
}

interface Answer {
  readonly id?: string;
  readonly runId?: string;
  readonly packetId?: string;
  readonly name?: string;
  readonly state?: string;
  readonly items?: readonly { readonly id: string; readonly status?: string }[];
}

type Call = (name: string, input: object) => Promise<Answer | undefined>;

/** Steps that are asked for words answer with the texts themselves. */
function rehearse(folder: string): void {
  const place = path.join(folder, ".throughline");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const config = {
    rateLimit: { perSecond: 0 },
    defaultModel: "drill/drill",
    providers: { drill: { kind: "rehearsal", script: "drill.json" } },
  };
  writeFileSync(path.join(place, "config.json"), JSON.stringify(config));
  const reply = CHUNKS.slice(0, 8).flat().join("\n\n");
  writeFileSync(path.join(folder, "drill.json"), JSON.stringify({ default: { reply } }));
}

/** One whose models behave, argued with in hostile words; one whose model answers with nothing else. */
async function argue(call: Call, made: Made): Promise<void> {
  const [request = [], title = [], , remarks = [], written = []] = CHUNKS;
  for (const model of ["rehearsal/rehearsal", "drill/drill"]) {
    const given = { request: request.join("\n\n"), title: oneLine(title[0] ?? ""), model: [model] };
    const { runId = "" } = (await call("dialectic.start", given)) ?? {};
    let state = "";
    while (!["waiting", "held"].includes(state))
      state = (await call("dialectic.status", { runId }))?.state ?? "gone";
    made.dialectics.push(runId);
  }
  const [session] = made.dialectics;
  const document = "thesis/business_case/s1";
  for (const text of remarks)
    assert.ok(await call("dialectic.feedback", { session, document, text }), text);
  const text = written.join("\n\n");
  const section = "executive_summary";
  assert.ok(await call("dialectic.edit", { session, document, section, text }));
}

async function furnish(call: Call, made: Made): Promise<void> {
  const project = await call("project.add", {
    name: "<b>Hostile</b>",
    description: TEXTS.slice(20, 60).join("\n\n"),
    glossary: TEXTS.slice(0, 20).map((text) => ({ term: oneLine(text), meaning: text })),
  });
  assert.ok(project?.id !== undefined);
  made.things.push({ noun: "project", id: project.id, titles: [] });
  for (let at = 0; at < TEXTS.length; at += GROUP) {
    const texts = TEXTS.slice(at, at + GROUP);
    const titles = texts.map(oneLine);
    const [text = "", title = ""] = [texts[0], titles[0]];
    const parent = await call("task.add", {
      title,
      description: texts.join("\n\n"),
      tags: titles,
      project: project.id,
    });
    assert.ok(parent?.id !== undefined, title);
    await Promise.all(titles.map((each) => call("task.add", { title: each, parent: parent.id })));
    made.things.push({ noun: "task", id: parent.id, titles });
    const decision = await call("decision.add", { title, content: text, project: project.id });
    made.things.push({ noun: "decision", id: decision?.id ?? "", titles: [title] });
    const content = texts[1] ?? text;
    const highlight = await call("highlight.add", { label: title, content, project: project.id });
    made.things.push({ noun: "highlight", id: highlight?.id ?? "", titles: [content] });
    await call("project.add", { name: title, description: text });
    await call("agent.add", { displayName: title, agentPrompt: text });
  }
  for (const [n, texts] of CHUNKS.entries()) {
    const messages = texts.map((content, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content,
    }));
    const talk = await call("conversation.add", { title: oneLine(texts[0] ?? ""), messages });
    if (talk?.id !== undefined) made.conversations.push(talk.id);
    const labels = texts.filter((text) => !/["\n&]/.test(text)).map(oneLine);
    const workflow = await call("workflow.create", {
      name: `${n} ${oneLine(texts[1] ?? "")}`.slice(0, 60),
      description: texts.join("\n\n").slice(0, 4000),
      source: workflowOf(labels, texts),
      draft: true,
    });
    if (workflow?.id === undefined) continue;
    made.workflows.push({ id: workflow.id, labels });
  }
  const [first = [], second = []] = CHUNKS;
  const [asked, told] = [first.join("\n"), second.join("\n")];
  made.runs.push((await call("ask.start", { request: asked, context: told }))?.runId ?? "");
  const { id } = (await call("workflow.create", { name: "Ask", source: askPerson(second) })) ?? {};
  const begun = await call("workflow.run", { workflow: id, input: { texts: second } });
  made.runs.push(begun?.runId ?? "");
  for (const [n, source] of TEXTS.filter((text) => /^(?:%%|graph)/.test(text)).entries()) {
    const draft = await call("workflow.create", { name: `Draft ${n}`, source, draft: true });
    if (draft?.id !== undefined && n % 4 === 0) made.workflows.push({ id: draft.id, labels: [] });
  }
  await argue(call, made);
  const packet = await call("packet.compile", {
    originType: "project",
    originId: project.id,
    intent: "custom",
    customIntent: TEXTS[30],
  });
  assert.ok(packet?.packetId !== undefined);
  const answer = ["## Answer", ...(CHUNKS[1] ?? []), "```tl-return", answerOf(packet.name), "```"];
  await call("harvest.read", { packetId: packet.packetId, answer: answer.join("\n") });
}

function answerOf(packet: string | undefined): string {
  const some = CHUNKS[2] ?? [];
  return JSON.stringify({
    packet,
    tasks: some.map((text) => ({ title: oneLine(text), description: text })),
    decisions: some.map((text) => ({ title: oneLine(text), content: text })),
    highlights: some.map((text) => ({ label: oneLine(text), content: text })),
  });
}

/** A person is asked before a model is. */
function askPerson(texts: readonly string[]): string {
  const [label, other] = texts.filter((text) => !/["\n&{]/.test(text)).map(oneLine);
  const settings = { execution: "manual", prompt: texts.join("\n\n").replaceAll("{{", "{ {") };
  return [
    "flowchart TD",
    `    s0("${label}") --> s1["${other}"]`,
    "",
    "%% === WORKFLOW_CONFIG ===",
    `%% @s0: ${JSON.stringify(settings)}`,
    `%% @s1: ${JSON.stringify({ prompt: settings.prompt })}`,
    "%% === END_CONFIG ===",
    "",
  ].join("\n");
}

/** One step for each label, in a row; the first asks a person. */
function workflowOf(labels: readonly string[], prompts: readonly string[]): string {
  const steps = labels.map((label, n) => `    s${n}${n === 0 ? `("${label}")` : `["${label}"]`}`);
  const row = labels.map((_, n) => `s${n}`).join(" --> ");
  const settings = labels.map(
    (_, n) => `%% @s${n}: ${JSON.stringify({ prompt: prompts[n]?.replaceAll("{{", "{ {") })}`,
  );
  return [
    "flowchart TD",
    ...steps,
    `    ${row}`,
    "",
    "%% === WORKFLOW_CONFIG ===",
    ...settings,
    "%% === END_CONFIG ===",
    "",
  ].join("\n");
}
