/** Remotes, and repositories whose settings want programs to run. */

import assert from "node:assert/strict";
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import {
  handOf,
  type ScratchRepository,
  scratchRepository,
} from "../../../tests/scratch/scratch-repository.ts";
import type { Commit, Vcs, VcsKind } from "./vcs.ts";

const hand = handOf("session-remote");

async function synthesise(
  repository: ScratchRepository,
  vcs: Vcs,
  names: readonly string[],
): Promise<{ readonly originals: readonly Commit[]; readonly ids: readonly string[] }> {
  const { parent } = await vcs.workingCopy.look();
  const originals: Commit[] = [];
  for (const name of names) {
    repository.write(name, `${name}\n`);
    originals.push(await vcs.workingCopy.commit({ message: `intent: ${name}\n`, hand }));
  }
  const made = await vcs.synthesis.perform({
    operation: await vcs.workingCopy.operation(),
    hand,
    ownFolders: ["Reports"],
    onto: parent.commitId,
    originals,
    bookmark: "dev",
    keep: "session/1",
    compose: async () => ({ message: "session: x\n", files: [{ path: "Reports/r", text: "r" }] }),
  });
  await vcs.workingCopy.beginFresh(made.commit.commitId, hand);
  const ids = [...originals.map(({ changeId }) => changeId), ...made.duplicates];
  return { originals, ids: [...ids, made.commit.changeId] };
}

async function pushAll(vcs: Vcs): Promise<void> {
  const names = ["dev", "session/1"];
  const targets: { name: string; commitId: string }[] = [];
  for (const name of names) {
    const commit = await vcs.history.findBookmark(name);
    if (commit !== undefined) targets.push({ name, commitId: commit.commitId });
  }
  await vcs.remotes.push("origin", targets, hand);
}

