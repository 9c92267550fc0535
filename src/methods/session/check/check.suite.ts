/** Every invariant with a repository that breaks it. Each breach is made by hand in a whole one, and taken back. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { VcsKind } from "../../../kernel/vcs/vcs.ts";
import { codeOf, PROJECT, type SessionWorld, sessionWorld } from "../session-world.suite.ts";
import { INVARIANT_CODES, type InvariantCode } from "./invariant.ts";

const OWN_TO_JJ: ReadonlySet<InvariantCode> = new Set([
  "references_alive",
  "fresh_child",
  "tree_clean",
  "scope_true",
]);
const SECRET = ["AKIA", "ZZZZYYYYXXXX1234"].join("");

export function describeChecks(kind: VcsKind): void {
  describe("the completion invariants", () => {
    let world: SessionWorld;
    let hand: Hand;
    let id: string;
    const broken = new Set<InvariantCode>();
    before(async () => {
      world = await sessionWorld(kind, { hasRemote: true });
      await world.start();
      await world.intent("One", "one");
      await world.intent("Two", "two");
      const { session } = await world.finish("It is whole", { subject: "Whole", newSubject: true });
      id = session.id;
      hand = handOf(world, session);
    });
    after(() => world.remove());

    test("all hold where everything was done", async () => {
      const { sessions, breaches } = await world.check();
      const invariants = sessions[0]?.invariants ?? [];

      assert.equal(breaches, 0);
      assert.deepEqual(
        invariants.map(({ code }) => code),
        INVARIANT_CODES,
      );
      assert.deepEqual(
        invariants.filter(({ verdict }) => verdict !== "holds").map(({ code }) => code),
        ["parent_fresh"],
      );
    });

    /** By default jj shows those that its own way of keeping commits decides; git shows all of them. */
    const isLeftOut = (code: InvariantCode) =>
      kind === "jj" && process.env["SESSION_SUITE"] !== "all" && !OWN_TO_JJ.has(code)
        ? "SESSION_SUITE=all"
        : false;
    /** Breaks it, looks, and mends it. */
    const breaks = (
      code: InvariantCode,
      how: string,
      deed: () => Promise<unknown>,
      beside: readonly InvariantCode[] = [],
    ): void => {
      void test(`${code}: ${how}`, { skip: isLeftOut(code) }, async () => {
        const before = await hand.remember();
        await deed();

        const found = await world.breaches({ session: id });

        await hand.restore(before);
        assert.ok(found.includes(code), `${code} among ${found.join(", ")}`);
        assert.deepEqual(
          found.filter((each) => each !== code && !beside.includes(each)),
          [],
        );
        assert.deepEqual(await world.breaches({ session: id }), []);
        broken.add(code);
      });
    };
    /** Rewriting the finished commit leaves what was pushed behind; in jj the duplicates stand on it and go along. */
    const rewritten: readonly InvariantCode[] =
      kind === "jj" ? ["pushed", "references_at_remote"] : ["pushed"];

    breaks("head_is_session", "an intent was left on top", () =>
      hand.commit("intent: Forgotten", "more"),
    );
    breaks("head_is_session", "the bookmark went elsewhere", () => hand.bookmark("dev", "base"), [
      "fresh_child",
    ]);
    breaks(
      "message_shape",
      "the prompt was changed",
      () => hand.message((text) => text.replace("Make it faster", "Make it nicer")),
      rewritten,
    );
    breaks(
      "message_shape",
      "the list of ids is gone",
      () => hand.message((text) => text.replace(/\n\n## Squashed Change IDs\n[^]*/, "\n")),
      rewritten,
    );
    breaks(
      "message_shape",
      "a heading is gone",
      () => hand.message((text) => text.replace("## Agent Context", "Context")),
      [...rewritten, "date_line"],
    );
    breaks(
      "date_line",
      "it is another day's",
      () => hand.message((text) => text.replace(/^.*AM$/m, "♓\uFE0E.5.4.47 5919AM")),
      rewritten,
    );
    breaks(
      "date_line",
      "it is of our calendar",
      () => hand.message((text) => text.replace(/^.*AM$/m, "2026-02-22")),
      [...rewritten, "message_shape"],
    );
    breaks("references_alive", "nothing keeps them any more", () => hand.dropKept(), [
      "references_at_remote",
    ]);
    breaks("references_at_remote", "the remote has no bookmark for them", () =>
      hand.remote("delete", (kept) => kept),
    );
    breaks(
      "report_present",
      "it is not in the commit",
      () => hand.rewriteFiles(["Reports"], undefined),
      [...rewritten, "scope_true", "counterpart_present"],
    );
    breaks(
      "report_present",
      "it names another session",
      () => hand.rewriteReport((text) => text.replace(/^session: .*$/m, 'session: "another"')),
      rewritten,
    );
    breaks(
      "scope_true",
      "it says that no file changed",
      () => hand.rewriteReport((text) => text.replace(/^scope: .*$/m, 'scope: "no-files"')),
      rewritten,
    );
    breaks(
      "counterpart_present",
      "the strategy is gone",
      () => hand.rewriteFiles(["Strategies"], undefined),
      rewritten,
    );
    breaks("tree_clean", "something is unrecorded", async () =>
      world.repository.write("left", "over\n"),
    );
    breaks("fresh_child", "the working copy stands elsewhere", () => hand.standOn("base"));
    breaks("pushed", "the remote is behind", () => hand.remote("base", () => "dev"));
    breaks(
      "pushed",
      "the remote cannot be reached",
      () => world.repository.git("remote", "set-url", "origin", "/nowhere"),
      ["references_at_remote"],
    );
    breaks(
      "secrets_absent",
      "a key was put into the commit",
      () => hand.rewriteFiles(["key.txt"], `${SECRET}\n`),
      rewritten,
    );

    test("session_finished, intents_minimal and parent_fresh: while the session is open", async () => {
      const { parent } = await world.vcs.workingCopy.look();
      const { session } = await world.start({ reliesOn: parent.changeId });
      const intent = await world.intent("Three", "three");
      assert.deepEqual(await world.breaches(), ["session_finished"]);
      await hand.describe(intent.changeId, "intent: Three\n\nAnd why.\n");
      assert.deepEqual(await world.breaches(), ["session_finished", "intents_minimal"]);
      assert.equal(await codeOf(world.finish("Too talkative")), "session_intent_long");
      await hand.describe(intent.changeId, "intent: Three\n");
      await world.finish("Three");
      assert.deepEqual(await world.breaches({ session: session.id }), []);
      const before = await hand.remember();
      await hand.message((text) => `${text.trimEnd()}\n\nAnd more.\n`, parent.changeId);
      assert.ok((await world.breaches({ session: session.id })).includes("parent_fresh"));
      await hand.restore(before);
      assert.deepEqual(await world.breaches({ all: true }), []);
      for (const code of ["session_finished", "intents_minimal", "parent_fresh"] as const)
        broken.add(code);
    });

    test("none was left out", { skip: isLeftOut("pushed") }, () => {
      assert.deepEqual([...broken].toSorted(), [...INVARIANT_CODES].toSorted());
    });

    test("a check that cannot look has not passed: no repository, no program, no session", async () => {
      const failure = async (work: Promise<unknown>) =>
        work.then(
          () => "passed",
          (error: unknown) =>
            error instanceof ProductError ? `${error.kind} ${error.code}` : String(error),
        );
      const empty = await sessionWorld(kind);
      assert.equal(await failure(empty.check()), "internal session_check_nothing");
      assert.equal(await failure(empty.check({ all: true })), "internal session_check_nothing");
      assert.equal(
        await failure(world.check({ session: "0000ffff" })),
        "internal session_check_impossible",
      );
      await empty.start();
      for (const folder of [".jj", ".git"]) {
        rmSync(path.join(empty.repository.root, folder), { recursive: true, force: true });
      }
      assert.equal(await failure(empty.check()), "internal session_check_impossible");
      await empty.remove();
      const { openRepository } = await import("../../../../tests/scratch/scratch-repository.ts");
      const { tools } = world.repository;
      const blind = openRepository(world.repository.root, {
        ...tools,
        environment: { ...tools.environment, PATH: "/nowhere" },
        run: (call) => tools.run({ ...call, program: `/nowhere/${call.program}` }),
      });
      assert.equal(await failure(blind), "internal program_missing");
      assert.ok(PROJECT);
    });
  });
}

