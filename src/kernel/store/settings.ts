/** Settings of the workspace, of a project, of a user: one JSON value per key. Secrets never live here. */

import type { Json } from "../base/json.ts";
import {
  type Act,
  auditedTable,
  checkVersion,
  deleteAudited,
  findForChange,
  insertAudited,
  updateAudited,
} from "./audited-rows.ts";
import { toJsonText } from "./cells.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import { lockName } from "./lock-name.ts";
import type { SettingTable } from "./noun-tables.ts";
import { db } from "./query-builder.ts";

export type SettingPlace =
  | { readonly scope: "workspace" }
  | { readonly scope: "project"; readonly projectId: string }
  | { readonly scope: "user"; readonly userId: string };

export interface Setting {
  readonly key: string;
  readonly value: Json;
  readonly version: number;
  readonly updatedAt: number;
}

export const SETTINGS = auditedTable("setting", {
  key: ["scope", "scope_id", "key"],
  told: ["scope", "key", "value"],
  goesAlong: true,
});

export function* findSetting(place: SettingPlace, key: string): DatabaseWork<Setting | undefined> {
  const row = yield* findRow(place, key);
  return row && toSetting(row);
}

export function* listSettings(place: SettingPlace): DatabaseWork<readonly Setting[]> {
  const rows = yield* query(
    db
      .selectFrom("setting")
      .selectAll()
      .where("scope", "=", place.scope)
      .where("scope_id", "=", scopeId(place))
      .orderBy("key"),
  );
  return rows.map(toSetting);
}

export function* putSetting(
  place: SettingPlace,
  {
    key,
    value,
    expectedVersion,
  }: { key: string; value: Json; expectedVersion?: number | undefined },
  act: Act,
): DatabaseWork<Setting> {
  yield* lockName(`setting ${place.scope} ${scopeId(place)} ${key}`);
  const before = yield* findRow(place, key);
  checkVersion("setting", { id: key, version: before?.version ?? 0 }, expectedVersion);
  const row =
    before === undefined
      ? yield* insertAudited(SETTINGS, newRow(place, key, value, act.now), act, eventPlace(place))
      : yield* updateAudited(
          SETTINGS,
          before,
          { value: toJsonText(value) },
          act,
          eventPlace(place),
        );
  return toSetting(row);
}

/** False when there was none. */
export function* deleteSetting(place: SettingPlace, key: string, act: Act): DatabaseWork<boolean> {
  const before = yield* findForChange(SETTINGS, place.scope, scopeId(place), key);
  if (before === undefined) return false;
  yield* deleteAudited(SETTINGS, before, act, eventPlace(place));
  return true;
}

function findRow(place: SettingPlace, key: string): DatabaseWork<SettingTable | undefined> {
  return queryFirst(
    db
      .selectFrom("setting")
      .selectAll()
      .where("scope", "=", place.scope)
      .where("scope_id", "=", scopeId(place))
      .where("key", "=", key),
  );
}

function newRow(place: SettingPlace, key: string, value: Json, now: number) {
  return {
    scope: place.scope,
    scope_id: scopeId(place),
    key,
    value: toJsonText(value),
    version: 1,
    created_at: now,
    updated_at: now,
  };
}

function scopeId(place: SettingPlace): string {
  if (place.scope === "project") return place.projectId;
  return place.scope === "user" ? place.userId : "";
}

function eventPlace(place: SettingPlace): { projectId: string | null } {
  return { projectId: place.scope === "project" ? place.projectId : null };
}

function toSetting(row: SettingTable): Setting {
  return {
    key: row.key,
    value: JSON.parse(row.value) as Json,
    version: row.version,
    updatedAt: row.updated_at,
  };
}
