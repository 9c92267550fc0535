/** JSON values and the one way to write them so that equal values give equal bytes. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Adds members to a value: an object gets them beside its own, anything else becomes its `input`. */
export function withMembers(value: Json, members: JsonObject): JsonObject {
  return isJsonObject(value) ? { ...value, ...members } : { input: value, ...members };
}

/** Keys sorted by code unit, no white space; `undefined` members are left out as JSON does. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  let members = "";
  for (const key of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (members !== "") members += ",";
    members += `${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
