import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { query } from "./database-work.ts";
import { engineTables } from "./engine-migration.ts";
import { listAllEvents } from "./furnished-store.suite.ts";
import {
  beginIdempotent,
  expireIdempotent,
  finishIdempotent,
  noteEffect,
  releaseIdempotent,
  renewIdempotent,
} from "./idempotency.ts";
import { consumeLoginCode, insertLoginCode } from "./login-codes.ts";
import {
  findLoginByCookieHash,
  insertLogin,
  listLogins,
  revokeLoginsOf,
  touchLogin,
} from "./logins.ts";
import { nounTables } from "./noun-migration.ts";
import { db } from "./query-builder.ts";
import { deleteSetting, findSetting, listSettings, putSetting } from "./settings.ts";
import { findTokenByHash, insertToken, listTokens, revokeToken, touchToken } from "./tokens.ts";
import {
  deleteUser,
  findPasswordHash,
  findUserByEmail,
  getUser,
  insertUser,
  listUsers,
  updateUser,
} from "./users.ts";

const act = { actor: "setup", now: 1000 };
const migrations = [engineTables, nounTables];

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`people on ${dialect}`, async () => {
    const { store, reopen, remove } = await scratchStore(dialect, migrations);
    const add = (id: string, more: object = {}) =>
      store.write(() => insertUser({ id, displayName: id, role: "operator", ...more }, act));

    test("a user is found as inserted, by address in any case, and never with the password", async () => {
      const user = await add("ann", {
        email: " Ann@Example.ORG ",
        passwordHash: "argon",
        groups: ["g"],
      });

      assert.deepEqual(await store.read(() => getUser("ann")), user);
      assert.deepEqual(await store.read(() => findUserByEmail("ANN@example.org")), user);
      assert.equal(user.email, "ann@example.org");
      assert.ok(!JSON.stringify(user).includes("argon"));
      assert.equal(await store.read(() => findPasswordHash("ann")), "argon");
      const events = await listAllEvents(store);
      assert.ok(!JSON.stringify(events).includes("argon"));
    });

    test("an address belongs to one person, also when two ask at once", async () => {
      const second = reopen();

      const outcomes = await Promise.allSettled(
        [store, second, store].map((each, i) =>
          each.write(() =>
            insertUser({ id: `twin${i}`, displayName: "t", role: "viewer", email: "twin@x" }, act),
          ),
        ),
      );

      const refused = outcomes.filter((outcome) => outcome.status === "rejected");
      assert.equal(refused.length, 2);
      for (const { reason } of refused) assert.equal(reason.code, "email_taken");
      await second.close();
    });

    test("of 20 concurrent updates that expect one version, one wins and the rest are told", async () => {
      const user = await add("bea");

      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          store.write(() => updateUser("bea", { displayName: `b${i}` }, act, user.version)),
        ),
      );

      const refused = outcomes.filter((outcome) => outcome.status === "rejected");
      assert.equal(refused.length, 19);
      for (const { reason } of refused) assert.equal(reason.code, "version_conflict");
      assert.equal((await store.read(() => getUser("bea"))).version, 2);
    });

    test("20 concurrent updates that expect no version all happen", async () => {
      await add("cleo");

      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          store.write(() => updateUser("cleo", { displayName: `c${i}` }, act)),
        ),
      );

      assert.equal((await store.read(() => getUser("cleo"))).version, 21);
    });

    test("an agent is neither admin nor logs in by password, and the last admin stays", async () => {
      await assert.rejects(add("bot", { isAgent: true, role: "admin" }), {
        code: "agent_too_mighty",
      });
      await assert.rejects(add("bot", { isAgent: true, passwordHash: "x" }), {
        code: "agent_too_mighty",
      });
      await add("root", { role: "admin" });

      await assert.rejects(
        store.write(() => updateUser("root", { role: "viewer" }, act)),
        {
          code: "last_admin",
        },
      );
      await assert.rejects(
        store.write(() => updateUser("root", { isActive: false }, act)),
        {
          code: "last_admin",
        },
      );
      await assert.rejects(
        store.write(() => deleteUser("root", act)),
        { code: "last_admin" },
      );
    });

    test("two admins who dismiss each other at once leave one", async () => {
      await add("root2", { role: "admin" });
      const second = reopen();

      const outcomes = await Promise.allSettled([
        store.write(() => updateUser("root", { role: "viewer" }, act)),
        second.write(() => updateUser("root2", { role: "viewer" }, act)),
      ]);

      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      await second.close();
    });

    test("lists come in pages that neither skip nor repeat", async () => {
      for (let i = 0; i < 7; i += 1) await add(`page${i}`, { role: "reviewer" });

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.read(() => listUsers({ role: "reviewer", limit: 3, cursor }));
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);

      assert.deepEqual(seen, ["page6", "page5", "page4", "page3", "page2", "page1", "page0"]);
      await assert.rejects(
        store.read(() => listUsers({ limit: 201 })),
        { code: "page_limit" },
      );
      await assert.rejects(
        store.read(() => listUsers({ cursor: "x'; --" })),
        {
          code: "cursor_invalid",
        },
      );
    });

    test("a token is found by its hash until revoked, and its use is no event", async () => {
      await add("dan");
      await store.write(() =>
        insertToken(
          {
            id: "t1",
            userId: "dan",
            name: "ci",
            tokenHash: "h1",
            prefix: "tl_ab",
            scopes: ["read"],
          },
          act,
        ),
      );
      const before = await listAllEvents(store);

      await store.write(() => touchToken("t1", 2000));
      const used = await store.read(() => findTokenByHash("h1"));
      const after = await listAllEvents(store);

      assert.equal(used?.lastUsedAt, 2000);
      assert.deepEqual(used?.scopes, ["read"]);
      assert.equal(after.length, before.length);
      assert.equal(await store.write(() => revokeToken("t1", { ...act, now: 3000 })), true);
      assert.equal(await store.write(() => revokeToken("t1", { ...act, now: 4000 })), false);
      assert.equal((await store.read(() => findTokenByHash("h1")))?.revokedAt, 3000);
      assert.equal((await store.read(() => listTokens("dan"))).length, 1);
    });

    test("a changed role, password or deactivation ends logins; deactivation also revokes tokens", async () => {
      const login = (id: string) =>
        store.write(() =>
          insertLogin(
            { id, userId: "eve", cookieHash: `c${id}`, originSecretHash: "o", expiresAt: 9000 },
            act,
          ),
        );
      await add("eve");
      await store.write(() =>
        insertToken({ id: "t2", userId: "eve", name: "n", tokenHash: "h2", prefix: "p" }, act),
      );

      await login("l1");
      await store.write(() => touchLogin("l1", 1500));
      await store.write(() => updateUser("eve", { displayName: "Eve" }, act));
      assert.equal((await store.read(() => listLogins("eve", 2000))).length, 1);
      assert.equal((await store.read(() => listLogins("eve", 9000))).length, 0);
      await store.write(() => updateUser("eve", { role: "viewer" }, act));
      assert.equal((await store.read(() => listLogins("eve", 2000))).length, 0);
      await login("l2");
      await store.write(() => updateUser("eve", { passwordHash: "new" }, act));
      assert.equal((await store.read(() => listLogins("eve", 2000))).length, 0);
      await login("l3");
      assert.equal(await store.write(() => revokeLoginsOf("eve", act)), 1);
      assert.equal((await store.read(() => findTokenByHash("h2")))?.revokedAt, undefined);
      await store.write(() => updateUser("eve", { isActive: false }, act));
      assert.equal((await store.read(() => findTokenByHash("h2")))?.revokedAt, 1000);
      assert.equal((await store.read(() => findLoginByCookieHash("cl3")))?.revokedAt, 1000);
    });

    test("a login code works exactly once among 20 who try, and not after it expired", async () => {
      await add("fay");
      const second = reopen();
      await store.write(() =>
        insertLoginCode({ codeHash: "k", userId: "fay", expiresAt: 2000 }, act),
      );
      await store.write(() =>
        insertLoginCode({ codeHash: "old", userId: "fay", expiresAt: 2000 }, act),
      );

      const winners = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : second).write(() => consumeLoginCode("k", 1500)),
        ),
      );

      assert.deepEqual(
        winners.filter((winner) => winner !== undefined),
        ["fay"],
      );
      assert.equal(await store.write(() => consumeLoginCode("old", 2000)), undefined);
      assert.equal(await store.write(() => consumeLoginCode("unknown", 1500)), undefined);
      await second.close();
    });

    test("a request with a key happens once, answers again, and refuses another request", async () => {
      const request = { principal: "ann", route: "POST /x", key: "k", requestHash: "r", owner: "" };
      const begin = (owner: string, now: number, more: object = {}) =>
        store.write(() =>
          beginIdempotent({ ...request, owner, ...more }, { now, until: now + 100 }),
        );

      const starts = await Promise.all(Array.from({ length: 10 }, (_, i) => begin(`o${i}`, 5)));

      assert.equal(starts.filter(({ kind }) => kind === "new").length, 1);
      assert.equal(starts.filter(({ kind }) => kind === "running").length, 9);
      const owner = `o${starts.findIndex(({ kind }) => kind === "new")}`;
      const answer = { statusCode: 201, response: "{}" };
      await store.write(() => finishIdempotent({ ...request, owner }, answer, 6));
      assert.deepEqual(await begin("later", 7), { kind: "done", ...answer });
      await assert.rejects(begin("later", 8, { requestHash: "other" }), {
        code: "idempotency_key_reused",
      });
      await store.write(() => releaseIdempotent({ ...request, owner }));
      assert.equal((await begin("later", 9)).kind, "done");
      const other = { principal: "bea" };
      await begin("first", 10, other);
      await store.write(() => releaseIdempotent({ ...request, ...other, owner: "first" }));
      assert.equal((await begin("second", 11, other)).kind, "new");
    });

    test("a key passes on when its owner's time is over, and takes the old owner's work with it", async () => {
      const request = { principal: "cid", route: "POST /x", key: "k", requestHash: "r" };
      const begin = (owner: string, now: number) =>
        store.write(() => beginIdempotent({ ...request, owner }, { now, until: now + 100 }));
      const ownedBy = (owner: string) => ({ ...request, owner });
      await begin("first", 1000);

      await store.write(() => renewIdempotent(ownedBy("first"), 1200));
      assert.deepEqual(await begin("second", 1150), { kind: "running", since: 1000, until: 1200 });
      const takers = await Promise.all([begin("second", 1200), begin("third", 1200)]);

      assert.deepEqual(takers.map(({ kind }) => kind).toSorted(), ["new", "running"]);
      const winner = takers[0]?.kind === "new" ? "second" : "third";
      await assert.rejects(
        store.write(() => noteEffect(ownedBy("first"), undefined, 1201)),
        { code: "idempotency_key_lost" },
      );
      assert.equal(await store.write(() => renewIdempotent(ownedBy("first"), 9000)), false);
      const answer = { statusCode: 200, response: "first" };
      await store.write(() => finishIdempotent(ownedBy("first"), answer, 1202));
      await store.write(() => noteEffect(ownedBy(winner), undefined, 1203));
      await store.write(() => expireIdempotent());
      assert.deepEqual(await begin("fourth", 1204), { kind: "unanswered", since: 1000 });
    });

    test("a setting is put, versioned, listed and deleted in its own scope", async () => {
      const workspace = { scope: "workspace" } as const;
      const mine = { scope: "user", userId: "ann" } as const;

      await store.write(() => putSetting(workspace, { key: "theme", value: { dark: true } }, act));
      await store.write(() => putSetting(mine, { key: "theme", value: "light" }, act));
      await assert.rejects(
        store.write(() =>
          putSetting(workspace, { key: "theme", value: 1, expectedVersion: 0 }, act),
        ),
        { code: "version_conflict" },
      );

      assert.deepEqual((await store.read(() => findSetting(workspace, "theme")))?.value, {
        dark: true,
      });
      assert.deepEqual(
        (await store.read(() => listSettings(mine))).map(({ key, value }) => [key, value]),
        [["theme", "light"]],
      );
      assert.equal(await store.write(() => deleteSetting(mine, "theme", act)), true);
      assert.equal(await store.write(() => deleteSetting(mine, "theme", act)), false);
    });

    test("nothing changed means no event, and text that no database can hold is made safe", async () => {
      const odd = await add("odd", { agentPrompt: "a\0b\uD800c" });
      const before = await listAllEvents(store);

      const same = await store.write(() => updateUser("odd", { displayName: "odd" }, act));
      const after = await listAllEvents(store);

      assert.equal(odd.agentPrompt, "a\uFFFDb\uFFFDc");
      assert.deepEqual(await store.read(() => getUser("odd")), odd);
      assert.deepEqual(same, odd);
      assert.equal(after.length, before.length);
    });

    test("a deleted user takes tokens and logins along", async () => {
      await store.write(() => deleteUser("dan", act));

      assert.equal(await store.read(() => findTokenByHash("h1")), undefined);
      assert.equal(
        (await store.read(() => query(db.selectFrom("user").select("id").where("id", "=", "dan"))))
          .length,
        0,
      );
    });

    test("closing", remove);
  });
}
