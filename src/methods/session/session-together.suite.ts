/** Several sessions and several hands in one repository. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { putProjectMember } from "../../kernel/store/project-members.ts";
import type { VcsKind } from "../../kernel/vcs/vcs.ts";
import { codeOf, PROJECT, type SessionWorld, sessionWorld } from "./session-world.suite.ts";

export function describeTogether(kind: VcsKind): void {
  describe("several at once", () => {
    let world: SessionWorld;
    before(async () => {
      world = await sessionWorld(kind);
    });
    after(() => world.remove());
    const intent = (session: string, what: string, file: string) => {
      world.repository.write(file, `${what}\n`);
      return world.call("session.intent", { session, what }) as Promise<{ changeId: string }>;
    };

    test("two open sessions keep their intents apart, and each finishes with its own", async () => {
      const one = (await world.start({ prompt: "First." })).session.id;
      const two = (await world.start({ prompt: "Second." })).session.id;
      assert.equal(await codeOf(world.intent("Whose?", "x")), "session_several");
      await world.call("session.intent", { session: one, what: "Add x" });
      await intent(two, "Add y", "y");
      await intent(one, "Add z", "z");

      const { session: first } = await world.finish("First is done", { session: one });
      const { session: second } = await world.finish("Second is done", { session: two });

      const filesOf = async (changeId = "") => {
        const commit = (await world.vcs.history.findAll([changeId])).get(changeId);
        const touched = await world.vcs.history.listTouched([commit?.commitId ?? ""]);
        return touched.filter((path) => !path.includes("/")).toSorted();
      };
      assert.deepEqual([first.mode, await filesOf(first.changeId)], ["multi", ["x", "z"]]);
      assert.deepEqual([second.mode, await filesOf(second.changeId)], ["single", ["y"]]);
      assert.deepEqual(await world.breaches({ all: true }), []);
    });

    test("an intent made by hand that could be either's is refused until somebody says whose", async () => {
      const one = (await world.start({ prompt: "First." })).session.id;
      const two = (await world.start({ prompt: "Second." })).session.id;
      world.repository.write("hand", "hand\n");
      if (kind === "jj") await world.repository.cli("commit", "--message=intent: By hand");
      else {
        await world.repository.cli("add", "--all");
        await world.repository.cli("commit", "--quiet", "--message=intent: By hand");
      }
      const { parent } = await world.vcs.workingCopy.look();

      assert.equal(
        await codeOf(world.finish("Mine?", { session: one })),
        "session_intents_unclaimed",
      );
      await world.call("session.intent", { session: two, change: parent.changeId });
      const { session: first } = await world.finish("Not mine", { session: one });
      const { session: second } = await world.finish("Mine", { session: two });

      assert.deepEqual([first.mode, second.mode], ["none", "single"]);
      assert.deepEqual(await world.breaches({ all: true }), []);
    });

    test("two who finish at once make one commit, and both hear of it", async () => {
      const { session } = await world.start();
      await world.intent("Once", "once");

      const both = await Promise.all([
        world.finish("Done once", { session: session.id }),
        world.finish("Done twice", { session: session.id }),
      ]);

      const [one, other] = both.map((each) => [each.session.changeId, each.session.title]);
      assert.deepEqual(one, other);
      const commits = await world.vcs.history.list({ title: "session: Done" });
      assert.equal(commits.length, 1);
    });

    test("a report before the end is taken along, its subject known by any name, both sides in step", async () => {
      await world.call("subject.set", {
        name: "Speed",
        aliases: ["pace", "How fast"],
        project: PROJECT,
      });
      await world.start();
      const report = (title: string, subject: string) =>
        world.call("session.report", {
          project: PROJECT,
          title,
          subject,
          answer: "?",
          kind: "question",
        });

      const written = (await report("Which format?", "how-FAST")) as {
        path: string;
        subject: string;
      };
      assert.equal(await codeOf(report("Which?", "Spead")), "subject_unknown");
      const clash = { name: "Other", aliases: ["PACE"], project: PROJECT };
      assert.equal(await codeOf(world.call("subject.set", clash)), "subject_clashes");
      const { session } = await world.finish("Answered", { subject: "pace" });

      assert.equal(written.subject, "Speed");
      assert.match(written.path, /^Reports\/Speed\/\d{12}_question_which-format\.md$/);
      const commit = (await world.vcs.history.findAll([session.changeId ?? ""])).get(
        session.changeId ?? "",
      );
      const files = (
        await world.vcs.history.listFiles(commit?.commitId ?? "", [
          "Reports/Speed",
          "Strategies/Speed",
        ])
      ).map(({ path }) => path);
      assert.deepEqual(
        [files.includes(written.path), files.includes(session.reportPath ?? "?"), files.length],
        [true, true, 5],
      );
      const strategy = world.repository.read("Strategies/Speed/STRATEGY.md");
      assert.match(strategy, /^---\naliases: \["pace","How fast"\]\n---\n/);
      const readme = world.repository.read("Reports/Speed/README.md");
      assert.equal(readme.match(/^- \[/gm)?.length, 2);
      assert.equal(session.scope, "no-files");
      assert.deepEqual(await world.breaches(), []);
    });

    test("who does not see a project sees nothing of its sessions, and who only looks at it changes nothing", async () => {
      const stranger = callerOf("operator", false, undefined);
      const viewer = callerOf("viewer", false, undefined);
      const { session } = await world.start({ prompt: "Between us." });
      await world.kernel.store.write(() =>
        putProjectMember(
          { projectId: PROJECT, userId: "viewer", role: "viewer" },
          { actor: "admin", now: world.kernel.clock.now() },
        ),
      );
      const as = (name: string, input: object, who = stranger) =>
        codeOf(world.call(name, input, who));

      assert.equal(await as("session.show", { session: session.id }), "session_not_found");
      assert.equal(await as("session.finish", { session: session.id }), "session_not_found");
      assert.equal(await as("session.check", { session: session.id }), "session_check_impossible");
      assert.equal(await as("session.log", { project: PROJECT }), "project_not_found");
      assert.deepEqual(
        ((await world.call("session.list", {}, stranger)) as { items: [] }).items,
        [],
      );
      assert.equal(await as("session.show", { session: session.id }, viewer), "done");
      assert.equal(
        await as("session.start", { prompt: "x", interpretation: "y" }, viewer),
        "permission_missing",
      );
      assert.equal((await world.show(session.id)).session.state, "open");
      await world.call("session.abandon", { session: session.id });
    });

    test("a strategy without reports is found and brought into step", async () => {
      await world.start();
      world.repository.write("Strategies/Alone/STRATEGY.md", "# Alone\n");
      const dry = (await world.call("subject.align", { project: PROJECT })) as {
        lone: string[];
        files: string[];
      };
      const list = (await world.call("subject.list", { project: PROJECT })) as {
        subjects: { name: string; lacks?: string }[];
      };

      await world.call("subject.align", { project: PROJECT, write: true });
      const { session } = await world.finish("In step");

      assert.deepEqual(dry.lone, ["Alone"]);
      assert.equal(list.subjects.find(({ name }) => name === "Alone")?.lacks, "reports");
      assert.equal(world.repository.read("Strategies/Alone/STRATEGY.md"), "# Alone\n");
      assert.match(world.repository.read("Reports/Alone/README.md"), /None yet/);
      assert.equal(session.scope, "no-files");
      assert.deepEqual(await world.breaches(), []);
    });
  });
}
