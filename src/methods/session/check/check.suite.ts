/** Every invariant with a repository that breaks it. Each breach is made by hand in a whole one, and taken back. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { VcsKind } from "../../../kernel/vcs/vcs.ts";
import { codeOf, PROJECT, type SessionWorld, sessionWorld } from "../session-world.suite.ts";
import { type Hand, handOf } from "./check-hand.suite.ts";
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
