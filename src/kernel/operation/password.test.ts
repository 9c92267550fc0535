import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkNewPassword, checkPasswordOwner, hashPassword, verifyPassword } from "./password.ts";

const HINT = "A few unrelated words are easy to keep and hard to guess.";
const salted = (byte: number) => (count: number) => new Uint8Array(count).fill(byte);

describe("a new password", () => {
  test("has eight to 128 characters, however many bytes each takes", async () => {
    const length = {
      code: "password_length",
      message: "A password has 8 to 128 characters.",
      hint: HINT,
    };

    for (const password of [
      "1.2a3b4c",
      "🐢🦊🐍🦉🐝🐌🦔🐙",
      "xy1".repeat(42),
      `${"xy1".repeat(42)}ab`,
    ])
      await checkNewPassword(password);
    for (const password of ["", "1.2a3b4", "🐢🦊🐍🦉", `${"xy1".repeat(42)}abc`])
      await assert.rejects(checkNewPassword(password), length, password);
  });

  test("is none of those that are tried first, whatever decorates them", async () => {
    const common = {
      code: "password_common",
      message: "This password is among the first that are tried.",
      hint: HINT,
    };

    for (const password of [
      "password",
      "P4SSWORD".replace("4", "@"),
      "passw0rd",
      "!!Passw0rd_2024",
      "123letmein!",
      "aaaaaaaa",
      "abababab",
      "12345678",
      "87654321",
      "qwertyui",
      "iuytrewq",
      "lkjhgfdsa",
      "abcdefgh",
      "ABCDEFGH",
    ])
      await assert.rejects(checkNewPassword(password), common, password);
    for (const password of ["abcabcabd", "correct horse", "1234567890xyw", "password horse"])
      await checkNewPassword(password);
  });

  test("is none of the 10,000 that are most often stolen, in any case, and may else be of any kind", async () => {
    const seldom = ["corvette", "mercedes", "steelers", "1qaz2wsx", "q1w2e3r4t5", "dalmatio"];
    for (const password of [...seldom, ...seldom.map((each) => each.toUpperCase())])
      await assert.rejects(checkNewPassword(password), { code: "password_common" }, password);
    for (const password of [
      "only small letters",
      "74092215883016",
      "ЁЛКИ-ПАЛКИ-1",
      "🙂🙃🙂🙃 hats ahoy",
      "x y".repeat(42),
    ])
      await checkNewPassword(password);
  });
});

describe("a new password and its owner", () => {
  const owner = { displayName: "Bea de Vries-Hülsmann", email: "bea.dv@mill.example" };

  test("what is known of the owner, and the program's name, do not count towards its length", () => {
    for (const password of [
      "bea12345",
      "HÜLSMANN-1",
      "millmill",
      "xvriesx1234",
      "throughline7",
      "My workspace",
      "beabeabeabeabeabea1",
    ])
      assert.throws(
        () => checkPasswordOwner(password, owner),
        {
          code: "password_personal",
          message:
            "Without your name, your address and the program's name fewer than 8 characters are left.",
          hint: HINT,
        },
        password,
      );
  });

  test("what is left of it may be enough, and words of one or two letters are nobody's name", () => {
    for (const password of ["bea and 8 more", "bea12345678", "dededede", "dv4dv4dv4"])
      checkPasswordOwner(password, owner);
    for (const email of [undefined, ""])
      checkPasswordOwner("millmill", { displayName: owner.displayName, email });
  });

  test("a name is taken out whole before a shorter one that is part of it", () => {
    const named = { displayName: "Ann Annabelle", email: undefined };

    checkPasswordOwner("Annabelle+1234567", { displayName: "Ann", email: undefined });
    assert.throws(() => checkPasswordOwner("Annabelle+123456", named), {
      code: "password_personal",
    });
  });
});

describe("a stored password", () => {
  test("is salted: the same one twice is two hashes, and both know it", async () => {
    const [one, two] = await Promise.all([
      hashPassword("correct horse", salted(1)),
      hashPassword("correct horse", salted(2)),
    ]);

    assert.notEqual(one, two);
    assert.deepEqual(
      await Promise.all([one, two].map((hash) => verifyPassword("correct horse", hash))),
      [true, true],
    );
    assert.match(one, /^\$argon2id\$v=19\$m=47104,t=1,p=1\$AQEBAQEBAQEBAQEBAQEBAQ\$[\w+/]{43}$/);
  });

  test("counts as it was typed: case, blanks, its end however long, and letters that look alike", async () => {
    const typed = "  Caf\u00e9 \ufb01sh ".padEnd(128, "z");
    const hash = await hashPassword(typed, (count) => new Uint8Array(count));
    const others = [
      typed.trim(),
      typed.toLowerCase(),
      typed.slice(0, 127),
      typed.normalize("NFKC"),
    ];

    assert.equal(await verifyPassword(typed, hash), true);
    for (const other of others) assert.equal(await verifyPassword(other, hash), false, other);
  });

  test("with other costs is known by them, and what is no hash knows nothing", async () => {
    const hash = await hashPassword("correct horse", salted(1));
    const told = (from: string, to: string) =>
      verifyPassword("correct horse", hash.replace(from, to));

    assert.deepEqual(
      await Promise.all([
        told("m=47104", "m=47105"),
        told("t=1", "t=2"),
        told("$argon2id", "argon2id"),
        told("$argon2id", "x$argon2id"),
        told("m=47104", "m=x"),
        verifyPassword("correct horse", `${hash}=`),
      ]),
      [false, false, false, false, false, false],
    );
  });

  test("of nobody fits nothing, not even the hash that stands in for it", async () => {
    assert.equal(await verifyPassword("", undefined), false);
  });
});

test("of a flood of sign-ins two are worked on, fifty wait in order, and the rest are told to come back", async () => {
  const hash = await hashPassword("correct horse", salted(1));
  const order: number[] = [];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 54 }, async (_, n) => {
      const verdict = await verifyPassword("correct horse", hash);
      order.push(n);
      return verdict;
    }),
  );

  const refused = outcomes.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 2);
  for (const outcome of refused) {
    const { code, kind, message, hint } = (outcome as PromiseRejectedResult).reason;
    assert.deepEqual(
      [code, kind, message, hint],
      [
        "logins_too_many",
        "limit",
        "Too many people are signing in at once.",
        "Try again in a few seconds.",
      ],
    );
  }
  assert.ok(outcomes.slice(0, 52).every(({ status }) => status === "fulfilled"));
  // Two at a time: nobody is more than one place early. The other of the two may be late, however long it takes.
  assert.deepEqual(
    order.filter((n, place) => n > place + 1),
    [],
  );
  assert.ok(await verifyPassword("correct horse", hash), "and afterwards all is as before");
});
