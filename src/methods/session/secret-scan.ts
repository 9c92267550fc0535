/** Looks for credentials in what would be committed. A finding names its place and kind, never the secret. */

import { ProductError } from "../../kernel/base/errors.ts";
import { hashText } from "../../kernel/base/hash.ts";
import { findSecrets } from "../../kernel/prompt/find-secrets.ts";

export interface SecretFinding {
  /** `prompt, line 3` */
  readonly place: string;
  readonly label: string;
  /** Of the secret, by which it is known again once it was allowed. */
  readonly hash: string;
}

export function scanText(name: string, text: string): readonly SecretFinding[] {
  return findSecrets(text).map(({ start, end, label }) => ({
    place: `${name}, line ${lineOf(text, start)}`,
    label,
    hash: hashText(text.slice(start, end)),
  }));
}

export function scanTexts(texts: Readonly<Record<string, string>>): readonly SecretFinding[] {
  return Object.entries(texts).flatMap(([name, text]) => scanText(name, text));
}

export type FileContents = ReadonlyMap<string, Uint8Array>;

/** Only what was not there before: a key that is committed already is not kept out by this. */
export function scanFiles(now: FileContents, before: FileContents): readonly SecretFinding[] {
  return [...now].flatMap(([path, bytes]) => {
    const found = scanText(path, decode(bytes));
    if (found.length === 0) return [];
    const old = before.get(path);
    const known = new Set(
      old === undefined ? [] : scanText(path, decode(old)).map(({ hash }) => hash),
    );
    return found.filter(({ hash }) => !known.has(hash));
  });
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function lineOf(text: string, place: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < place; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}

/** Those that nobody has allowed yet. */
export function openFindings(
  findings: readonly SecretFinding[],
  allowed: ReadonlySet<string>,
): readonly SecretFinding[] {
  return findings.filter(({ hash }) => !allowed.has(hash));
}

export function secretFound(findings: readonly SecretFinding[]): ProductError {
  const shown = findings.slice(0, 5).map(({ place, label }) => `${place} (${label})`);
  const more = findings.length > 5 ? ` and ${findings.length - 5} more` : "";
  return new ProductError(
    "secret_found",
    `This looks like a key or a password: ${shown.join("; ")}${more}.`,
    {
      kind: "not_allowed",
      hint: 'Nothing was committed. Take it out; or, if it is none, say why: --allow-secret "an example key".',
      details: { findings: findings.map(({ place, label }) => ({ place, label })) },
    },
  );
}
