/** The settings there are. An unknown key or a wrong value is refused instead of being kept and never read. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { nearMatches } from "../../kernel/contract/near-match.ts";
import { inputInvalid, toPointer } from "../../kernel/operation/input-problems.ts";
import { jsonValue } from "../../kernel/operation/operation-fields.ts";
import { findSecrets } from "../../kernel/prompt/find-secrets.ts";
import type { SettingScope } from "../../kernel/store/noun-tables.ts";

export interface SettingKind {
  /** The key, or with a `*` at the end the beginning of keys that are free to choose. */
  readonly key: string;
  readonly scopes: readonly SettingScope[];
  readonly summary: string;
  readonly value: z.ZodType<Json>;
}

export const WORKSPACE_NAME = "workspace.name";

export const OWN_SETTINGS: readonly SettingKind[] = [
  {
    key: WORKSPACE_NAME,
    scopes: ["workspace"],
    summary: "What this workspace is called.",
    value: z.string().trim().min(1).max(200),
  },
  {
    key: "ui.*",
    scopes: ["user"],
    summary: "How pages look and what they remember for you.",
    value: jsonValue,
  },
];

const MOST_CHARACTERS = 20_000;

export function findKind(
  kinds: readonly SettingKind[],
  key: string,
  scope: SettingScope,
): SettingKind {
  const fitting = kinds.find((kind) => isOfKind(key, kind));
  if (fitting === undefined) {
    const near = nearMatches(
      key,
      kinds.map((kind) => kind.key),
    );
    throw new ProductError("setting_unknown", `There is no setting "${key}".`, {
      kind: "not_found",
      hint:
        near.length > 0
          ? `Did you mean ${near.join(" or ")}?`
          : "`setting list` shows which there are.",
    });
  }
  if (fitting.scopes.includes(scope)) return fitting;
  throw new ProductError(
    "setting_scope",
    `"${key}" is a setting of the ${fitting.scopes.join(" or the ")}, not of the ${scope}.`,
    { hint: `Use --scope ${fitting.scopes[0] ?? "workspace"}.` },
  );
}

export function checkValue(kind: SettingKind, value: Json): Json {
  const parsed = kind.value.safeParse(value);
  if (!parsed.success) {
    throw inputInvalid(
      parsed.error.issues.map(({ path, message }) => ({
        pointer: toPointer(["value", ...path]),
        message,
      })),
    );
  }
  const text = JSON.stringify(parsed.data);
  if (text.length > MOST_CHARACTERS)
    throw inputInvalid([
      { pointer: "/value", message: `has more than ${MOST_CHARACTERS} characters` },
    ]);
  if (findSecrets(text).length === 0) return parsed.data;
  throw new ProductError("setting_secret", "This value looks like a key or a password.", {
    hint: "Secrets belong in the environment or in secrets.json of the workspace's folder.",
  });
}

export function isOfKind(key: string, kind: SettingKind): boolean {
  if (!kind.key.endsWith("*")) return key === kind.key;
  const beginning = kind.key.slice(0, -1);
  return key.startsWith(beginning) && key.length > beginning.length;
}
