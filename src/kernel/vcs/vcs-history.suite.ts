/** Looking, recording and finding. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import {
  handOf,
  openRepository,
  type ScratchRepository,
  scratchRepository,
} from "../../../tests/scratch/scratch-repository.ts";
import type { Vcs, VcsKind } from "./vcs.ts";

/** What names and messages may hold besides plain words. */
export const ODD_TEXTS = [
  "-rf",
  "--message=x",
  'it\'s "quoted" `here` $HOME',
  "тест テスト 🧵 é",
  "bell \u0007 escape \u001b[31m tab\t",
  "back\\slash * ? [a] root:x | & ~ @",
];

export function describeHistory(kind: VcsKind): void {
  describe("looking and recording", () => {
    let repository: ScratchRepository;
    let vcs: Vcs;
    before(async () => {
      repository = await scratchRepository(kind);
      vcs = await repository.open();
    });
    after(() => repository.remove());
    const hand = handOf("looking");

    test("shows what was added, changed and deleted, and leaves out what is ignored", async () => {
      assert.equal((await vcs.workingCopy.look()).isFresh, true);

      repository.write(".gitignore", "ignored\n");
      repository.write("ignored", "x");
      repository.write("deep/new", "x");
      repository.write("a", "changed\n");
      const seen = await vcs.workingCopy.look();

      assert.deepEqual(
        [...seen.changes].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
        [
          { path: ".gitignore", kind: "added" },
          { path: "a", kind: "modified" },
          { path: "deep/new", kind: "added" },
        ],
      );
      assert.equal(seen.isFresh, false);
      assert.equal(seen.parent.message, "base\n");
    });

    test("records some paths and leaves the rest, then the rest, then nothing", async () => {
      const first = await vcs.workingCopy.commit({
        message: "intent: deep\n",
        paths: ["deep"],
        hand,
      });
      const left = await vcs.workingCopy.look();
      const second = await vcs.workingCopy.commit({ message: "intent: rest\n", hand });

      assert.deepEqual(await vcs.history.listChanges(first.parents[0] ?? "", first.commitId), [
        { path: "deep/new", kind: "added" },
      ]);
      assert.deepEqual(left.changes.map(({ path }) => path).toSorted(), [".gitignore", "a"]);
      assert.deepEqual(second.parents, [first.commitId]);
      assert.deepEqual([second.author, second.at], [hand.author, hand.at]);
      await assert.rejects(vcs.workingCopy.commit({ message: "intent: nothing\n", hand }), {
        code: "vcs_nothing_changed",
      });
      repository.write("b", "b");
      await assert.rejects(
        vcs.workingCopy.commit({ message: "intent: nothing\n", paths: ["deep"], hand }),
        { code: "vcs_nothing_changed" },
      );
    });

    test("keeps messages and paths as they are, whatever they hold", async () => {
      for (const [i, odd] of [...ODD_TEXTS, "two\nlines in a name"].entries()) {
        const path = `odd/${odd}`;
        const message = `intent: ${odd}\n\n\n  more\r\nJJ: ${i}\n# no comment\n\n`;
        repository.write(path, `${i}`);

        const made = await vcs.workingCopy.commit({ message, paths: [path], hand });

        assert.equal(made.message, message);
        const [seen] = [...(await vcs.history.findAll([made.changeId])).values()];
        assert.equal(seen?.message, message);
        assert.deepEqual(await vcs.history.listChanges(made.parents[0] ?? "", made.commitId), [
          { path, kind: "added" },
        ]);
        const held = await vcs.history.read(made.commitId, [path, "not there"]);
        assert.deepEqual([...held.keys()], [path]);
        assert.equal(Buffer.from(held.get(path) ?? []).toString(), String(i));
      }
    });

    test("finds commits by change, by commit and by the beginning of either, and nothing else", async () => {
      repository.write("found", "1");
      const made = await vcs.workingCopy.commit({ message: "intent: found\n", hand });
      const ids = [
        made.changeId,
        made.commitId,
        made.changeId.slice(0, 20),
        made.commitId.slice(0, 20),
      ];

      const found = await vcs.history.findAll([
        ...ids,
        "zzzzyyyy",
        "I0123456789",
        "deadbeef",
        "-x",
        "HEAD",
        "@",
        "all()",
      ]);

      assert.deepEqual([...found.keys()].toSorted(), [...ids].toSorted());
      for (const id of ids) assert.equal(found.get(id)?.commitId, made.commitId);
    });

    test("lists what came after a commit, also on parallel lines, oldest first", async () => {
      const { parent: start } = await vcs.workingCopy.look();
      repository.write("line", "1");
      await vcs.workingCopy.commit({ message: "intent: one\n", hand });
      repository.write("line", "2");
      const two = await vcs.workingCopy.commit({ message: "other: two\n", hand });
      await repository.branchOff(start.commitId, "side");
      repository.write("side", "3");
      const three = await vcs.workingCopy.commit({ message: "intent: three\n", hand });

      const titles = async (range: Parameters<typeof vcs.history.list>[0]) =>
        (await vcs.history.list(range)).map(({ message }) => message.trim()).filter(Boolean);

      assert.deepEqual((await titles({ after: start.commitId })).toSorted(), [
        "intent: one",
        "intent: three",
        "other: two",
      ]);
      assert.deepEqual((await titles({ after: start.commitId, title: "intent:" })).toSorted(), [
        "intent: one",
        "intent: three",
      ]);
      assert.deepEqual(await titles({ after: start.commitId, upTo: two.commitId }), [
        "intent: one",
        "other: two",
      ]);
      assert.deepEqual((await vcs.history.listTouched([two.commitId, three.commitId])).toSorted(), [
        "line",
        "side",
      ]);
      const { isAncestor } = vcs.history;
      assert.equal(await isAncestor(start.commitId, two.commitId), true);
      assert.equal(await isAncestor(two.commitId, two.commitId), true);
      assert.equal(await isAncestor(two.commitId, three.commitId), false);
      assert.equal((await vcs.history.listFiles(two.commitId, ["deep"]))[0]?.path, "deep/new");
    });

    test("knows who commits here, and lets one writer in at a time", async () => {
      const seen: string[] = [];
      const turn = (name: string) => async () => {
        seen.push(name);
        await new Promise((resolve) => setTimeout(resolve, 30));
        seen.push(name);
      };

      const another = await repository.open();
      await Promise.all([vcs.lock(turn("a")), another.lock(turn("b"))]);

      assert.equal(seen[0], seen[1]);
      assert.deepEqual(await vcs.findIdentity(), { name: "Ann", email: "ann@example.org" });
    });

    test("finds a person's settings also where the environment says they are", async () => {
      const elsewhere = path.join(repository.folder, "settings-elsewhere");
      writeFileSync(elsewhere, '[user]\nname = "Eve"\nemail = "eve@example.org"\n');
      const environment = {
        ...repository.tools.environment,
        GIT_CONFIG_GLOBAL: elsewhere,
        JJ_CONFIG: elsewhere,
      };

      const moved = await openRepository(repository.root, { ...repository.tools, environment });

      assert.deepEqual(await moved.findIdentity(), { name: "Eve", email: "eve@example.org" });
    });
  });
}
