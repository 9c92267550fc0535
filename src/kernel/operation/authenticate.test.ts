import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import * as fc from "fast-check";
import {
  emailOf,
  manualClock,
  type ScratchKernel,
  scratchKernel,
} from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../base/errors.ts";
import { executeSql, runSql } from "../store/database-work.ts";
import { revokeLogin } from "../store/logins.ts";
import { sqlText } from "../store/sql-text.ts";
import type { Dialect } from "../store/store.ts";
import { revokeToken } from "../store/tokens.ts";
import { insertUser, updateUser } from "../store/users.ts";
import { isApiToken, mintApiToken } from "./api-token.ts";
import { authenticateLogin, authenticateToken, LOGIN_IDLE_MS } from "./authenticate.ts";
import { isAllowed } from "./authorise.ts";
import { issueToken, TOKEN_MS } from "./issue-token.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import {
  acceptInvitation,
  changePassword,
  createLoginCode,
  exchangeLoginCode,
  inviteAgain,
  inviteUser,
  LOGIN_CODE_MS,
  LOGIN_MS,
  loginWithPassword,
} from "./start-login.ts";
import { createThrottle, type Throttle } from "./throttle.ts";

let clock: ReturnType<typeof manualClock>;
let kernel: ScratchKernel;
let throttle: Throttle;
const act = () => ({ actor: "admin", now: clock.now() });
const from = { address: "127.0.0.1" };

