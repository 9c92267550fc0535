/** A workspace in which every page has something to show, and the way to all of its pages. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { type Call, callsTo } from "../scratch/call-server.ts";
import type { ScratchFolder, Server } from "../scratch/program.ts";
import { missingProgram } from "../scratch/scratch-repository.ts";
import { pageAddresses } from "./browser.ts";
import { settled } from "./settled.ts";

/** Before the server starts: a session needs a repository to leave its trail in. */
export function makeRepository({ folder }: ScratchFolder): void {
  if (missingProgram("git") !== undefined) return;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch=dev");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.org");
  git("commit", "--quiet", "--allow-empty", "--message=base");
}

export async function furnish({ folder }: ScratchFolder, server: Server): Promise<void> {
  const call = callsTo(server);
  const { items: projects } = await call("project.list", {});
  const sample = projects.find(({ name }) => name.includes("(sample)"));
  await Promise.all([
    call("workflow.run", {
      workflow: "library:document-review",
      input: { document: "A lease ends by itself.", audience: "engineers" },
    }),
    call("workflow.run", { workflow: "library:pr-review", input: { prNumber: 7 } }),
    call("team.start", { team: "book", rounds: 1 }),
    call("workflow.copy", { workflowId: "library:research", name: "Research of our own" }),
    call("agent.add", { displayName: "Code reviewer", agentPrompt: "You review one file." }),
    call("task.add", { title: "Ask the harbour master", project: sample?.id }),
    call("view.save", { name: "what-blocks", blocker: true, order: "urgent" }),
    argue(call, sample?.id),
  ]);
  const packet = await call("packet.compile", {
    originType: "project",
    originId: sample?.id ?? "",
    intent: "generate_next_actions",
  });
  const answer =
    "## Next steps\n- Feed the gulls\n- Count the crabs\n\n## Decisions\n- Use tide tables\n";
  await call("harvest.read", { packetId: packet.packetId, answer });
  if (missingProgram("git") === undefined) {
    await call("session.start", {
      prompt: "Make the settings faster.",
      interpretation: "Reading is slow; read once.",
      strategy: "Measure first.",
    });
    writeFileSync(path.join(folder, "settings.txt"), "read once\n");
    await call("session.intent", { what: "Read the settings once" });
  }
}

/** Through two stages of a dialectic, with something said and something changed; its id. */
async function argue(call: Call, project: string | undefined): Promise<string> {
  const { runId } = await call("dialectic.start", {
    request: "A booking system for a small clinic: patients book by phone or page, two doctors.",
    model: ["rehearsal/rehearsal", "rehearsal/rehearsal"],
    project,
  });
  const session = runId;
  await stageIsDone(call, runId, "thesis");
  await call("dialectic.next", { session });
  await stageIsDone(call, runId, "antithesis");
  await call("dialectic.feedback", {
    session,
    document: "thesis/business_case/s1",
    section: "executive_summary",
    text: "Name the two doctors.",
  });
  await call("dialectic.edit", {
    session,
    document: "thesis/technical_approach/s2",
    section: "architecture",
    text: "Phone first.",
  });
  return runId;
}

async function stageIsDone(call: Call, runId: string, wanted: string): Promise<void> {
  for (;;) {
    const { state, stage, reason } = await call("dialectic.status", { runId });
    if (state === "waiting" && stage === wanted) return;
    assert.notEqual(state, "held", reason);
    await delay(50);
  }
}

/** Goes there as a link would, without loading everything anew, and waits until nothing is to come. */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(address)}), dispatchEvent(new PopStateEvent("popstate"))`,
  );
  await page.locator(".main h1, .main .empty").first().waitFor();
  await settled(page);
}

const LINKS = `(under) => [...document.querySelectorAll(".main a[href]")]
  .map((link) => link.getAttribute("href"))
  .filter((address) => address.split("?")[0].startsWith(under + "/"))`;
const TABS = `() => [...document.querySelectorAll(".main > .tabs [role=tab]")].map((tab) => tab.dataset.tab)`;

/**
 * Goes to every page of the navigation, to one of each kind of thing they lead to, and to all views of that. Nobody
 * has to list them; whoever takes an address from it stands there.
 */
export async function* everyPage(page: Page): AsyncGenerator<string> {
  for (const path of await pageAddresses(page)) {
    const known = new Set<string>();
    const open = [path];
    for (let address = open.shift(); address !== undefined; address = open.shift()) {
      await goTo(page, address);
      const [place = ""] = address.split("?");
      const links = await page.evaluate<readonly string[]>(`(${LINKS})(${JSON.stringify(path)})`);
      const views = await page.evaluate<readonly string[]>(`(${TABS})()`);
      const isView = views.some((view) => place.split("/").includes(view));
      const own = isView ? [] : views.slice(1).map((view) => `${place}/${view}`);
      known.add(shapeOf(place));
      for (const link of path === "/" ? own : [...own, ...links]) {
        if (known.has(shapeOf(link))) continue;
        known.add(shapeOf(link));
        open.push(link);
      }
      yield address;
    }
  }
}

/** Things of a kind look alike, whatever they are called: `/runs/ID`. */
function shapeOf(address: string): string {
  const [place = ""] = address.split("?");
  return place
    .split("/")
    .map((part) => (/[\d%_]/.test(part) ? "ID" : part))
    .join("/");
}
