/**
 * Every use of cryptography in the source: which file, which algorithm, for what. The list is held against the source,
 * so that nothing is added or changed without standing here; docs/safeguards.md tells the same to people.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { mintApiToken } from "../../src/kernel/operation/api-token.ts";
import { mintSecret } from "../../src/kernel/operation/secret-text.ts";

const root = path.join(import.meta.dirname, "..", "..");

interface Use {
  /** What is taken of Node's cryptography. */
  readonly takes: readonly string[];
  /** The algorithms it names. */
  readonly names: readonly string[];
  readonly what: string;
}

const USES: Readonly<Record<string, Use>> = {
  "src/kernel/base/hash.ts": {
    takes: ["hash"],
    names: ["sha256"],
    what: "contents, rows, the log, and secrets as they are kept",
  },
  "src/kernel/store/content-digest.ts": {
    takes: ["hash"],
    names: ["sha256"],
    what: "the whole store as one number",
  },
  "src/kernel/store/backup-files.ts": {
    takes: ["createHash"],
    names: ["sha256"],
    what: "the bytes of backups",
  },
  "src/kernel/base/ids.ts": { takes: ["randomBytes"], names: [], what: "ids" },
  "src/kernel/operation/secret-text.ts": {
    takes: ["timingSafeEqual"],
    names: [],
    what: "secrets compared",
  },
  "src/kernel/operation/password.ts": {
    takes: ["argon2", "timingSafeEqual"],
    names: ["argon2id"],
    what: "passwords",
  },
  "src/kernel/operation/common-passwords.ts": {
    takes: ["hash"],
    names: ["sha256"],
    what: "the list of stolen passwords",
  },
  "src/methods/continuity/import/source-file.ts": {
    takes: ["createHash"],
    names: ["sha256"],
    what: "files that are imported, to know them again",
  },
  "src/methods/dialectic/operations/file-operations.ts": {
    takes: ["createHash"],
    names: ["sha256"],
    what: "the list of exported files",
  },
  "src/methods/pipeline/starters/webhook-secrets.ts": {
    takes: ["createHmac"],
    names: ["sha256"],
    what: "secrets of webhooks, made of the key",
  },
  "src/methods/pipeline/starters/webhook-signature.ts": {
    takes: ["createHmac", "timingSafeEqual"],
    names: ["sha256"],
    what: "messages that come in",
  },
  "src/methods/notice/sign-message.ts": {
    takes: ["createHmac"],
    names: ["sha256"],
    what: "messages that go out, and their secrets",
  },
  "src/adapters/git/git-commits.ts": {
    takes: ["createHash"],
    names: ["sha1"],
    what: "names of commits, which git makes so; protects nothing",
  },
  "src/app/open-workspace.ts": {
    takes: ["randomBytes"],
    names: [],
    what: "the chance that tokens, logins and codes are made of",
  },
  "src/app/webhook-key.ts": { takes: ["randomBytes"], names: [], what: "the key of webhooks" },
  "src/app/serve.ts": { takes: ["hash"], names: ["sha256"], what: "the name of the cookie" },
  "src/app/run-engine.ts": {
    takes: ["Math.random"],
    names: [],
    what: "how long a retry waits: no harm if somebody guesses it",
  },
  "src/app/command-line.ts": { takes: ["randomBytes"], names: [], what: "keys of requests" },
  "src/app/mcp-host.ts": { takes: ["randomBytes"], names: [], what: "keys of requests" },
  "src/app/open-vcs.ts": { takes: ["randomBytes"], names: [], what: "ids of changes" },
};

/** Also what would be a lapse: ciphers, key pairs, weak hashes, chance that can be guessed. */
const ALGORITHM =
  /["'`](sha-?\d+(?:-\d+)?|md[245]|ripemd\w*|argon2\w*|scrypt|pbkdf2|bcrypt|aes[\w-]*|3?des(?:-[\w-]+)?|rc4|rsa[\w-]*|ed25519)["'`]/gi;

interface Found {
  readonly takes: readonly string[];
  readonly names: readonly string[];
}

function usesIn(code: string): Found | undefined {
  const taken = [...code.matchAll(/import \{([^}]*)\} from "(?:node:)?crypto"/g)];
  const other = /["'](?:node:)?crypto["']|\bcrypto\.\w+|\bMath\.random\b/.exec(
    code.replaceAll(/import \{[^}]*\} from "node:crypto"/g, ""),
  );
  const names = [...new Set([...code.matchAll(ALGORITHM)].map(([, name = ""]) => name))];
  if (taken.length === 0 && other === null && names.length === 0) return undefined;
  const takes = taken.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
  return { takes: [...takes, ...(other ?? [])].toSorted(), names: names.toSorted() };
}

describe("cryptography", () => {
  test("every use of cryptography in the source is on the list, with its algorithm", (t) => {
    const files = globSync("src/**/*.ts", { cwd: root }).filter(
      (file) => !/(?:\.(?:test|suite)|operation-types)\.ts$/.test(file),
    );
    const found = Object.fromEntries(
      files.toSorted().flatMap((file) => {
        const uses = usesIn(readFileSync(path.join(root, file), "utf8"));
        return uses === undefined ? [] : [[file, uses]];
      }),
    );
    const listed = Object.fromEntries(
      Object.entries(USES)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([file, { takes, names }]) => [
          file,
          { takes: takes.toSorted(), names: names.toSorted() },
        ]),
    );
    assert.deepEqual(found, listed);
    t.diagnostic(`${files.length} files, ${Object.keys(USES).length} of them use cryptography`);
  });

  test("what would be a lapse is found", () => {
    assert.deepEqual(usesIn('import { createHash } from "node:crypto";\ncreateHash("md5")'), {
      takes: ["createHash"],
      names: ["md5"],
    });
    for (const lapse of [
      'createCipheriv("aes-128-ecb", key, null)',
      "const id = Math.random();",
      "crypto.subtle.encrypt()",
      'const { createHash } = await import("node:crypto");',
    ])
      assert.notEqual(usesIn(lapse), undefined, lapse);
    assert.equal(usesIn('const words = "an ordinary text";'), undefined);
  });

  test("secrets that let in are 256 bits of the system's chance", () => {
    const asked: number[] = [];
    const random = (count: number) => {
      asked.push(count);
      return randomBytes(count);
    };
    const made = [mintSecret(random), mintSecret(random, "login_"), mintApiToken(random)];
    assert.deepEqual(asked, [32, 32, 32]);
    assert.equal(new Set(made).size, 3);
    assert.match(made[0] ?? "", /^[\w-]{43}$/);
    for (const file of ["src/app/open-workspace.ts", "src/app/webhook-key.ts"])
      assert.match(readFileSync(path.join(root, file), "utf8"), /randomBytes\((?:count|BYTES)\)/);
  });
});
