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