/** What a person can do to a finished session with the system's own commands. */
interface Hand {
  readonly remember: () => Promise<string>;
  readonly restore: (state: string) => Promise<void>;
  readonly commit: (message: string, file: string) => Promise<void>;
  readonly bookmark: (name: string, to: "base") => Promise<unknown>;
  readonly message: (change: (text: string) => string, changeId?: string) => Promise<unknown>;
  readonly describe: (changeId: string, message: string) => Promise<unknown>;
  readonly dropKept: () => Promise<void>;
  readonly remote: (deed: "delete" | "base", name: (kept: string) => string) => Promise<unknown>;
  readonly rewriteFiles: (paths: readonly string[], text: string | undefined) => Promise<void>;
  readonly rewriteReport: (change: (text: string) => string) => Promise<void>;
  readonly standOn: (place: "base") => Promise<unknown>;
}

function handOf(
  world: SessionWorld,
  {
    id,
    changeId = "",
    reportPath = "",
  }: { id: string; changeId?: string | undefined; reportPath?: string | undefined },
): Hand {
  const { repository, vcs } = world;
  const kept = `session/${id}`;
  const isJj = repository.kind === "jj";
  const remoteGit = (...args: string[]) => repository.git("--git-dir", repository.remote, ...args);
  const find = async (change: string) => {
    const commit = (await vcs.history.findAll([change])).get(change);
    if (commit === undefined) throw new Error(`no ${change}`);
    return commit;
  };
  const base = async () => (await find(changeId)).parents[0] ?? "";
  /** Rewrites the finished commit, and puts the working copy on top of it again. */
  const rewrite = async (deed: () => void) => {
    if (isJj) {
      await repository.cli("edit", changeId);
      deed();
      await repository.cli("new", changeId);
      return;
    }
    deed();
    await repository.cli("add", "--all");
    await repository.cli("commit", "--quiet", "--amend", "--no-edit", "--cleanup=verbatim");
    await repository.cli("branch", "--force", "dev", "HEAD").catch(() => "on it");
  };
  return {
    remember: async () => {
      const refs = await remoteGit("for-each-ref", "--format=%(objectname) %(refname)");
      const local = isJj
        ? await vcs.workingCopy.operation()
        : await repository.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads");
      const head = isJj ? "" : (await repository.git("symbolic-ref", "HEAD")).trim();
      return JSON.stringify({ refs, local, head });
    },
    restore: async (state) => {
      const { refs, local, head } = JSON.parse(state) as Record<"refs" | "local" | "head", string>;
      const lines = (text: string) =>
        text
          .trim()
          .split("\n")
          .map((line) => line.split(" "));
      for (const [commit = "", ref = ""] of lines(refs)) await remoteGit("update-ref", ref, commit);
      await repository.git("remote", "set-url", "origin", repository.remote);
      if (isJj) {
        await repository.cli("operation", "restore", local);
        return;
      }
      await repository.git("checkout", "--quiet", "--detach", "--force");
      for (const [commit = "", ref = ""] of lines(local))
        await repository.git("update-ref", ref, commit);
      await repository.git("checkout", "--quiet", "--force", head.replace("refs/heads/", ""));
      await repository.git("clean", "-fdq");
    },
    commit: async (message, file) => {
      repository.write(file, `${file}\n`);
      if (isJj) return void (await repository.cli("commit", `--message=${message}`));
      await repository.cli("add", "--all");
      await repository.cli("commit", "--quiet", `--message=${message}`);
    },
    bookmark: async (name) => {
      const to = await base();
      if (isJj) return repository.cli("bookmark", "set", "--allow-backwards", name, "-r", to);
      const { parent } = await vcs.workingCopy.look();
      await repository.git("checkout", "--quiet", "--detach", parent.commitId);
      return repository.git("branch", "--force", name, to);
    },
    message: async (change, given = changeId) => {
      const commit = await find(given);
      const text = change(commit.message);
      if (isJj) return describeJj(world, given, text);
      return amendGit(world, commit.commitId, `${text}\nChange-Id: ${given}\n`);
    },
    describe: async (change, message) => {
      if (isJj) return describeJj(world, change, message);
      return amendGit(world, (await find(change)).commitId, `${message}\nChange-Id: ${change}\n`);
    },
    dropKept: async () => {
      if (!isJj) {
        await repository.git("branch", "-D", kept);
        await repository.git("update-ref", "-d", `refs/remotes/origin/${kept}`);
        return;
      }
      await repository.cli("bookmark", "forget", "--include-remotes", `exact:"${kept}"`);
      const { intents } = await world.show(id);
      const ids = intents.flatMap(({ changeId: one, duplicateId = "none()" }) => [
        one,
        duplicateId,
      ]);
      await repository.cli("abandon", `(${ids.join(" | ")}):: ~ ::dev`);
    },
    remote: async (deed, name) =>
      deed === "delete"
        ? remoteGit("update-ref", "-d", `refs/heads/${name(kept)}`)
        : remoteGit("update-ref", `refs/heads/${name(kept)}`, await base()),
    rewriteFiles: (paths, text) =>
      rewrite(() => {
        for (const each of paths) {
          if (text === undefined) rmSync(path.join(repository.root, each), { recursive: true });
          else repository.write(each, text);
        }
      }),
    rewriteReport: (change) =>
      rewrite(() => repository.write(reportPath, change(repository.read(reportPath)))),
    standOn: async () => {
      const to = await base();
      return isJj
        ? repository.cli("new", to)
        : repository.git("checkout", "--quiet", "--detach", to);
    },
  };
}

