/** Sessions on a real repository, from the prompt to the fresh clone. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { missingProgram } from "../../../tests/scratch/scratch-repository.ts";
import { parseSessionMessage } from "../../kernel/vcs/session-message.ts";
import type { VcsKind } from "../../kernel/vcs/vcs.ts";
import { describeChecks } from "./check/check.suite.ts";
import { describeNearBreaches } from "./check/check-near.suite.ts";
import { describeHostile } from "./session-hostile.suite.ts";
import { describeSettings } from "./session-settings.suite.ts";
import { describeTogether } from "./session-together.suite.ts";
import type { z } from "zod";
import type { checkedSessions } from "./session-shape.ts";
import {
  ADMIN,
  codeOf,
  type SessionWorld,
  seenState,
  sessionWorld,
} from "./session-world.suite.ts";

export function describeSessions(kind: VcsKind): void {
  const skip = missingProgram(kind) ?? false;
  describe(`sessions on ${kind}`, { skip }, () => {
    describeCourses(kind);
    describeRefusals(kind);
    describeTogether(kind);
    describeSettings(kind);
    describeHostile(kind);
    describeChecks(kind);
    describeNearBreaches(kind);
  });
}

function describeCourses(kind: VcsKind): void {
  describe("one after the other, pushed", () => {
    let world: SessionWorld;
    before(async () => {
      world = await sessionWorld(kind, { hasRemote: true });
    });
    after(() => world.remove());
    const messageOf = async (changeId = "") => {
      const commit = (await world.vcs.history.findAll([changeId])).get(changeId);
      return { commit, parsed: parseSessionMessage(commit?.message ?? "") };
    };

    test("no edits: one commit with the report, no files, no changes", async () => {
      await world.start();

      const { session } = await world.finish("Nothing had to change", { kind: "question" });

      const { commit, parsed } = await messageOf(session.changeId);
      assert.deepEqual(
        [session.state, session.mode, session.scope, session.push],
        ["finished", "none", "no-files", "pushed"],
      );
      assert.match(commit?.message ?? "", /\n## Logical Changes\n- none\n$/);
      assert.deepEqual([parsed?.prompt, parsed?.squashed], ["Make it faster.\n", undefined]);
      assert.match(
        session.reportPath ?? "",
        /^Reports\/General\/\d{12}_question_nothing-had-to-change\.md$/,
      );
      assert.deepEqual(await world.breaches(), []);
    });

    test("one intent: rewritten in place, its change id kept, and start succeeds right after", async () => {
      await world.start();
      const intent = await world.intent("Read once", "src/one");

      const { session } = await world.finish("Settings are read once");

      const { commit, parsed } = await messageOf(session.changeId);
      assert.equal(session.changeId, intent.changeId);
      assert.deepEqual([session.mode, session.scope], ["single", "modified-files"]);
      assert.deepEqual([parsed?.changes, parsed?.squashed], [["Read once"], undefined]);
      assert.match(commit?.message ?? "", /\n\nintent: Read once\n$/);
      assert.deepEqual(await world.breaches(), []);
    });

    test("thirty intents on two parallel branches, some made by hand: one commit, and a clone resolves all sixty ids", async () => {
      await world.start({ strategy: "Bit by bit.", constraints: ["No new dependency"] });
      const { parent: base } = await world.vcs.workingCopy.look();
      for (let i = 1; i <= 5; i++) await world.intent(`Step ${i}`, `left/${i}`);
      await byHand(world, "left", 6, 15);
      await world.repository.branchOff(base.commitId, "side");
      await byHand(world, "right", 16, 30);

      const { session, squashed, originals } = await world.finish("Thirty steps", {
        subject: "Speed",
        newSubject: true,
        answer: "All of it.",
      });

      const { commit, parsed } = await messageOf(session.changeId);
      assert.equal(session.mode, "multi");
      assert.deepEqual([squashed.length, originals.length], [30, 30]);
      assert.deepEqual(parsed?.squashed, squashed);
      assert.equal(parsed?.changes.length, 30);
      assert.equal(
        parsed?.context,
        "Reading is slow.\n\nStrategy: Bit by bit.\n\nConstraints:\n- No new dependency",
      );
      const files = await world.vcs.history.listFiles(commit?.commitId ?? "", ["left", "right"]);
      assert.equal(files.length, 30);
      const clone = await world.repository.clone("clone");
      if (kind === "git")
        await world.repository.git("-C", clone.root, "checkout", "--quiet", "dev");
      const ids = [...squashed, ...originals, session.changeId ?? ""];
      assert.equal((await clone.history.findAll(ids)).size, 61);
      assert.deepEqual(await world.breaches({ all: true }), []);
      // A clone knows the sessions by their commits alone.
      const { sessions } = await elsewhere(world, clone.root);
      assert.deepEqual(
        sessions.map(({ sessionId, invariants }) => [
          sessionId,
          invariants.filter(({ verdict }) => verdict === "breach"),
        ]),
        [
          [undefined, []],
          [undefined, []],
          [undefined, []],
        ],
      );
    });

    test("the trail can be read: one session, all of them, the history", async () => {
      const { session, intents, entries } = await world.show();
      const list = (await world.call("session.list")) as { items: { title: string }[] };
      const log = (await world.call("session.log", { project: "repository" })) as {
        commits: { kind: string; title: string }[];
      };
      const withReport = (await world.call("session.show", { report: true })) as { report: string };

      assert.equal(session.title, "Thirty steps");
      assert.deepEqual([...new Set(intents.map(({ source }) => source))].toSorted(), [
        "found",
        "recorded",
      ]);
      assert.deepEqual(
        [entries[0]?.kind, entries.at(-2)?.kind, entries.at(-1)?.kind],
        ["started", "pushed", "finished"],
      );
      assert.deepEqual(
        list.items.map(({ title }) => title),
        ["Thirty steps", "Settings are read once", "Nothing had to change"],
      );
      assert.deepEqual(log.commits.map(({ kind: each, title }) => `${each}: ${title}`).toSorted(), [
        "session: Nothing had to change",
        "session: Settings are read once",
        "session: Thirty steps",
      ]);
      assert.match(withReport.report, /## Agent Answer\n\nAll of it\./);
      assert.match(withReport.report, new RegExp(`^session: "${session.id}"$`, "m"));
      assert.match(withReport.report, new RegExp(`^change: "${session.changeId}"$`, "m"));
      assert.match(withReport.report, /^at: "\d{4}-\d\d-\d\dT[\d:.]+Z"$/m);
      const { commit } = await messageOf(session.changeId);
      assert.ok(!withReport.report.includes(commit?.commitId.slice(0, 12) ?? "?"));
    });

    test("a release goes to its own bookmark, and what is not to be pushed is not", async () => {
      await world.start();
      await world.intent("Release it", "released");
      const { session } = await world.finish("Released", { release: true });
      await world.start();
      const { session: kept } = await world.finish("Kept here", { push: false });

      assert.deepEqual([session.bookmark, session.push], ["main", "pushed"]);
      const heads = await world.vcs.remotes.heads("origin", ["main", "dev"]);
      const main = await world.vcs.history.findBookmark("main");
      assert.equal(heads.get("main"), main?.commitId);
      assert.equal(kept.push, "off");
      assert.notEqual(heads.get("dev"), (await world.vcs.history.findBookmark("dev"))?.commitId);
      const { sessions } = await world.check();
      const pushed = sessions[0]?.invariants.find(({ code }) => code === "pushed");
      assert.equal(pushed?.verdict, "not_applicable");
      assert.deepEqual(await world.breaches(), []);
    });

    test("a remote that cannot be reached leaves the commit, says so, and finishing again pushes", async () => {
      await world.start();
      const away = `${world.repository.remote}.away`;
      await world.repository.git("remote", "set-url", "origin", away);

      const { session } = await world.finish("Not pushed yet");
      const breached = await world.breaches();
      await world.repository.git("remote", "set-url", "origin", world.repository.remote);
      const { session: again } = await world.finish("Not pushed yet", { session: session.id });

      assert.deepEqual([session.state, session.push], ["synthesised", "failed"]);
      assert.match(session.pushReason ?? "", /cannot be reached/);
      assert.deepEqual(breached, ["session_finished", "pushed"]);
      assert.deepEqual(
        [again.state, again.push, again.changeId],
        ["finished", "pushed", session.changeId],
      );
      assert.deepEqual(await world.breaches(), []);
    });
  });
}

/** As a person would, without us. */
async function byHand(
  world: SessionWorld,
  folder: string,
  first: number,
  last: number,
): Promise<void> {
  for (let i = first; i <= last; i++) {
    world.repository.write(`${folder}/${i}`, `${i}\n`);
    if (world.repository.kind === "jj")
      await world.repository.cli("commit", `--message=intent: Step ${i}`);
    else {
      await world.repository.cli("add", "--all");
      await world.repository.cli("commit", "--quiet", `--message=intent: Step ${i}`);
    }
  }
}