async function open(dialect: Dialect): Promise<void> {
  clock = manualClock();
  kernel = await scratchKernel({ clock, dialect });
  throttle = createThrottle(clock);
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`API tokens on ${dialect}`, () => {
    beforeEach(() => open(dialect));
    afterEach(() => kernel.remove());

    test("any token is recognised, and no token with one letter changed is", () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ minLength: 32, maxLength: 32 }),
          fc.nat(51),
          fc.constantFrom("0", "9", "A", "Z", "a", "z", "_", "-"),
          (bytes, at, letter) => {
            const token = mintApiToken(() => bytes);
            assert.ok(isApiToken(token));
            const other = token.slice(0, at) + letter + token.slice(at + 1);
            assert.equal(isApiToken(other), other === token);
          },
        ),
      );
    });

    test("a token stands for its owner; only its hash is stored", async () => {
      const { text, token } = await issueToken(kernel, {
        userId: "operator",
        name: "ci",
        actor: "admin",
      });

      const { caller, credential } = await authenticateToken(kernel, text);

      assert.deepEqual(caller, {
        userId: "operator",
        name: "operator",
        role: "operator",
        isAgent: false,
        scopes: undefined,
      });
      assert.deepEqual(credential, { kind: "token", id: token.id });
      assert.ok(!JSON.stringify(await dump()).includes(text));
    });

    test("revoking, expiry and deactivation take effect with the next request", async () => {
      const request = { userId: "operator", name: "ci", actor: "admin" };
      const revoked = await issueToken(kernel, request);
      const expiring = await issueToken(kernel, request);
      const forever = await issueToken(kernel, { ...request, expiresAt: null });

      await kernel.store.write(() => revokeToken(revoked.token.id, act()));
      await refused(authenticateToken(kernel, revoked.text), "token_revoked");
      clock.advance(TOKEN_MS);
      await refused(authenticateToken(kernel, expiring.text), "token_expired");
      await authenticateToken(kernel, forever.text);
      await kernel.store.write(() => updateUser("operator", { isActive: false }, act()));
      await refused(authenticateToken(kernel, forever.text), "token_revoked");
      await refused(authenticateToken(kernel, mintApiToken(kernel.random)), "token_unknown");
      await refused(authenticateToken(kernel, "tl_nonsense"), "token_invalid");
    });

    test("an account that is not active lets nobody in, although the token was never revoked", async () => {
      const { text } = await issueToken(kernel, { userId: "operator", name: "ci", actor: "admin" });
      await kernel.store.write(() =>
        executeSql(sqlText(`update "user" set is_active = ? where id = 'operator'`), [0]),
      );

      await refused(authenticateToken(kernel, text), "user_inactive");
    });

    test("is never made to be over before it begins", async () => {
      const until = (expiresAt: number) =>
        issueToken(kernel, { userId: "operator", name: "ci", actor: "admin", expiresAt });

      await assert.rejects(until(clock.now()), { code: "token_already_expired" });
      const { text } = await until(clock.now() + 1);
      await authenticateToken(kernel, text);
    });

    test("scopes never reach beyond the owner's role at the time of use", async () => {
      const { text } = await issueToken(kernel, {
        userId: "operator",
        name: "ci",
        scopes: ["read", "run"],
        actor: "admin",
      });
      await kernel.store.write(() => updateUser("operator", { role: "viewer" }, act()));

      const { caller } = await authenticateToken(kernel, text);

      assert.equal(isAllowed(caller, "read"), true);
      assert.equal(isAllowed(caller, "run"), false);
      await assert.rejects(
        issueToken(kernel, { userId: "viewer", name: "x", scopes: ["administer"], actor: "admin" }),
        { code: "scope_beyond_role" },
      );
    });
  });

  describe(`logins on ${dialect}`, () => {
    beforeEach(() => open(dialect));
    afterEach(() => kernel.remove());

    test("a code works once and for ten minutes; both halves of the login are needed", async () => {
      const code = await createLoginCode(kernel, { userId: "operator", actor: "admin" });
      const late = await createLoginCode(kernel, { userId: "operator", actor: "admin" });

      const { cookie, secret } = await exchangeLoginCode(kernel, throttle, { code, ...from });

      assert.equal((await authenticateLogin(kernel, { cookie, secret })).caller.userId, "operator");
      await refused(authenticateLogin(kernel, { cookie, secret: undefined }), "login_unknown");
      await refused(authenticateLogin(kernel, { cookie, secret: cookie }), "login_unknown");
      await refused(authenticateLogin(kernel, { cookie: secret, secret }), "login_unknown");
      await refused(exchangeLoginCode(kernel, throttle, { code, ...from }), "login_code_invalid");
      clock.advance(LOGIN_CODE_MS);
      await refused(
        exchangeLoginCode(kernel, throttle, { code: late, ...from }),
        "login_code_invalid",
      );
      const text = JSON.stringify(await dump());
      assert.ok(![code, late, cookie, secret].some((word) => text.includes(word)));
    });

    test("of many who bring the same code at once, one comes in", async () => {
      const code = await createLoginCode(kernel, { userId: "operator", actor: "admin" });

      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, () => exchangeLoginCode(kernel, throttle, { code, ...from })),
      );

      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    });

    test("ends when unused, when old, when revoked, when the role changes", async () => {
      const enter = async (userId: string) => {
        const code = await createLoginCode(kernel, { userId, actor: "admin" });
        return exchangeLoginCode(kernel, throttle, { code, ...from });
      };
      const idle = await enter("operator");
      clock.advance(LOGIN_IDLE_MS);
      await refused(authenticateLogin(kernel, idle), "login_ended");

      const old = await enter("operator");
      for (let age = 0; age < LOGIN_MS - LOGIN_IDLE_MS / 2; age += LOGIN_IDLE_MS / 2) {
        clock.advance(LOGIN_IDLE_MS / 2);
        await authenticateLogin(kernel, old);
      }
      clock.advance(LOGIN_IDLE_MS / 2);
      await refused(authenticateLogin(kernel, old), "login_ended");

      const revoked = await enter("operator");
      await kernel.store.write(() => revokeLogin(revoked.loginId, act()));
      await refused(authenticateLogin(kernel, revoked), "login_ended");

      const demoted = await enter("operator");
      await kernel.store.write(() => updateUser("operator", { role: "viewer" }, act()));
      await refused(authenticateLogin(kernel, demoted), "login_ended");
    });

    test("a code to come in with is no invitation, and stays good", async () => {
      const code = await createLoginCode(kernel, { userId: "operator", actor: "admin" });
      const password = "correct horse battery";

      await refused(
        acceptInvitation(kernel, throttle, { code, password, ...from }),
        "login_code_invalid",
      );
      await exchangeLoginCode(kernel, throttle, { code, ...from });
    });

    test("an invited person chooses a password, comes in with it, and changes it", async () => {
      const person = { email: "Ann@example.org", displayName: "Ann", role: "reviewer" as const };
      const { code, user } = await inviteUser(kernel, person, "admin");
      await refused(exchangeLoginCode(kernel, throttle, { code, ...from }), "login_code_invalid");

      const password = "correct horse battery";
      const first = await acceptInvitation(kernel, throttle, { code, password, ...from });
      const second = await loginWithPassword(kernel, throttle, {
        email: "ann@EXAMPLE.org",
        password,
        ...from,
      });
      await authenticateLogin(kernel, first);
      await authenticateLogin(kernel, second);
      await refused(
        acceptInvitation(kernel, throttle, { code, password, ...from }),
        "login_code_invalid",
      );

      await changePassword(kernel, throttle, {
        userId: user.id,
        current: password,
        next: "another long phrase",
      });
      await refused(authenticateLogin(kernel, second), "login_ended");
      await refused(
        loginWithPassword(kernel, throttle, { email: person.email, password, ...from }),
        "password_wrong",
      );
    });

    test("a password is good until it is changed, however old; one that is forgotten is replaced by a new invitation", async () => {
      const person = { email: "old@example.org", displayName: "Olda", role: "reviewer" as const };
      const { code, user } = await inviteUser(kernel, person, "admin");
      const [forgotten, next] = ["correct horse battery", "eleven loud herons"];
      await acceptInvitation(kernel, throttle, { code, password: forgotten, ...from });
      clock.advance(5 * 365 * 24 * 60 * 60_000);
      const enter = (password: string) =>
        loginWithPassword(kernel, throttle, { email: person.email, password, ...from });
      const open = await enter(forgotten);

      const again = await inviteAgain(kernel, user.id, "admin");
      await authenticateLogin(kernel, open);
      await acceptInvitation(kernel, throttle, { code: again.code, password: next, ...from });
      await refused(authenticateLogin(kernel, open), "login_ended");
      await refused(enter(forgotten), "password_wrong");
      await enter(next);
      await refused(
        acceptInvitation(kernel, throttle, { code: again.code, password: forgotten, ...from }),
        "login_code_invalid",
      );
    });

    test("says the same for an unknown person as for a wrong password, and slows guessing down", async () => {
      const guess = (email: string) =>
        loginWithPassword(kernel, throttle, { email, password: "guess guess", ...from });

      for (let i = 0; i < 5; i += 1) {
        await refused(guess(i % 2 ? "nobody@example.org" : emailOf("admin")), "password_wrong");
      }

      const error = await failure(guess("someone-else@example.org"));
      assert.deepEqual([error.code, error.kind], ["attempts_too_many", "limit"]);
      clock.advance(1001);
      await refused(guess(emailOf("admin")), "password_wrong");
      clock.advance(1001);
      assert.equal((await failure(guess(emailOf("admin")))).code, "attempts_too_many");
    });

    test("agents and inactive people do not come in", async () => {
      await kernel.store.write(() =>
        insertUser({ id: "bot", displayName: "Bot", role: "operator", isAgent: true }, act()),
      );
      const code = await createLoginCode(kernel, { userId: "bot", actor: "admin" });
      assert.equal(
        (await failure(exchangeLoginCode(kernel, throttle, { code, ...from }))).code,
        "agent_login",
      );

      const other = await createLoginCode(kernel, { userId: "viewer", actor: "admin" });
      await kernel.store.write(() => updateUser("viewer", { isActive: false }, act()));
      await refused(
        exchangeLoginCode(kernel, throttle, { code: other, ...from }),
        "login_code_invalid",
      );
    });

    test("refuses passwords that are short or among the first tried", async () => {
      for (const password of [
        "short",
        "Password123!",
        "12345678",
        "qwertyuiop",
        "aaaaaaaaaaaa",
        "x".repeat(129),
      ]) {
        const attempt = acceptInvitation(kernel, throttle, { code: "invite_x", password, ...from });
        assert.match((await failure(attempt)).code, /^password_(length|common)$/);
      }
    });

    test("refuses a password made of the person's own name, address or the program's, and the invitation stays good", async () => {
      const person = { email: "mara.lind@tidepool.example", displayName: "Mara Lindqvist" };
      const { code, user } = await inviteUser(kernel, { ...person, role: "reviewer" }, "admin");
      const choose = (password: string) =>
        acceptInvitation(kernel, throttle, { code, password, ...from });
      for (const password of ["Mara-Lindqvist-7", "tidepool2026", "Throughline!1", "LINDmara99"])
        assert.equal((await failure(choose(password))).code, "password_personal", password);
      const password = "mara counts slow kites";
      await choose(password);
      const change = { userId: user.id, current: password, next: "workspace1234" };
      assert.equal(
        (await failure(changePassword(kernel, throttle, change))).code,
        "password_personal",
      );
    });
  });
}

