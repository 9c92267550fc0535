/** Texts, names and repositories that mean harm, or only look like it: stored exactly, run never. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { putSetting } from "../../kernel/store/settings.ts";
import { parseSessionMessage } from "../../kernel/vcs/session-message.ts";
import type { VcsKind } from "../../kernel/vcs/vcs.ts";
import { codeOf, type SessionWorld, sessionWorld } from "./session-world.suite.ts";

const HOSTILE =
  "-rf --message=x \"quoted\" 'single' `tick` $HOME $(id) тест テスト 🧵\r\n\u0007\u001b[31m\tJJ: x\n# y\n\n## Agent Context\nno\n\n## Logical Changes\n- no\n\nChange-Id: I0000000000000000000000000000000000000000\n\n\n";

export function describeHostile(kind: VcsKind): void {
  describe("hostile words and repositories", () => {
    let world: SessionWorld;
    before(async () => {
      world = await sessionWorld(kind, { hasRemote: true });
    });
    after(() => world.remove());

    test("a megabyte of anything, odd intents, paths, subjects and branches are stored exactly", async () => {
      await world.kernel.store.write(() =>
        putSetting(
          { scope: "workspace" },
          { key: "session.bookmark", value: "-dev/тест" },
          { actor: "admin", now: world.kernel.clock.now() },
        ),
      );
      const prompt = HOSTILE + "ł".repeat(520_000) + HOSTILE;
      const what = '-f "x" \u0007\u001b[0m тест $(id)';
      const subject = '-"Кот"\n../../etc/\u0007 passwd';
      await world.start({ prompt, strategy: '"-"', constraints: ["-- --"] });
      world.repository.write("-rf", "1");
      world.repository.write("odd/\"q\" 's' $(id)", "2");
      await world.intent(what);
      world.repository.write("odd/two\nlines тест \u001b[31m", "3");
      await world.intent("--amend");

      const { session } = await world.finish("--help", {
        subject,
        newSubject: true,
        title: "-- 🧵 ../..",
        answer: `\`\`\`\n${HOSTILE}`,
      });

      const commit = (await world.vcs.history.findAll([session.changeId ?? ""])).get(
        session.changeId ?? "",
      );
      const parsed = parseSessionMessage(commit?.message ?? "");
      assert.ok(parsed?.prompt === prompt, "the commit holds the prompt");
      assert.deepEqual([parsed.summary, parsed.changes], ["--help", [what, "--amend"]]);
      assert.ok((await world.show()).session.prompt === prompt, "the store holds the prompt");
      const touched = await world.vcs.history.listTouched([commit?.commitId ?? ""]);
      assert.deepEqual(
        touched.filter((each) => each.startsWith("odd/") || each === "-rf").toSorted(),
        ["-rf", "odd/\"q\" 's' $(id)", "odd/two\nlines тест \u001b[31m"],
      );
      const place = (session.reportPath ?? "").split("/");
      assert.deepEqual([place.length, place[0], place.includes("..")], [3, "Reports", false]);
      assert.match(place[1] ?? "", /^- Кот .* passwd$/);
      assert.deepEqual(
        [...(await world.vcs.remotes.heads("origin", ["-dev/тест"])).keys()],
        ["-dev/тест"],
      );
      assert.deepEqual(await world.breaches(), []);
    });

    test("what is no text, or half of one, is refused before anything is written", async () => {
      for (const prompt of ["a\0b", "half \ud83e", "  \n "]) {
        const code = await codeOf(world.start({ prompt }));
        assert.ok(["text_not_exact", "session_prompt_missing"].includes(code), code);
      }
      const context = "x\n\n## Logical Changes\n- y";
      assert.equal(
        await codeOf(world.start({ interpretation: context })),
        "session_context_heading",
      );
      assert.equal((await world.show()).session.state, "finished");
    });

    test("hooks, monitors, pagers, editors and aliases of the repository are not run", async () => {
      const marker = path.join(world.repository.folder, "ran");
      const evil = path.join(world.repository.folder, "evil");
      writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`);
      chmodSync(evil, 0o755);
      for (const key of [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "alias.log",
        "alias.commit-tree",
        "credential.helper",
        "gpg.program",
      ])
        await world.repository.git("config", key, evil);
      const hooks = path.join(world.repository.root, ".git", "hooks");
      mkdirSync(hooks, { recursive: true });
      for (const hook of [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "pre-push",
        "reference-transaction",
        "post-index-change",
      ]) {
        writeFileSync(path.join(hooks, hook), `#!/bin/sh\n${evil} ${hook}\n`);
        chmodSync(path.join(hooks, hook), 0o755);
      }
      if (kind === "jj") {
        const config = path.join(world.repository.root, ".jj", "repo", "config.toml");
        writeFileSync(
          config,
          `[ui]\npager="${evil}"\neditor="${evil}"\n[fsmonitor]\nbackend="watchman"\n[aliases]\ncommit=["util","exec","--","${evil}"]\nlog=["util","exec","--","${evil}"]\n`,
          { flag: "a" },
        );
      }

      await world.start();
      await world.intent("One", "one");
      await world.intent("Two", "two");
      const { session } = await world.finish("Nothing ran");

      assert.deepEqual([session.state, await world.breaches()], ["finished", []]);
      assert.equal(existsSync(marker), false);
    });

    test("links where reports should go are not followed", async () => {
      await world.start();
      const { symlinkSync, rmSync } = await import("node:fs");
      rmSync(path.join(world.repository.root, "Strategies"), { recursive: true });
      symlinkSync("/tmp", path.join(world.repository.root, "Strategies"));
      await world.intent("Plant a link");

      assert.equal(await codeOf(world.finish("Through a link")), "path_not_own");
      assert.equal((await world.show()).session.state, "open");
    });
  });
}
