/**
 * The HeaderContext: what a planner writes for the turns that follow it. Its own fields come from the
 * header's shape, the entries for documents from the shapes of the documents it plans.
 */

import * as z from "zod";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { type Adapt, type Contract, defineContract } from "../../../kernel/contract/contract.ts";
import { isPlainObject } from "../../../kernel/contract/path.ts";
import type { Field } from "../recipe/document-file.ts";
import { type DocumentShape, SYSTEM_MATERIALS } from "../recipe/resolve-document.ts";
import { objectOf, withoutEnvelope, written } from "./document-contract.ts";

export interface HeaderPlan {
  readonly shape: DocumentShape;
  readonly plans: readonly DocumentShape[];
}

/** By the documents planned: two planners may share a shape. */
const contracts = new WeakMap<readonly DocumentShape[], Contract>();

/** Refused unless every planned document has its entry, and every entry says something about each section. */
export function headerContract({ shape, plans }: HeaderPlan): Contract {
  const known = contracts.get(plans);
  if (known !== undefined) return known;
  const entries = plans.map(entryOf);
  const [first, ...rest] = entries;
  const schema = objectOf(shape.fields).extend(
    first === undefined
      ? {}
      : {
          context_for_documents: z
            .tuple([first, ...rest])
            .meta({ identity: "document_key" })
            .describe(
              "One entry for each document, in this order: a note for each section named. Where the note is a list, one text for each item of the section, beginning with its id or name.",
            ),
        },
  );
  const own = [...shape.fields.map(({ key }) => key), "context_for_documents"];
  const unwrap = withoutEnvelope(shape.key, own);
  const made = defineContract({
    name: shape.title,
    schema,
    adapt: (written, note) => withEntries(plans, unwrap(written, note), note),
  });
  contracts.set(plans, made);
  return made;
}

function entryOf({ key, planned }: DocumentShape) {
  const content = planned.map((field) => [field.key, noteOf(field)]);
  return z.object({
    document_key: z.literal(key),
    content_to_include: z.object(Object.fromEntries(content) as Record<string, z.ZodType<Json>>),
  });
}

/** What has items is decided item by item: names and numbers that others will speak of. */
function noteOf(field: Field): z.ZodType {
  if (field.kind !== "list") return written().describe(`What "${field.title}" has to say.`);
  const identity = field.fields.find(({ key }) => key === field.identity)?.title ?? field.identity;
  return z
    .array(written())
    .min(1)
    .describe(
      `The items of "${field.title}", one text each: ${identity}, and what has to be said of it.`,
    );
}

/** In the plan's order, under the one name, as texts. */
function withEntries(
  plans: readonly DocumentShape[],
  given: unknown,
  note: Parameters<Adapt>[1],
): unknown {
  if (!isPlainObject(given) || !Array.isArray(given["context_for_documents"])) return given;
  const listed = given["context_for_documents"] as readonly unknown[];
  const entries = listed.map((entry, index) => {
    if (!isPlainObject(entry)) return entry;
    const { context_to_include: other, files_to_generate: _, ...rest } = entry;
    const content = rest["content_to_include"] ?? other;
    if (other !== undefined) {
      const sentence = "`context_to_include` was read as `content_to_include`.";
      note(["context_for_documents", index], "context_to_include", "content_to_include", sentence);
    }
    const shape = plans.find(({ key }) => key === rest["document_key"]);
    return {
      ...rest,
      content_to_include: isPlainObject(content) ? asNotes(shape, content) : content,
    };
  });
  const keyOf = (entry: unknown) => (isPlainObject(entry) ? entry["document_key"] : undefined);
  const ordered = plans.map(({ key }) => entries.find((entry) => keyOf(entry) === key));
  const isWhole = ordered.every((entry) => entry !== undefined);
  const others = entries.filter((entry) => !plans.some(({ key }) => key === keyOf(entry)));
  if (!isWhole) return { ...given, context_for_documents: entries };
  for (const other of others) {
    note(["context_for_documents"], other, undefined, "It plans a document of another step.");
  }
  return { ...given, context_for_documents: ordered };
}

/** Planners write lists and objects where a text was asked for, and the other way round; nothing of it is lost. */
function asNotes(
  shape: DocumentShape | undefined,
  content: Record<string, unknown>,
): Record<string, unknown> {
  const lists = new Set(shape?.fields.flatMap(({ key, kind }) => (kind === "list" ? [key] : [])));
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      lists.has(key) ? textsOf(value) : textOf(value),
    ]),
  );
}

function textsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textOf);
  return typeof value === "string" && value.trim() !== "" ? [value] : value;
}

function textOf(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return value.map((item) => `- ${item}`).join("\n");
  }
  if (Array.isArray(value) || isPlainObject(value)) return JSON.stringify(value);
  return value;
}

/** As it is stored: what the engine knows better than any model is added by it. */
export function storedHeader({ plans }: HeaderPlan, value: JsonObject): JsonObject {
  return {
    ...value,
    files_to_generate: plans.map(({ key }) => ({
      from_document_key: key,
      template_filename: `${key}.md`,
    })),
  };
}

export interface HeaderSlice {
  /** The same for every turn that reads this header. */
  readonly shared: JsonObject;
  /** What is for some of its documents only, this one among them. */
  readonly special: JsonObject;
  /** What this document is to say, by section. */
  readonly own: JsonObject;
}

/** One document's part of a header: what all turns share, what is for it among others, and its own entry. */
export function sliceOfHeader(
  { readBy }: Pick<DocumentShape, "readBy">,
  header: JsonObject,
  documentKey: string,
): HeaderSlice {
  const { context_for_documents: entries, files_to_generate: _, ...rest } = header;
  const { [SYSTEM_MATERIALS]: inner, ...beside } = rest;
  const materials: JsonObject = { ...(isPlainObject(inner) ? inner : {}), ...beside };
  const list = Array.isArray(entries) ? (entries as readonly Json[]) : [];
  const entry = list.find((each) => isPlainObject(each) && each["document_key"] === documentKey);
  const content = isPlainObject(entry) ? entry["content_to_include"] : undefined;
  const isFor = (key: string) => readBy[key]?.includes(documentKey) ?? false;
  return {
    shared: only(materials, (key) => !Object.hasOwn(readBy, key)),
    special: only(materials, isFor),
    own: isPlainObject(content) ? content : {},
  };
}

function only(object: JsonObject, isWanted: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => isWanted(key)));
}