export function describeRemotes(kind: VcsKind): void {
  describe("remotes", () => {
    let repository: ScratchRepository;
    let vcs: Vcs;
    before(async () => {
      repository = await scratchRepository(kind);
      vcs = await repository.open();
    });
    after(() => repository.remove());

    test("are found by name, by custom, or because there is only one", async () => {
      assert.equal(await vcs.remotes.find(), "origin");
      assert.equal(await vcs.remotes.find("origin"), "origin");
      assert.equal(await vcs.remotes.find("elsewhere"), undefined);
    });

    test("get what is pushed, and a fresh clone resolves every id", async () => {
      const { ids } = await synthesise(repository, vcs, ["one", "two", "three"]);
      assert.deepEqual([...(await vcs.remotes.heads("origin", ["dev"]))], []);

      await pushAll(vcs);

      const heads = await vcs.remotes.heads("origin", ["dev", "session/1", "no"]);
      assert.deepEqual([...heads.keys()].toSorted(), ["dev", "session/1"]);
      assert.equal(heads.get("dev"), (await vcs.history.findBookmark("dev"))?.commitId);
      const clone = await repository.clone("clone");
      const found = await clone.history.findAll(ids);
      assert.equal(ids.length, 7);
      assert.deepEqual([...found.keys()].toSorted(), [...ids].toSorted());
      assert.equal((await clone.history.findBookmark("dev", "origin"))?.commitId, heads.get("dev"));
    });

    test("that have moved on refuse, and what they have can be brought here", async () => {
      const other = path.join(repository.folder, "other");
      await repository.git("clone", "--quiet", "--branch=dev", repository.remote, other);
      const git = (...args: string[]) => repository.git("-C", other, ...args);
      await git("commit", "--quiet", "--allow-empty", "--message=elsewhere");
      await git("push", "--quiet", "origin", "dev");
      const theirs = (await git("rev-parse", "HEAD")).trim();
      const before = await vcs.history.findBookmark("dev");
      repository.write("mine", "mine\n");
      await vcs.workingCopy.commit({ message: "intent: mine\n", hand });
      const { parent } = await vcs.workingCopy.look();
      if (kind === "jj") await repository.cli("bookmark", "set", "dev", "-r", parent.commitId);

      const targets = [{ name: "dev", commitId: parent.commitId }];
      await assert.rejects(vcs.remotes.push("origin", targets, hand), { code: "push_rejected" });
      await vcs.remotes.bring("origin", ["dev"]);
      assert.equal(await vcs.history.isAncestor(before?.commitId ?? "", theirs), true);
      if (kind === "jj")
        await repository.cli("bookmark", "set", "-B", "dev", "-r", before?.commitId ?? "");
      await vcs.remotes.fetch("origin", "dev");
      assert.equal((await vcs.history.findBookmark("dev", "origin"))?.commitId, theirs);
    });

    test("that are not there are told as such", async () => {
      await repository.git("remote", "set-url", "origin", path.join(repository.folder, "gone"));

      await assert.rejects(vcs.remotes.heads("origin", ["dev"]), { code: "remote_unreachable" });
      await assert.rejects(vcs.remotes.fetch("origin", "dev"), { code: "remote_unreachable" });
      await assert.rejects(vcs.remotes.bring("origin", ["dev"]), { code: "remote_unreachable" });
      repository.write("more", "more\n");
      const made = await vcs.workingCopy.commit({ message: "intent: more\n", hand });
      if (kind === "jj") await repository.cli("bookmark", "set", "-B", "dev", "-r", made.commitId);
      await assert.rejects(
        vcs.remotes.push("origin", [{ name: "dev", commitId: made.commitId }], hand),
        { code: "remote_unreachable" },
      );
    });
  });

  describe("a repository whose settings name programs", () => {
    let repository: ScratchRepository;
    let marker: string;
    let evil: string;
    before(async () => {
      repository = await scratchRepository(kind);
      marker = path.join(repository.folder, "ran");
      evil = path.join(repository.folder, "evil");
      writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`);
      chmodSync(evil, 0o755);
    });
    after(() => repository.remove());

    test("does not get to run them", async () => {
      await plantPrograms(repository, evil);

      const vcs = await repository.open();
      await synthesise(repository, vcs, ["one", "two"]);
      await pushAll(vcs);
      await vcs.remotes.fetch("origin", "dev");
      await vcs.remotes.bring("origin", ["dev"]);
      await vcs.remotes.heads("origin", ["dev"]);
      await vcs.history.list({});

      assert.equal(existsSync(marker), false);
    });

    test("is refused where a program would stand at the other end", async () => {
      await repository.git("config", "remote.origin.uploadpack", evil);
      await repository.git("config", "remote.origin.receivepack", evil);

      const { remotes } = await repository.open();

      const refused = { code: "vcs_config_unsafe" };
      await assert.rejects(remotes.heads("origin", ["dev"]), refused);
      await assert.rejects(remotes.fetch("origin", "dev"), refused);
      await assert.rejects(remotes.bring("origin", ["dev"]), refused);
      await assert.rejects(remotes.push("origin", [], hand), refused);
      assert.equal(existsSync(marker), false);
    });

    test("gets no say over its files", async () => {
      repository.write(".gitattributes", "* filter=evil merge=evil\n");
      await repository.git("config", "filter.evil.clean", evil);
      await repository.git("config", "filter.evil.smudge", evil);
      repository.write("more", "more");

      const vcs = await repository.open();
      const made = vcs.workingCopy.commit({ message: "intent: x\n", hand });

      // jj knows no such programs; git would run them, and is not asked.
      if (kind === "jj") await made;
      else {
        await assert.rejects(made, { code: "vcs_config_unsafe" });
        await assert.rejects(vcs.workingCopy.look(), { code: "vcs_config_unsafe" });
      }
      assert.equal(existsSync(marker), false);
    });

    test("would run them for anybody else", async () => {
      await repository.git("status").catch(() => "");
      await repository.cli(...(kind === "jj" ? ["git", "fetch"] : ["fetch"])).catch(() => "");

      assert.equal(existsSync(marker), true);
    });
  });
}

const GIT_PROGRAMS = [
  "core.fsmonitor",
  "core.pager",
  "core.editor",
  "core.askPass",
  "core.sshCommand",
  "sequence.editor",
  "credential.helper",
  "credential.https://example.org.helper",
  "diff.external",
  "gpg.program",
  "alias.log",
  "alias.status",
  "alias.add",
  "pager.log",
];

const HOOKS = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "post-checkout",
  "post-index-change",
  "pre-push",
  "reference-transaction",
  "post-rewrite",
  "pre-auto-gc",
  "fsmonitor-watchman",
];

export async function plantPrograms(repository: ScratchRepository, evil: string): Promise<void> {
  for (const key of GIT_PROGRAMS) await repository.git("config", key, evil);
  await repository.git("config", "commit.gpgSign", "true");
  const hooks = path.join(repository.root, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const hook of HOOKS) {
    writeFileSync(path.join(hooks, hook), `#!/bin/sh\n${evil} ${hook}\n`);
    chmodSync(path.join(hooks, hook), 0o755);
  }
  if (repository.kind !== "jj") return;
  appendFileSync(
    path.join(repository.root, ".jj", "repo", "config.toml"),
    `[ui]
pager = "${evil}"
editor = "${evil}"
diff-editor = "${evil}"
merge-editor = "${evil}"
diff-formatter = ["${evil}", "$left", "$right"]
paginate = "auto"
[git]
executable-path = "${evil}"
sign-on-push = true
[signing]
behavior = "own"
backend = "gpg"
[signing.backends.gpg]
program = "${evil}"
[fsmonitor]
backend = "watchman"
[snapshot]
auto-track = "none()"
[aliases]
commit = ["util", "exec", "--", "${evil}"]
log = ["util", "exec", "--", "${evil}"]
[templates]
commit_summary = '"nothing"'
`,
  );
}
