/** Bringing commits together: all of it or nothing. */

import assert from "node:assert/strict";
import { cpSync, existsSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import {
  handOf,
  openRepository,
  type ScratchRepository,
  scratchRepository,
} from "../../../tests/scratch/scratch-repository.ts";
import type { Commit, ComposedFor, Synthesised, SynthesisPlan, Vcs, VcsKind } from "./vcs.ts";

const hand = handOf("session-test");
const ownFolders = ["Reports", "Strategies"];

interface Work {
  readonly repository: ScratchRepository;
  readonly vcs: Vcs;
  readonly base: Commit;
  intent(file: string, text?: string): Promise<Commit>;
}

async function beginWork(kind: VcsKind): Promise<Work> {
  const repository = await scratchRepository(kind, { hasRemote: false });
  const vcs = await repository.open();
  const { parent: base } = await vcs.workingCopy.look();
  return {
    repository,
    vcs,
    base,
    intent: (file, text = `${file}\n`) => {
      repository.write(file, text);
      return vcs.workingCopy.commit({ message: `intent: ${file}\n`, hand });
    },
  };
}

async function planOf(
  { vcs, base }: Pick<Work, "vcs" | "base">,
  originals: readonly Commit[],
  change: Partial<SynthesisPlan> = {},
): Promise<SynthesisPlan> {
  return {
    operation: await vcs.workingCopy.operation(),
    hand,
    ownFolders,
    onto: base.commitId,
    originals,
    bookmark: "dev",
    keep: "session/1",
    compose: async (known) => ({
      message: messageFor(known),
      files: [{ path: "Reports/S/report.md", text: "told\n" }],
    }),
    ...change,
  };
}

function messageFor({ changeId, duplicates }: ComposedFor): string {
  return ["session: done", changeId, ...duplicates, ""].join("\n");
}

async function filesAt(vcs: Vcs, commitId: string): Promise<readonly string[]> {
  return (await vcs.history.listFiles(commitId, [])).map(({ path: file }) => file).toSorted();
}

/** All that a person could see: every commit by its id, where names point, what the working copy holds. */
async function seenState({ repository, vcs }: Pick<Work, "repository" | "vcs">) {
  const names =
    repository.kind === "jj"
      ? await repository.cli("bookmark", "list", "--all")
      : await repository.cli("for-each-ref");
  const { parent, changes } = await vcs.workingCopy.look();
  const commits = (await vcs.history.list({})).filter(({ message }) => message !== "");
  return { names, parent: parent.commitId, changes, commits: commits.map((each) => each.commitId) };
}

async function assertWhole(work: Work, made: Synthesised, files: readonly string[]): Promise<void> {
  const { vcs, base } = work;
  assert.deepEqual(await filesAt(vcs, made.commit.commitId), [...files].toSorted());
  assert.deepEqual(made.commit.parents, [base.commitId]);
  assert.equal(
    made.commit.message,
    messageFor({ changeId: made.commit.changeId, duplicates: made.duplicates }),
  );
  assert.equal((await vcs.history.findBookmark("dev"))?.commitId, made.commit.commitId);
  await vcs.workingCopy.beginFresh(made.commit.commitId, hand);
  const state = await vcs.workingCopy.look();
  assert.deepEqual([state.isFresh, state.parent.commitId], [true, made.commit.commitId]);
  for (const file of files) assert.ok(existsSync(path.join(work.repository.root, file)), file);
}

export function describeSynthesis(kind: VcsKind): void {
  describe("synthesis", () => {
    test("of nothing is one commit that holds what was composed", async () => {
      const work = await beginWork(kind);

      const made = await work.vcs.synthesis.perform(await planOf(work, []));

      await assertWhole(work, made, ["a", "Reports/S/report.md"]);
      assert.deepEqual([made.duplicates, made.keptCommitId], [[], undefined]);
      work.repository.remove();
    });

    test("of one commit rewrites it and keeps its change id", async () => {
      const work = await beginWork(kind);
      const one = await work.intent("one");

      const made = await work.vcs.synthesis.perform(await planOf(work, [one]));

      await assertWhole(work, made, ["a", "one", "Reports/S/report.md"]);
      assert.equal(made.commit.changeId, one.changeId);
      assert.deepEqual([made.duplicates, made.keptCommitId], [[], undefined]);
      const again = await work.intent("two");
      assert.deepEqual(again.parents, [made.commit.commitId]);
      work.repository.remove();
    });

    test("of parallel lines is one commit, and every id of originals and duplicates stays alive", async () => {
      const work = await beginWork(kind);
      const { vcs, repository, base } = work;
      const originals = [await work.intent("one"), await work.intent("two")];
      await repository.branchOff(base.commitId, "side");
      originals.push(await work.intent("three"), await work.intent("-four"));
      repository.write("Reports/S/note.md", "pending\n");

      const made = await vcs.synthesis.perform(await planOf(work, originals));

      const files = ["a", "one", "two", "three", "-four", "Reports/S/note.md"];
      await assertWhole(work, made, [...files, "Reports/S/report.md"]);
      assert.equal(made.duplicates.length, 4);
      const ids = [...originals.map(({ changeId }) => changeId), ...made.duplicates];
      assert.equal(new Set(ids).size, 8);
      const found = await vcs.history.findAll(ids);
      assert.deepEqual([...found.keys()].toSorted(), [...ids].toSorted());
      const kept = await vcs.history.findBookmark("session/1");
      assert.equal(kept?.commitId, made.keptCommitId);
      for (const { commitId } of found.values()) {
        assert.equal(await vcs.history.isAncestor(commitId, kept?.commitId ?? ""), true);
      }
      // What is kept is no line of work any more.
      assert.deepEqual(
        (await vcs.history.list({ after: base.commitId, title: "intent:" })).map(
          ({ message }) => message,
        ),
        [],
      );
      // What came of it is one.
      const titled = await vcs.history.list({ title: "session:" });
      assert.deepEqual(
        titled.map(({ changeId }) => changeId),
        [made.commit.changeId],
      );
      repository.remove();
    });

    test("leaves what others put between and on top, standing on the new commit", async () => {
      const work = await beginWork(kind);
      const { vcs } = work;
      const mine = [await work.intent("mine-1")];
      const theirs = await work.intent("theirs");
      mine.push(await work.intent("mine-2"));
      const top = await work.intent("top");

      const made = await vcs.synthesis.perform(await planOf(work, mine));
      await vcs.workingCopy.beginFresh(made.commit.commitId, hand);

      assert.deepEqual(await filesAt(vcs, made.commit.commitId), [
        "Reports/S/report.md",
        "a",
        "mine-1",
        "mine-2",
      ]);
      const found = await vcs.history.findAll([theirs.changeId, top.changeId]);
      assert.deepEqual(found.get(theirs.changeId)?.parents, [made.commit.commitId]);
      const topmost = found.get(top.changeId);
      assert.deepEqual(topmost?.parents, [found.get(theirs.changeId)?.commitId]);
      const state = await vcs.workingCopy.look();
      assert.deepEqual([state.isFresh, state.parent.commitId], [true, topmost?.commitId]);
      assert.ok(existsSync(path.join(work.repository.root, "theirs")));
      work.repository.remove();
    });

    test("leaves what others put between, also where the last commit was one of its own", async () => {
      const work = await beginWork(kind);
      const { vcs } = work;
      const mine = [await work.intent("mine-1")];
      const theirs = await work.intent("theirs");
      mine.push(await work.intent("mine-2"));

      const made = await vcs.synthesis.perform(await planOf(work, mine));
      await vcs.workingCopy.beginFresh(made.commit.commitId, hand);

      const found = (await vcs.history.findAll([theirs.changeId])).get(theirs.changeId);
      assert.deepEqual(found?.parents, [made.commit.commitId]);
      const lines = await vcs.history.list({ after: work.base.commitId, title: "intent:" });
      assert.deepEqual(
        lines.map(({ changeId }) => changeId),
        [theirs.changeId],
      );
      const state = await vcs.workingCopy.look();
      assert.deepEqual([state.isFresh, state.parent.commitId], [true, found?.commitId]);
      assert.ok(existsSync(path.join(work.repository.root, "theirs")));
      work.repository.remove();
    });

    test("stands on what has come meanwhile", async () => {
      const work = await beginWork(kind);
      const { vcs, repository, base } = work;
      const ahead = await work.intent("ahead");
      await repository.branchOff(base.commitId, "mine");
      const originals = [await work.intent("one"), await work.intent("two")];

      const plan = await planOf(work, originals, { onto: ahead.commitId });
      const made = await vcs.synthesis.perform(plan);
      await vcs.workingCopy.beginFresh(made.commit.commitId, hand);

      assert.deepEqual(made.commit.parents, [ahead.commitId]);
      assert.deepEqual(await filesAt(vcs, made.commit.commitId), [
        "Reports/S/report.md",
        "a",
        "ahead",
        "one",
        "two",
      ]);
      assert.equal((await vcs.workingCopy.look()).isFresh, true);
      assert.equal(repository.read("ahead"), "ahead\n");
      repository.remove();
    });

    test("stores a long and odd message and a bookmark that begins with a dash exactly", async () => {
      const work = await beginWork(kind);
      const { vcs } = work;
      const originals = [await work.intent("one"), await work.intent("two")];
      const prompt = `-m "x" 'y'\r\n\u0007\u001b[31m JJ: тест\n# c\n\n\n${"ł\n".repeat(350_000)}`;
      const message = `session: -x\n${prompt}\nChange-Id: I0000000000000000000000000000000000000000\n`;

      const made = await vcs.synthesis.perform(
        await planOf(work, originals, {
          bookmark: "-dev",
          keep: "session/-1",
          compose: async () => ({ message, files: [{ path: "Reports/-S/-r.md", text: "r" }] }),
        }),
      );

      const again = await vcs.history.findAll([made.commit.changeId]);
      assert.ok(again.get(made.commit.changeId)?.message === message);
      assert.equal((await vcs.history.findBookmark("-dev"))?.commitId, made.commit.commitId);
      assert.equal((await vcs.history.findBookmark("session/-1"))?.commitId, made.keptCommitId);
      work.repository.remove();
    });

    describe("that fails", () => {
      let work: Work;
      let originals: readonly Commit[];
      before(async () => {
        work = await beginWork(kind);
        const one = await work.intent("same", "one\n");
        await work.repository.branchOff(work.base.commitId, "side");
        originals = [one, await work.intent("same", "other\n"), await work.intent("fine")];
      });
      after(() => work.repository.remove());

      test("for a conflict names the files and changes nothing", async () => {
        const before = await seenState(work);

        await assert.rejects(
          work.vcs.synthesis.perform(await planOf(work, originals)),
          (error: { code?: string; details?: { paths?: readonly string[] } }) => {
            assert.equal(error.code, "vcs_conflict");
            assert.deepEqual(error.details?.paths, ["same"]);
            return true;
          },
        );

        assert.deepEqual(await seenState(work), before);
      });

      test("of the work with what it would stand on is settled by a merge that is one of its own", async () => {
        const { repository, vcs, base } = await beginWork(kind);
        const same = (text: string, message: string) => {
          repository.write("same", text);
          return vcs.workingCopy.commit({ message, hand });
        };
        const theirs = await same("theirs\n", "Theirs\n");
        await repository.branchOff(base.commitId, "side");
        const mine = await same("mine\n", "intent: mine\n");
        const onto = { onto: theirs.commitId };
        await assert.rejects(vcs.synthesis.perform(await planOf({ vcs, base }, [mine], onto)), {
          code: "vcs_conflict",
        });

        if (kind === "jj") await repository.cli("new", mine.commitId, theirs.commitId);
        else
          await repository.cli("merge", "--no-commit", theirs.commitId).catch(() => "as expected");
        repository.write("same", "both\n");
        if (kind === "jj") await repository.cli("commit", "--message=intent: both");
        else await repository.cli("commit", "--quiet", "--all", "--message=intent: both");
        const { parent: both } = await vcs.workingCopy.look();
        const plan = await planOf({ vcs, base }, [mine, both], onto);
        const { commit, duplicates } = await vcs.synthesis.perform(plan);

        assert.deepEqual([commit.parents, duplicates.length], [[theirs.commitId], 2]);
        assert.deepEqual((await vcs.history.listTouched([commit.commitId])).toSorted(), [
          "Reports/S/report.md",
          "same",
        ]);
        assert.equal(repository.read("same"), "both\n");
        repository.remove();
      });

      test("in the middle changes nothing either", async () => {
        const before = await seenState(work);
        const plan = await planOf(work, originals.slice(1), {
          compose: () => Promise.reject(new Error("no words")),
        });

        await assert.rejects(work.vcs.synthesis.perform(plan), { message: "no words" });

        assert.deepEqual(await seenState(work), before);
      });
    });

    test("whose process dies at any step is taken back, or is done, and can be done again", async () => {
      const template = await beginWork(kind);
      const originals = [await template.intent("one"), await template.intent("two")];
      const plan = await planOf(template, originals);
      const untouched = await seenState(template);

      let deaths = 0;
      // All of them with SESSION_KILLS=all; `finish-kill.test.ts` kills real processes on the same way.
      const stride = process.env["SESSION_KILLS"] === "all" ? 1 : 5;
      for (let step = 1; ; step += stride) {
        const root = path.join(template.repository.folder, `try-${step}`);
        cpSync(template.repository.root, root, { recursive: true });
        const { tools } = template.repository;
        const mortal = await openRepository(root, dyingAt(step, tools));
        const outcome = await mortal.synthesis.perform(plan).then(
          () => "done",
          () => "died",
        );
        if (outcome === "died") deaths += 1;
        const vcs = await openRepository(root, tools);
        const repository = { ...template.repository, cli: runIn(root, template.repository) };
        const dev = await vcs.history.findBookmark("dev");
        if (dev === undefined) {
          await vcs.synthesis.undo(plan);
          assert.deepEqual(await seenState({ repository, vcs }), untouched, `step ${step}`);
          // Being as it was before, it can be done again; to see that now and then is enough.
          if (step % 10 !== 1) continue;
          const made = await vcs.synthesis.perform(plan);
          await vcs.workingCopy.beginFresh(made.commit.commitId, hand);
        } else {
          await vcs.synthesis.settle(plan, dev.commitId);
          await vcs.workingCopy.beginFresh(dev.commitId, hand);
        }
        const { isFresh, parent } = await vcs.workingCopy.look();
        assert.equal(isFresh, true, `step ${step}`);
        assert.deepEqual(await filesAt(vcs, parent.commitId), [
          "Reports/S/report.md",
          "a",
          "one",
          "two",
        ]);
        if (outcome === "done") break;
      }

      assert.ok(deaths * stride > 5, `${deaths} steps`);
      template.repository.remove();
    });
  });
}

/** From the given program on nothing is started any more, as after a kill; looking at the beginning does not count. */
function dyingAt(step: number, tools: ScratchRepository["tools"]): ScratchRepository["tools"] {
  let started = 0;
  const isOpening = (args: readonly string[]) =>
    args.includes("config") || args.includes("root") || args.includes("--show-toplevel");
  return {
    ...tools,
    run: async (call) => {
      if (!isOpening(call.args) && ++started >= step) throw new Error("dead");
      return tools.run(call);
    },
  };
}

function runIn(root: string, { kind, tools }: ScratchRepository): ScratchRepository["cli"] {
  return async (...args) => {
    const environment = Object.fromEntries(
      Object.entries(tools.environment).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const { output } = await tools.run({ program: kind, args, folder: root, environment });
    return Buffer.from(output).toString();
  };
}