/** The same check by a workspace that has never heard of these sessions. */
async function elsewhere(world: SessionWorld, root: string) {
  const { sessionWorldAt } = await import("./session-world.suite.ts");
  const other = await sessionWorldAt(world.repository, root);
  try {
    return await other.check({ all: true });
  } finally {
    await other.remove();
  }
}

function describeRefusals(kind: VcsKind): void {
  describe("what stands in the way", () => {
    let world: SessionWorld;
    before(async () => {
      world = await sessionWorld(kind);
    });
    after(() => world.remove());

    test("a dirty start shows the groups and writes nothing; they can be recorded first", async () => {
      const { repository } = world;
      repository.write("docs/x", "x");
      repository.write("src/kernel/y", "y");
      const before = await seenState(world);

      await assert.rejects(
        world.start(),
        (error: {
          code?: string;
          details?: { groups?: readonly { paths: readonly string[] }[] };
        }) => {
          assert.equal(error.code, "session_dirty");
          assert.deepEqual(
            error.details?.groups?.map(({ paths }) => paths),
            [["docs/x"], ["src/kernel/y"]],
          );
          return true;
        },
      );
      assert.deepEqual(await seenState(world), before);
      assert.equal(await codeOf(world.show()), "session_none");
      const { existing } = await world.start({ commitExisting: true });

      assert.deepEqual(
        existing.map(({ what }) => what),
        [
          "intent: Keep what was there before: files in docs (1 added)",
          "intent: Keep what was there before: files in src/kernel (1 added)",
        ],
      );
      const { session } = await world.finish("Only the report is new");
      assert.deepEqual([session.mode, session.scope], ["none", "no-files"]);
      assert.deepEqual(await world.breaches(), []);
    });

    test("where the workspace lies in no repository, who began a session goes on with it unnamed; nobody else does", async () => {
      const { repository, call } = world;
      const { session } = await world.start();
      repository.write("unnamed", "unnamed\n");
      const other = { ...ADMIN, userId: "other" };

      assert.equal(await codeOf(call("session.intent", { what: "Mine" }, other)), "vcs_none");
      await call("session.intent", { what: "Go on unnamed" });
      await call("session.finish", { summary: "Went on unnamed" });

      const checked = (await call("session.check")) as z.output<typeof checkedSessions>;
      assert.deepEqual([checked.repository, checked.breaches], [repository.root, 0]);
      assert.deepEqual(
        checked.sessions.map(({ sessionId }) => sessionId),
        [session.id],
      );
      assert.equal(
        await codeOf(call("session.start", { prompt: "x", interpretation: "y" })),
        "vcs_none",
      );
    });

    test("an intent is refused when nothing changed, when it says too much, or when a path did not change", async () => {
      const prompt =
        "Please make reading of the settings faster, they are read on every single call today.";
      await world.start({ prompt });
      assert.equal(await codeOf(world.intent("Nothing")), "vcs_nothing_changed");
      world.repository.write("b", "b");

      for (const what of [prompt, "## Agent Context", "two\nlines", "Prompt: x", "  "]) {
        assert.equal(await codeOf(world.intent(what)), "intent_unfit", what);
      }
      const some = { what: "Some", paths: ["a"] };
      const here = { ...some, project: "repository" };
      assert.equal(await codeOf(world.call("session.intent", here)), "path_unchanged");
      for (const path of ["../a", "/etc/passwd", ".git/config", ".throughline/x"]) {
        assert.equal(
          await codeOf(world.call("session.intent", { ...here, paths: [path] })),
          "path_outside",
        );
      }
      assert.equal(await codeOf(world.finish("Too early")), "session_uncommitted");
      await world.intent("Add b");
      await world.finish("There is b");
    });

    test("a conflict between parallel intents names the file, changes nothing, and can be resolved", async () => {
      await world.start();
      const { parent: base } = await world.vcs.workingCopy.look();
      await world.intent("One side", "same", "one\n");
      await world.repository.branchOff(base.commitId, "other-side");
      await world.intent("Other side", "same", "other\n");
      const before = await seenState(world);

      await assert.rejects(
        world.finish("Both"),
        (error: { code?: string; details?: { paths?: readonly string[] } }) => {
          assert.deepEqual([error.code, error.details?.paths], ["vcs_conflict", ["same"]]);
          return true;
        },
      );

      assert.deepEqual(await seenState(world), before);
      const { session, entries } = await world.show();
      assert.equal(session.state, "open");
      assert.equal(entries.at(-1)?.kind, "finish_failed");
      await resolveByHand(world);
      const { session: ended } = await world.finish("Both, brought together");
      assert.equal(ended.state, "finished");
      // Nothing of the first try's words stays where it only stood in for others.
      const { report } = (await world.call("session.show", {
        report: true,
        session: ended.id,
      })) as {
        report: string;
      };
      assert.match(ended.reportPath ?? "", /_answer_both-brought-together\.md$/);
      assert.match(report, /\n## Agent Answer\n\nBoth, brought together\n/);
      assert.equal(world.repository.read("same"), "both\n");
      assert.deepEqual(await world.breaches(), []);
    });

    test("keys and passwords stop it with their place, unless somebody says why they are none", async () => {
      const key = ["AKIA", "ABCDEFGH12345678"].join("");
      assert.equal(await codeOf(world.start({ prompt: `Use ${key}` })), "secret_found");
      await world.start();
      world.repository.write("keys.txt", `id ${key}\n`);

      await assert.rejects(
        world.intent("Add keys"),
        (error: { code?: string; message?: string }) => {
          assert.equal(error.code, "secret_found");
          assert.match(error.message ?? "", /keys\.txt, line 1 \(AWS_KEY_ID\)/);
          assert.ok(!error.message?.includes(key));
          return true;
        },
      );
      // By hand, and taken out again by hand: it would still be pushed with what is kept.
      await commitByHand(world, "intent: Add keys");
      world.repository.write("keys.txt", "none\n");
      await commitByHand(world, "intent: Take keys out");
      assert.equal(await codeOf(world.finish("No keys")), "secret_found");
      assert.equal((await world.show()).session.state, "open");
      const { session } = await world.finish("No keys", {
        allowSecret: "an example from the manual",
      });

      const { entries } = await world.show(session.id);
      const allowed = entries.find(({ kind: each }) => each === "secret_allowed");
      assert.match(JSON.stringify(allowed?.data), /an example from the manual/);
      assert.ok(!JSON.stringify(entries).includes(key));
      assert.deepEqual(await world.breaches(), []);
    });

    test("what it relies on must still be there as it was", async () => {
      const { parent } = await world.vcs.workingCopy.look();
      assert.equal(
        await codeOf(world.start({ reliesOn: "kkkkzzzzkkkk" })),
        "session_parent_unknown",
      );
      await world.start({ reliesOn: parent.changeId });
      assert.deepEqual(await world.breaches(), ["session_finished"]);
      await rewriteParent(world);
      world.repository.write("later", "later\n");

      assert.equal(await codeOf(world.intent("Later")), "session_stale");
      assert.ok((await world.breaches()).includes("parent_fresh"));
      const { parent: now } = await world.vcs.workingCopy.look();
      await world.call("session.rely", { change: now.changeId, project: "repository" });
      await world.call("session.abandon", { project: "repository", because: "enough" });
      assert.equal(await codeOf(world.finish("Too late")), "session_none");
    });
  });
}

async function commitByHand({ repository }: SessionWorld, message: string): Promise<void> {
  if (repository.kind === "jj")
    return void (await repository.cli("commit", `--message=${message}`));
  await repository.cli("add", "--all");
  await repository.cli("commit", "--quiet", `--message=${message}`);
}

/** The second side moves on top of the first, with both in one file. */
async function resolveByHand(world: SessionWorld): Promise<void> {
  const { repository, vcs } = world;
  const found = await vcs.history.list({ title: "intent:" });
  const one = found.find(({ message }) => message.startsWith("intent: One side"));
  const other = found.find(({ message }) => message.startsWith("intent: Other side"));
  if (one === undefined || other === undefined) throw new Error("no sides");
  if (repository.kind === "jj") {
    await repository.cli("rebase", "-r", other.changeId, "-d", one.changeId);
    await repository.cli("edit", other.changeId);
    repository.write("same", "both\n");
    await repository.cli("new");
    return;
  }
  await repository.cli("rebase", "--quiet", one.commitId).catch(() => "stopped");
  repository.write("same", "both\n");
  await repository.cli("add", "same");
  await repository.cli("-c", "core.editor=true", "rebase", "--continue");
}

async function rewriteParent({ repository }: SessionWorld): Promise<void> {
  if (repository.kind === "jj") await repository.cli("describe", "@-", "--message=rewritten");
  else await repository.cli("commit", "--quiet", "--amend", "--message=rewritten");
}
