import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { findSecrets, redactSecrets } from "./find-secrets.ts";

const LETTERS = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j";
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${`${LETTERS}+/\n`.repeat(6)}-----END RSA PRIVATE KEY-----`;
const JWT = `eyJ${LETTERS}.eyJ${LETTERS}.${LETTERS}`;

const SECRETS: readonly (readonly [string, string])[] = [
  ["ANTHROPIC_KEY", `sk-ant-api03-${LETTERS}`],
  ["OPENAI_KEY", `sk-proj-${LETTERS}`],
  ["API_KEY", `sk-${LETTERS}`],
  ["STRIPE_KEY", `sk_live_${LETTERS}`],
  ["GITHUB_TOKEN", `ghp_${LETTERS}`],
  ["GITHUB_TOKEN", `gho_${LETTERS}`],
  ["GITHUB_TOKEN", `ghs_${LETTERS}`],
  ["GITHUB_TOKEN", `github_pat_${LETTERS}`],
  ["GITLAB_TOKEN", `glpat-${LETTERS}`],
  ["AWS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"],
  ["AWS_KEY_ID", "ASIAIOSFODNN7EXAMPLE"],
  ["GOOGLE_KEY", `AIza${LETTERS.slice(0, 35)}`],
  ["SLACK_TOKEN", "xoxb-123456789012-abcdefghijkl"],
  ["JWT", JWT],
  ["PRIVATE_KEY", PEM],
];

for (const [label, secret] of SECRETS) {
  test(`${label} ${secret.slice(0, 12)}… is replaced wherever it stands`, () => {
    assert.equal(redactSecrets(secret), `[REDACTED:${label}]`);
    assert.equal(redactSecrets(`Use ${secret}, then go.`), `Use [REDACTED:${label}], then go.`);
  });
}

const SHORTEST: readonly (readonly [string, number])[] = [
  ["sk-ant-", 16],
  ["sk-proj-", 16],
  ["sk-svcacct-", 16],
  ["sk-admin-", 16],
  ["sk-", 20],
  ["sk-or-v1-", 20],
  ["sk-live-", 20],
  ["rk_test_", 16],
  ["ghu_", 20],
  ["ghr_", 20],
  ["github_pat_", 20],
  ["glpat-", 20],
  ["AIza", 35],
  ["xoxa-", 10],
  ["xoxs-", 10],
  ["Bearer ", 20],
  ["bearer   ", 20],
];

test("a token is one from its shortest length on, and takes what goes on without a break with it", () => {
  for (const [prefix, length] of SHORTEST) {
    const shortest = prefix + "aZ9".repeat(20).slice(0, length);
    const hides = (text: string) => {
      const shown = redactSecrets(text);
      return shown.startsWith("[REDACTED:") || shown.startsWith(`${prefix}[REDACTED:`);
    };

    assert.ok(hides(shortest), shortest);
    assert.ok(!hides(shortest.slice(0, -1)), shortest.slice(0, -1));
    assert.match(redactSecrets(`${shortest}.more-of_it.2 and. `), /\] and\. $/);
    assert.match(redactSecrets(`${shortest}. `), /\]\.? $/);
  }
  const aws = "AKIA0123456789ABCDEF";
  assert.equal(redactSecrets(aws.slice(0, -1)), aws.slice(0, -1));
  for (const jwt of ["eyJ12345678.eyJ12345678.12345678", "eyJ1234567.eyJ12345678.12345678"])
    assert.equal(redactSecrets(jwt).startsWith("[REDACTED"), jwt.length === 32, jwt);
});

test("a token does not begin in the middle of a word where words may look like it", () => {
  for (const prefix of ["sk-proj-", "sk-", "sk_live_", "ASIA"]) {
    const token = prefix + "0A1B2C3D4E5F6G7H8I9J".slice(0, prefix === "ASIA" ? 16 : 20);
    for (const before of ["x", "Z", "7"])
      assert.equal(redactSecrets(before + token), before + token);
    for (const before of ["", "_", ".", "é"])
      assert.match(redactSecrets(before + token), /\[REDACTED:[A-Z_]+\]$/, before + token);
  }
});

test("two credentials with the same beginning are both found", () => {
  const [one, other] = [`ghp_${LETTERS}`, `ghp_${LETTERS.toLowerCase()}`];

  assert.equal(
    redactSecrets(`${one} ${other} ${one}`),
    "[REDACTED:GITHUB_TOKEN] [REDACTED:GITHUB_TOKEN] [REDACTED:GITHUB_TOKEN]",
  );
  assert.equal(
    redactSecrets(`${PEM}\nand\n${PEM}\nend`),
    "[REDACTED:PRIVATE_KEY]\nand\n[REDACTED:PRIVATE_KEY]\nend",
  );
});

test("of an assignment the value has a shortest length, too, whatever its quotes and letters", () => {
  const cases = [
    ["passwort=", "abcd", ""],
    ["PWD=", "abcd", ""],
    ["Passwd=", "abcd", ""],
    ["client_secret=", "0123456789ab", ""],
    ["TOKEN=", "0123456789ab", ""],
    ["access_key=", "0123456789ab", ""],
    ["password: '", "abcd", "'"],
    ['"api-key" : "', "abcd", '"'],
    ['apikey="', "abcd", '"'],
    ['"TOKEN":"', "abcd", '"'],
    ["db://u:", "abc", "@h"],
  ] as const;
  for (const [before, value, after] of cases) {
    assert.match(
      redactSecrets(before + value + after).slice(before.length),
      /^\[REDACTED:[A-Z_]+\]/,
      before,
    );
    const short = before + value.slice(1) + after;
    assert.equal(redactSecrets(short), short);
  }
  for (const kept of ["password=/etc/passwd", "password=$PASS1", "token=<yours-and-mine>"])
    assert.equal(redactSecrets(kept), kept);
});

test("of an assignment only the value goes", () => {
  assert.equal(redactSecrets("password=hunter22"), "password=[REDACTED:PASSWORD]");
  assert.equal(redactSecrets("DB_PASSWORD=pa55word&x=1"), "DB_PASSWORD=[REDACTED:PASSWORD]&x=1");
  assert.equal(redactSecrets('{"password": "hunter22"}'), '{"password": "[REDACTED:CREDENTIAL]"}');
  assert.equal(redactSecrets("api_key=0123456789abcdef"), "api_key=[REDACTED:CREDENTIAL]");
  assert.equal(
    redactSecrets("postgres://bea:s3same@db/x"),
    "postgres://bea:[REDACTED:URL_PASSWORD]@db/x",
  );
  assert.equal(
    redactSecrets(`Authorization: Bearer ${LETTERS}`),
    "Authorization: Bearer [REDACTED:BEARER_TOKEN]",
  );
});

test("a private key that was cut off is still found", () => {
  assert.equal(redactSecrets(PEM.slice(0, 120)), "[REDACTED:PRIVATE_KEY]");
  assert.equal(
    redactSecrets(`See ${PEM.slice(0, 120)}\n(the rest is lost)`),
    "See [REDACTED:PRIVATE_KEY]\n(the rest is lost)",
  );
  assert.equal(redactSecrets(`${PEM.slice(0, -5)} and on`), "[REDACTED:PRIVATE_KEY]");
});

test("ordinary writing, hashes, ids and placeholders stay as they are", () => {
  const ordinary = [
    "task-force sk-eleton risk-averse-approach-to-everything-we-do",
    "e41b0f07a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c",
    "0197f3a2-7c1e-7b3a-9d2f-0123456789ab",
    "password=${PASSWORD} password=<yours> max_token=4096 PWD=/work/main",
    '{"password": "string"} const token = readToken();',
    "see https://example.com:8080/a@b and mailto:bea@example.com",
    "-----BEGIN CERTIFICATE-----",
  ];

  for (const text of ordinary) assert.equal(redactSecrets(text), text);
});

test("redacting twice changes nothing more, and spans are in order without overlap", () => {
  const bits = fc.oneof(
    fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
    fc.constantFrom(
      " ",
      "\n",
      "password=",
      "Bearer ",
      "://a:",
      "@",
      '"',
      "token",
      "x",
      "-----BEGIN ",
    ),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 12 }), (words) => {
      const text = words.join("");

      const found = findSecrets(text);

      const order = found.flatMap(({ start, end }) => [start, end]);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
      const once = redactSecrets(text);
      assert.equal(redactSecrets(once), once);
    }),
    { numRuns: 1000 },
  );
});

test("time grows with the text, not with its square", () => {
  const hostile = [
    "-----BEGIN PRIVATE KEY-----",
    "eyJaaaaaaaaa.",
    "password=",
    "://a:",
    "sk-",
    "xoxb-",
  ];
  for (const bit of hostile) {
    const text = bit.repeat(Math.ceil(400_000 / bit.length));

    const started = performance.now();
    findSecrets(text);

    assert.ok(performance.now() - started < 2000, bit);
  }
});