async function describeJj(
  { repository }: SessionWorld,
  changeId: string,
  text: string,
): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  execFileSync("jj", ["describe", "--stdin", changeId], {
    cwd: repository.root,
    input: text,
    env: definedOf(repository.tools.environment),
    stdio: ["pipe", "ignore", "ignore"],
  });
}

/** Rewrites a commit somewhere below, and puts what stood on it on top again. */
async function amendGit(
  { repository }: SessionWorld,
  commitId: string,
  text: string,
): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  const git = (args: readonly string[], input = "") =>
    execFileSync("git", args, {
      cwd: repository.root,
      input,
      env: { ...definedOf(repository.tools.environment), GIT_COMMITTER_DATE: "@1700000000 +0000" },
      stdio: ["pipe", "pipe", "ignore"],
    })
      .toString()
      .trim();
  const parents = git(["log", "-1", "--format=%P", commitId]).split(" ").filter(Boolean);
  const made = git(
    ["commit-tree", `${commitId}^{tree}`, ...parents.flatMap((each) => ["-p", each]), "-F", "-"],
    text,
  );
  const onTop = git(["rev-list", "--reverse", `${commitId}..HEAD`])
    .split("\n")
    .filter(Boolean);
  let head = made;
  for (const each of onTop) {
    const message = git(["log", "-1", "--format=%B", each]);
    head = git(["commit-tree", `${each}^{tree}`, "-p", head, "-F", "-"], `${message}\n`);
  }
  const branch = git(["symbolic-ref", "HEAD"]);
  const dev = git(["rev-parse", "refs/heads/dev"]);
  if (dev === git(["rev-parse", "HEAD"])) git(["update-ref", "refs/heads/dev", head]);
  else if (dev === commitId) git(["update-ref", "refs/heads/dev", made]);
  git(["update-ref", branch, head]);
}

function definedOf(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
