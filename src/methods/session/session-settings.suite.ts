/** How a session ends where nothing else is said: what the project says, else the workspace, else our custom. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { putSetting, type SettingPlace } from "../../kernel/store/settings.ts";
import type { VcsKind } from "../../kernel/vcs/vcs.ts";
import { PROJECT, type SessionWorld, sessionWorld } from "./session-world.suite.ts";

const WORKSPACE: SettingPlace = { scope: "workspace" };
const OF_PROJECT: SettingPlace = { scope: "project", projectId: PROJECT };

export function describeSettings(kind: VcsKind): void {
  describe("settings", () => {
    let world: SessionWorld;
    before(async () => {
      world = await sessionWorld(kind);
    });
    after(() => world.remove());
    const set = (place: SettingPlace, values: Readonly<Record<string, string | boolean>>) =>
      world.kernel.store.write(function* () {
        const act = { actor: "admin", now: world.kernel.clock.now() };
        for (const [key, value] of Object.entries(values))
          yield* putSetting(place, { key: `session.${key}`, value }, act);
      });

    test("where there is no remote, nothing is pushed, and being pushed does not apply", async () => {
      const { session: begun, entries } = await world.show((await world.start()).session.id);
      const { session } = await world.finish("Nowhere to go");
      const { sessions } = await world.check();

      assert.deepEqual(
        entries.map(({ kind: each, data }) => [each, Object.keys(data ?? {}).toSorted()]),
        [["started", ["base", "operation"]]],
      );
      assert.deepEqual([begun.state, session.push, session.bookmark], ["open", "none", "dev"]);
      assert.deepEqual(
        sessions[0]?.invariants.filter(({ code }) => code === "pushed"),
        [{ code: "pushed", verdict: "not_applicable", says: "There is no remote." }],
      );
    });

    test("of the project come before those of the workspace, and a call before both", async () => {
      const { git, cli, remote, folder } = world.repository;
      const other = `${folder}/other.git`;
      await git("init", "--quiet", "--bare", other);
      const added = kind === "jj" ? ["git", "remote", "add"] : ["remote", "add"];
      await cli(...added, "origin", remote);
      await cli(...added, "other", other);
      await set(WORKSPACE, { push: false, bookmark: "trunk", remote: "origin", subject: "Usual" });
      await world.start();
      const { session: quiet } = await world.finish("Kept here");
      await set(OF_PROJECT, { push: true, remote: "other", "release-bookmark": "stable" });
      await world.start();
      const { session: loud } = await world.finish("Pushed there");
      await world.start();
      const { session: released } = await world.finish("Released there", { release: true });
      await world.start();
      const { session: asked } = await world.finish("Not even there", { push: false });

      assert.deepEqual([quiet.push, quiet.bookmark], ["off", "trunk"]);
      assert.match(quiet.reportPath ?? "", /^Reports\/Usual\//);
      assert.deepEqual([loud.push, loud.bookmark], ["pushed", "trunk"]);
      assert.deepEqual([released.push, released.bookmark], ["pushed", "stable"]);
      assert.equal(asked.push, "off");
      const names = ["trunk", "stable"];
      assert.deepEqual([...(await world.vcs.remotes.heads("other", names)).keys()].toSorted(), [
        "stable",
        "trunk",
      ]);
      assert.equal((await world.vcs.remotes.heads("origin", names)).size, 0);
      assert.deepEqual(await world.breaches(), []);
    });
  });
}
