/** Every invariant with a repository in which it just holds: close to a breach, and none. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { VcsKind } from "../../../kernel/vcs/vcs.ts";
import { type SessionWorld, sessionWorld } from "../session-world.suite.ts";
import { type Hand, handOf } from "./check-hand.suite.ts";
import { INVARIANT_CODES, type InvariantCode } from "./invariant.ts";

/** Headings and a date of its own, and a passage of which an intent may repeat no more than 59 characters. */
const PASSAGE = "the settings are read on every single call, which is far too often for them";
const PROMPT = `Say why ${PASSAGE}.

## Agent Context
none

## Squashed Change IDs
- none
\u2653\uFE0E.5.4.47 5919AM
`;
const ALMOST_A_KEY = ["AKIA", "ABCDEFGH1234567"].join("");

export function describeNearBreaches(kind: VcsKind): void {
  describe("the completion invariants just hold", () => {
    let world: SessionWorld;
    let hand: Hand;
    let id: string;
    const held = new Set<InvariantCode>();
    before(async () => {
      world = await sessionWorld(kind, { hasRemote: true });
      const { parent } = await world.vcs.workingCopy.look();
      await world.start();
      await world.intent("Between what is relied on and what relies on it", "between");
      await world.finish("Something came between");
      const { session } = await world.start({ prompt: PROMPT, reliesOn: parent.changeId });
      id = session.id;
    });
    after(() => world.remove());
    const holds = async (
      codes: readonly InvariantCode[],
      beside: readonly InvariantCode[] = [],
    ) => {
      const found = await world.breaches({ session: id });
      assert.deepEqual(found.toSorted(), [...beside].toSorted());
      for (const code of codes) held.add(code);
    };
    const nearly = (
      codes: readonly InvariantCode[],
      how: string,
      deed: () => Promise<unknown>,
      beside: readonly InvariantCode[] = [],
    ): void => {
      void test(`${codes.join(", ")}: ${how}`, async () => {
        const before = await hand.remember();
        await deed();

        await holds(codes, beside);

        await hand.restore(before);
        assert.deepEqual(await world.breaches({ session: id }), []);
      });
    };
    const rewritten: readonly InvariantCode[] =
      kind === "jj" ? ["pushed", "references_at_remote"] : ["pushed"];
    const remoteGit = (...args: string[]) =>
      world.repository.git("--git-dir", world.repository.remote, ...args);
    /** As somebody else would push it. */
    const standOnTop = async (ref: string) => {
      const who = ["-c", "user.name=Eve", "-c", "user.email=eve@example.org"];
      const args = ["commit-tree", `${ref}^{tree}`, "-p", ref, "-m", "Somebody else's"];
      const made = await remoteGit(...who, ...args);
      await remoteGit("update-ref", `refs/heads/${ref}`, made.trim());
    };

    test("session_finished, message_shape, intents_minimal, tree_clean, secrets_absent, parent_fresh: a prompt with headings of its own, 59 of its characters in an intent, what is ignored left over, one character short of a key, and a parent further below", async () => {
      world.repository.write(".gitignore", "ignored/\n");
      await world.intent(PASSAGE.slice(0, 59));
      await world.intent("Name what is no key", "key.txt", `${ALMOST_A_KEY}\n`);
      const { remote } = world.repository;
      await world.repository.git("remote", "set-url", "origin", `${remote}.away`);
      const { session } = await world.finish("Just so", { subject: "Edges", newSubject: true });
      assert.equal(session.state, "synthesised");
      await world.repository.git("remote", "set-url", "origin", remote);
      await world.finish("Just so", { session: id });
      world.repository.write("ignored/left", "over\n");
      hand = handOf(world, session);

      await holds([
        "session_finished",
        "message_shape",
        "intents_minimal",
        "tree_clean",
        "secrets_absent",
        "parent_fresh",
      ]);
    });

    nearly(["head_is_session", "fresh_child"], "somebody's commit stands on it", () =>
      hand.commit("Go on from there", "more"),
    );
    nearly(["pushed"], "the remote has more", () => standOnTop("dev"));
    nearly(
      ["date_line"],
      "it was written down again later, with the line as it was",
      () => hand.rewriteFiles(["after.txt"], "later\n"),
      rewritten,
    );
    nearly(
      ["report_present"],
      "what the report says below its head was changed",
      () => hand.rewriteReport((text) => `${text}\nAnd more.\n`),
      rewritten,
    );
    nearly(["references_alive"], "the bookmark that keeps them went on", async () => {
      const kept = `session/${id}`;
      if (kind === "git") {
        const made = await world.repository.git(
          "commit-tree",
          `${kept}^{tree}`,
          "-p",
          kept,
          "-m",
          "x",
        );
        await world.repository.git("branch", "--force", kept, made.trim());
        return;
      }
      await world.repository.cli("new", "--no-edit", `"${kept}"`, "--message=x");
      await world.repository.cli("bookmark", "set", kept, "-r", `"${kept}"+`);
    });
    nearly(["references_at_remote"], "the remote's bookmark went on from them", () =>
      standOnTop(`session/${id}`),
    );

    test("scope_true, counterpart_present: only a strategy was changed, of a subject that had no reports", async () => {
      id = (await world.start()).session.id;
      const place = "Strategies/Near";
      await world.intent("Say how", `${place}/STRATEGY.md`, "# Near\n");
      const { session } = await world.finish("It is said how", {
        subject: "Near",
        newSubject: true,
      });

      assert.equal(session.scope, "no-files");
      await holds(["scope_true", "counterpart_present"]);
    });

    test("none was left out", () => {
      assert.deepEqual([...held].toSorted(), [...INVARIANT_CODES].toSorted());
    });
  });
}
