/** A document's fields with what it includes from others, and how they are laid out for reading. */

import { hashJson } from "../../../kernel/base/hash.ts";
import type { LibraryFile } from "../../../kernel/library/library.ts";
import { type DocumentFile, type Field, isIncluded } from "./document-file.ts";
import type { FromFile } from "./read-domain.ts";
import type { ProblemList } from "./recipe-problem.ts";

export interface DocumentShape {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly guidance: string;
  readonly fields: readonly Field[];
  readonly groups: readonly FieldGroup[];
  /** Those that a planner writes notes for. */
  readonly planned: readonly Field[];
  /** Of a header: the documents that a part of it is for, where that is not all of them. */
  readonly readBy: Readonly<Record<string, readonly string[]>>;
  /** Another whenever the shape is another. */
  readonly hash: string;
}

/** Fields under a common heading; one field alone has none but its own. */
export interface FieldGroup {
  readonly heading?: string;
  readonly fields: readonly Field[];
}

type Documents = ReadonlyMap<string, FromFile<DocumentFile>>;

export function resolveDocument(
  documents: Documents,
  key: string,
  problems: ProblemList,
): DocumentShape | undefined {
  const found = documents.get(key);
  if (found === undefined) return undefined;
  const { value, file } = found;
  if (value.key !== key) {
    const message = `The document is called "${value.key}", its file "${key}".`;
    problems.add(file, ["key"], "name_mismatch", message);
  }
  const fields = expandFields(documents, key, [], problems);
  checkFields(file, value, fields, problems);
  const groups = groupsOf(file, value, fields, problems);
  const { title, description, guidance, readBy = {} } = value;
  const hash = hashJson({ key, title, fields, groups });
  const planned = plannedOf(file, value, fields, problems);
  checkReadBy(file, readBy, fields, problems);
  return { key, title, description, guidance, fields, groups, planned, readBy, hash };
}

function plannedOf(
  file: LibraryFile,
  { planned }: DocumentFile,
  fields: readonly Field[],
  problems: ProblemList,
): readonly Field[] {
  for (const [index, key] of (planned ?? []).entries()) {
    if (fields.some((field) => field.key === key)) continue;
    problems.add(file, ["planned", index], "unknown_field", `There is no field "${key}" to plan.`);
  }
  return planned === undefined ? fields : fields.filter(({ key }) => planned.includes(key));
}

function checkReadBy(
  file: LibraryFile,
  readBy: DocumentShape["readBy"],
  fields: readonly Field[],
  problems: ProblemList,
): void {
  const keys = materialFields(fields).map(({ key }) => key);
  for (const key of Object.keys(readBy)) {
    if (keys.includes(key)) continue;
    const message = `The header has no "${key}" that some of its documents could read.`;
    problems.add(file, ["readBy", key], "unknown_field", message, `Fields: ${keys.join(", ")}.`);
  }
}

/** What a header shares, as one list: its system materials, and what stands beside them. */
export function materialFields(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) =>
    field.kind === "object" && field.key === SYSTEM_MATERIALS ? field.fields : [field],
  );
}

export const SYSTEM_MATERIALS = "system_materials";

function expandFields(
  documents: Documents,
  key: string,
  above: readonly string[],
  problems: ProblemList,
): readonly Field[] {
  const found = documents.get(key);
  if (found === undefined) return [];
  const { value, file } = found;
  return value.fields.flatMap((entry, index): readonly Field[] => {
    if (!isIncluded(entry)) return [entry];
    const place = ["fields", index, "include"];
    if (!documents.has(entry.include)) {
      const message = `There is no document "${entry.include}" to include.`;
      problems.add(file, place, "unknown_include", message);
      return [];
    }
    if (entry.include === key || above.includes(entry.include)) {
      const message = `"${entry.include}" includes itself.`;
      problems.add(file, place, "unknown_include", message);
      return [];
    }
    const fields = expandFields(documents, entry.include, [...above, key], problems);
    for (const name of [...(entry.only ?? []), ...(entry.except ?? [])]) {
      if (fields.some((field) => field.key === name)) continue;
      const message = `"${entry.include}" has no field "${name}".`;
      problems.add(file, place, "unknown_field", message);
    }
    return fields.filter(
      (field) =>
        (entry.only === undefined || entry.only.includes(field.key)) &&
        !entry.except?.includes(field.key),
    );
  });
}