describe("a store that cannot be written", () => {
  beforeEach(() => open("sqlite"));
  afterEach(() => kernel.remove());

  test("lets in whoever has a token or a login; any other trouble with it is told", async () => {
    const { text } = await issueToken(kernel, { userId: "operator", name: "ci", actor: "admin" });
    const code = await createLoginCode(kernel, { userId: "operator", actor: "admin" });
    const login = await exchangeLoginCode(kernel, throttle, { code, ...from });
    const trouble = (how: string) => kernel.store.write(() => executeSql(sqlText(how), []));
    clock.advance(LOGIN_IDLE_MS - 1);

    await trouble("create trigger no before update on token begin select raise(abort, 'no'); end");
    await assert.rejects(authenticateToken(kernel, text), /no/);
    await trouble("pragma query_only = on");
    assert.equal((await authenticateToken(kernel, text)).caller.userId, "operator");
    assert.equal((await authenticateLogin(kernel, login)).caller.userId, "operator");
  });
});

describe("passwords", () => {
  test("verify against their own hash only, also many at once", async () => {
    const hash = await hashPassword("correct horse", (count) => new Uint8Array(count));

    const verdicts = await Promise.all([
      verifyPassword("correct horse", hash),
      verifyPassword("correct horse ", hash),
      verifyPassword("", hash),
      verifyPassword("correct horse", undefined),
      verifyPassword("correct horse", "$argon2id$broken"),
    ]);

    assert.deepEqual(verdicts, [true, false, false, false, false]);
    assert.match(hash, /^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
  });
});

/** Every row of every table a secret could have slipped into. */
async function dump(): Promise<unknown> {
  return kernel.store.read(function* () {
    const rows: unknown[] = [];
    for (const table of ['"user"', "token", "login", "login_code", "event"]) {
      rows.push(yield* runSql(sqlText(`select * from ${table}`), []));
    }
    return rows;
  });
}

async function refused(attempt: Promise<unknown>, code: string): Promise<void> {
  const error = await failure(attempt);
  assert.deepEqual([error.code, error.kind], [code, "unauthenticated"]);
}

async function failure(attempt: Promise<unknown>): Promise<ProductError> {
  const error = await attempt.then(
    () => assert.fail("it should have failed"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProductError, String(error));
  return error;
}
