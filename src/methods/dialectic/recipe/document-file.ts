/**
 * A document's shape as a file: `dialectic/documents/<domain>/<key>.json`. It is the only place where
 * the shape lives. The JSON a model is asked for, the check of what it wrote, the Markdown and the
 * page that people read are all made from it.
 */

import { z } from "zod";

/** Names in replies and files: lower case, underscores. */
export const nameOfKey = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,79}$/,
    "A key has lower-case letters, digits and underscores, and begins with a letter",
  );

/** Filled in by somebody: neither blank nor left to be determined. */
export const writtenText = z.string().trim().min(1, "Say something here");

const common = {
  key: nameOfKey,
  title: writtenText,
  /** What belongs there, said to the model beside the field. */
  guidance: writtenText,
  required: z.boolean().default(true),
};

const leastItems = z.int().min(0).max(100).default(0);

interface FieldBase {
  readonly key: string;
  readonly title: string;
  readonly guidance: string;
  readonly required: boolean;
}

export interface ListField extends FieldBase {
  readonly kind: "list";
  /** The field by which two items are the same one; a continued list is joined by it. */
  readonly identity: string;
  readonly least: number;
  /** How items are shown: each under a heading, as rows of a table, or as bullets. */
  readonly as: "sections" | "table" | "bullets";
  /** With sections and bullets: the fields that make an item's heading; its identity unless given. */
  readonly heading?: readonly string[] | undefined;
  /** With table: its columns; all fields unless given. */
  readonly columns?: readonly string[] | undefined;
  readonly fields: readonly Field[];
}

interface ObjectField extends FieldBase {
  readonly kind: "object";
  readonly fields: readonly Field[];
}

export type Field = z.output<typeof plainField> | ObjectField | ListField;

const plainField = z.discriminatedUnion("kind", [
  /** Prose in Markdown, one paragraph or several. */
  z.strictObject({ ...common, kind: z.literal("text") }),
  /** One line: a name, an id, a date. */
  z.strictObject({ ...common, kind: z.literal("line") }),
  /** Text whose line breaks count, shown as it is: a tree of files, a table definition. */
  z.strictObject({
    ...common,
    kind: z.literal("block"),
    language: z.string().regex(/^\w*$/).default(""),
  }),
  z.strictObject({
    ...common,
    kind: z.literal("number"),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    whole: z.boolean().default(false),
  }),
  z.strictObject({ ...common, kind: z.literal("flag") }),
  z.strictObject({ ...common, kind: z.literal("choice"), options: z.array(writtenText).min(2) }),
  /** Texts, one point each. */
  z.strictObject({ ...common, kind: z.literal("lines"), least: leastItems }),
]);

const innerFields = z.lazy((): z.ZodType<Field[]> => z.array(fieldOf).min(1));

const fieldOf: z.ZodType<Field> = z.discriminatedUnion("kind", [
  plainField,
  z.strictObject({ ...common, kind: z.literal("object"), fields: innerFields }),
  z.strictObject({
    ...common,
    kind: z.literal("list"),
    identity: nameOfKey,
    least: leastItems,
    as: z.enum(["sections", "table", "bullets"]).default("sections"),
    heading: z.array(nameOfKey).min(1).optional(),
    columns: z.array(nameOfKey).min(1).optional(),
    fields: innerFields,
  }),
]);

/** The fields of another document of the same domain, in its order. */
const includedFields = z.strictObject({
  include: nameOfKey,
  only: z.array(nameOfKey).min(1).optional(),
  except: z.array(nameOfKey).min(1).optional(),
});

/** Told apart before it is read, so that what is wrong with a field is said about that field. */
const entryOf: z.ZodType<Field | IncludedFields> = z.unknown().transform((value, context) => {
  const schema = isObjectWith(value, "include") ? includedFields : fieldOf;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    context.addIssue({ code: "custom", message: issue.message, path: [...issue.path] });
  }
  return z.NEVER;
});

const layoutEntry = z.union([
  nameOfKey,
  z.strictObject({ heading: writtenText, fields: z.array(nameOfKey).min(1) }),
]);

export const documentFile = z.strictObject({
  key: nameOfKey,
  title: writtenText,
  /** For the people who read it: what it is for, and what to look at or answer. */
  description: writtenText,
  /** For the model that writes it: what makes this document good. */
  guidance: writtenText,
  fields: z.array(entryOf).min(1),
  /** Order and groups of the top-level fields; all in their own order unless given. */
  layout: z.array(layoutEntry).min(1).optional(),
  /**
   * The top-level fields that a planner decides about; all unless given. What follows from those, or is taken
   * over from what the writer reads, needs no notes, and every note is read by nobody but its writer.
   */
  planned: z.array(nameOfKey).min(1).optional(),
  /**
   * Of a header: what is shared by some of its documents only, at the top level or in `system_materials`, and
   * by which. Everything else is for all of them.
   */
  readBy: z.record(nameOfKey, z.array(nameOfKey)).optional(),
});

export type DocumentFile = z.output<typeof documentFile>;
export type IncludedFields = z.output<typeof includedFields>;
export type LayoutEntry = z.output<typeof layoutEntry>;

export function isIncluded(entry: DocumentFile["fields"][number]): entry is IncludedFields {
  return "include" in entry;
}

function isObjectWith(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}