/** The document's own fields; included ones are checked where they are written. */
function checkFields(
  file: LibraryFile,
  value: DocumentFile,
  fields: readonly Field[],
  problems: ProblemList,
): void {
  const keys = fields.map((field) => field.key);
  for (const twice of new Set(keys.filter((key, index) => keys.indexOf(key) !== index))) {
    const at = value.fields.findLastIndex((entry) => !isIncluded(entry) && entry.key === twice);
    problems.add(file, ["fields", at], "duplicate_key", `The field "${twice}" is there twice.`);
  }
  for (const [index, entry] of value.fields.entries()) {
    if (!isIncluded(entry)) checkField(file, entry, ["fields", index], problems);
  }
}

const IN_CELLS = new Set(["line", "text", "number", "flag", "choice", "lines"]);

function checkField(
  file: LibraryFile,
  field: Field,
  place: readonly (string | number)[],
  problems: ProblemList,
): void {
  if (field.kind !== "object" && field.kind !== "list") return;
  const keys = field.fields.map(({ key }) => key);
  for (const [index, inner] of field.fields.entries()) {
    const at = [...place, "fields", index];
    if (keys.indexOf(inner.key) !== index) {
      problems.add(file, at, "duplicate_key", `The field "${inner.key}" is there twice.`);
    }
    checkField(file, inner, at, problems);
  }
  if (field.kind !== "list") return;
  const unknown = (names: readonly string[], where: string) => {
    for (const name of names) {
      if (keys.includes(name)) continue;
      const message = `Items of "${field.key}" have no field "${name}".`;
      problems.add(
        file,
        [...place, where],
        "unknown_field",
        message,
        `Fields: ${keys.join(", ")}.`,
      );
    }
  };
  unknown([field.identity], "identity");
  unknown(field.heading ?? [], "heading");
  unknown(field.columns ?? [], "columns");
  const identity = field.fields.find(({ key }) => key === field.identity);
  if (identity && !(identity.required && ["line", "number", "choice"].includes(identity.kind))) {
    const message = `"${identity.key}" tells items apart, so it must be a required line, number or choice.`;
    problems.add(file, [...place, "identity"], "unknown_field", message);
  }
  if (field.as === "table") checkTable(file, field, place, problems);
}

function checkTable(
  file: LibraryFile,
  { key, columns, fields }: Extract<Field, { kind: "list" }>,
  place: readonly (string | number)[],
  problems: ProblemList,
): void {
  for (const [index, inner] of fields.entries()) {
    const at = [...place, "fields", index];
    if (columns !== undefined && !columns.includes(inner.key)) {
      const message = `"${key}.${inner.key}" is written but never shown: it is no column of its table.`;
      problems.add(file, at, "field_not_rendered", message, "Add it to `columns`, or remove it.");
    } else if (!IN_CELLS.has(inner.kind)) {
      const message = `"${key}.${inner.key}" is a ${inner.kind}, which a table cannot show.`;
      problems.add(file, at, "field_not_rendered", message, "Show the list as sections.");
    }
  }
}

function groupsOf(
  file: LibraryFile,
  { layout }: DocumentFile,
  fields: readonly Field[],
  problems: ProblemList,
): readonly FieldGroup[] {
  if (layout === undefined) return fields.map((field) => ({ fields: [field] }));
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const shown = new Set<string>();
  const groups = layout.map((entry, index): FieldGroup => {
    const keys = typeof entry === "string" ? [entry] : entry.fields;
    const found = keys.flatMap((key) => {
      const field = byKey.get(key);
      if (field === undefined || shown.has(key)) {
        const message = field ? `"${key}" is laid out twice.` : `There is no field "${key}".`;
        problems.add(file, ["layout", index], field ? "duplicate_key" : "unknown_field", message);
        return [];
      }
      shown.add(key);
      return [field];
    });
    return typeof entry === "string"
      ? { fields: found }
      : { heading: entry.heading, fields: found };
  });
  for (const field of fields.filter(({ key }) => !shown.has(key))) {
    const message = `"${field.key}" is written but never shown: the layout leaves it out.`;
    problems.add(file, ["layout"], "field_not_rendered", message, "Add it to `layout`.");
  }
  return groups;
}
