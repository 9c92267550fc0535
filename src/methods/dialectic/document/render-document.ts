/** A document as Markdown, made from its shape: every field that was written is shown, every gap is marked. */

import { isPlainObject } from "../../../kernel/contract/path.ts";
import type { Field, ListField } from "../recipe/document-file.ts";
import type { DocumentShape } from "../recipe/resolve-document.ts";

export interface RenderedSection {
  /** The field it shows; feedback is given to it. */
  readonly key: string;
  readonly title: string;
  /** Without its heading. */
  readonly markdown: string;
  readonly isMissing: boolean;
}

export function renderDocument(shape: DocumentShape, value: unknown): string {
  const document = isPlainObject(value) ? value : {};
  const blocks = shape.groups.flatMap(({ heading, fields }) =>
    heading === undefined
      ? fields.flatMap((field) => fieldBlocks(field, document[field.key], 2))
      : [
          `## ${oneLine(heading)}`,
          ...fields.flatMap((field) => fieldBlocks(field, document[field.key], 3)),
        ],
  );
  return `${[`# ${oneLine(shape.title)}`, ...blocks].join("\n\n")}\n`;
}

/** The same, cut at its top-level fields. */
export function renderSections(shape: DocumentShape, value: unknown): readonly RenderedSection[] {
  const document = isPlainObject(value) ? value : {};
  return shape.groups
    .flatMap(({ fields }) => fields)
    .map((field) => {
      const written = document[field.key];
      const isMissing = isAbsent(written) && field.required;
      const markdown = fieldBlocks(field, written, 2).slice(1).join("\n\n");
      return { key: field.key, title: field.title, markdown, isMissing };
    })
    .filter(({ key, isMissing }) => isMissing || !isAbsent(document[key]));
}

/** What a document still lacks, by the titles of what is missing. */
export function gapsIn(shape: DocumentShape, value: unknown): readonly string[] {
  return gapsOf(shape.fields, value, "");
}

function gapsOf(fields: readonly Field[], value: unknown, above: string): readonly string[] {
  const object = isPlainObject(value) ? value : {};
  return fields.flatMap((field): readonly string[] => {
    const written = object[field.key];
    const name = `${above}${field.key}`;
    if (isAbsent(written)) return field.required ? [name] : [];
    if (field.kind === "object") return gapsOf(field.fields, written, `${name}.`);
    if (field.kind !== "list" || !Array.isArray(written)) return [];
    const short =
      written.length < field.least ? [`${name} (${written.length} of ${field.least})`] : [];
    return [
      ...short,
      ...written.flatMap((item, index) => gapsOf(field.fields, item, `${name}[${index}].`)),
    ];
  });
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

const DEEPEST_HEADING = 6;

function fieldBlocks(field: Field, value: unknown, level: number): readonly string[] {
  const heading = `${"#".repeat(Math.min(level, DEEPEST_HEADING))} ${oneLine(field.title)}`;
  if (isAbsent(value)) {
    return field.required ? [heading, `> **Missing.** "${field.title}" was not received.`] : [];
  }
  return [heading, ...valueBlocks(field, value, level)];
}

function valueBlocks(field: Field, value: unknown, level: number): readonly string[] {
  switch (field.kind) {
    case "block":
      return [fenced(textOf(value), field.language)];
    case "lines":
      return [bullets(listOf(value).map(textOf))];
    case "object":
      return objectBlocks(field.fields, value, level);
    case "list":
      return listBlocks(field, listOf(value), level);
    default:
      return [textOf(value)];
  }
}

/** Short values as labelled bullets, longer ones under headings of their own. */
function objectBlocks(fields: readonly Field[], value: unknown, level: number): readonly string[] {
  const object = isPlainObject(value) ? value : {};
  const isShort = (field: Field) => ["line", "number", "flag", "choice"].includes(field.kind);
  const short = fields.filter((field) => isShort(field));
  const labels = short.flatMap((field) => labelled(field, object[field.key]));
  return [
    ...(labels.length === 0 ? [] : [labels.join("\n")]),
    ...fields
      .filter((field) => !isShort(field))
      .flatMap((field) => fieldBlocks(field, object[field.key], level + 1)),
  ];
}

function labelled(field: Field, value: unknown): readonly string[] {
  if (isAbsent(value)) return field.required ? [`- **${field.title}:** *missing*`] : [];
  return [`- **${field.title}:** ${oneLine(textOf(value))}`];
}

function listBlocks(field: ListField, items: readonly unknown[], level: number): readonly string[] {
  if (items.length === 0) return ["None."];
  if (field.as === "table") return [tableOf(field, items)];
  if (field.as === "bullets") return [items.map((item) => bulletOf(field, item)).join("\n")];
  return items.flatMap((item) => {
    const { title, rest } = headed(field, item);
    const mark = "#".repeat(Math.min(level + 1, DEEPEST_HEADING));
    return [`${mark} ${title}`, ...objectBlocks(rest, item, level + 1)];
  });
}

/** An item's heading, and the fields that are not in it. */
function headed(field: ListField, item: unknown) {
  const object = isPlainObject(item) ? item : {};
  const names = field.heading ?? [field.identity];
  const said = names
    .map((name) => oneLine(textOf(object[name] ?? "")))
    .filter((text) => text !== "");
  const title = said.length === 0 ? "*unnamed*" : said.join(" · ");
  return { title, rest: field.fields.filter(({ key }) => !names.includes(key)) };
}

function bulletOf(field: ListField, item: unknown): string {
  const object = isPlainObject(item) ? item : {};
  const { title, rest } = headed(field, item);
  const inner = rest.flatMap((each) => {
    const value = object[each.key];
    if (each.kind === "text" && !isAbsent(value)) {
      return [`- **${each.title}:** ${indented(textOf(value))}`];
    }
    if (each.kind === "lines" && !isAbsent(value)) {
      if (listOf(value).length === 0) return [`- **${each.title}:** none`];
      return [
        `- **${each.title}:**`,
        ...listOf(value).map((line) => `  - ${indented(textOf(line))}`),
      ];
    }
    if (each.kind === "object" || each.kind === "list" || each.kind === "block") {
      const blocks = fieldBlocks(each, value, DEEPEST_HEADING);
      return blocks.length === 0 ? [] : [`- **${each.title}:**`, ...blocks.slice(1)];
    }
    return labelled(each, value);
  });
  return [`- **${title}**`, ...inner.map((line) => `  ${line.replaceAll("\n", "\n  ")}`)].join(
    "\n",
  );
}

function tableOf(field: ListField, items: readonly unknown[]): string {
  const columns = field.columns ?? field.fields.map(({ key }) => key);
  const fields = columns.flatMap((key) => field.fields.find((each) => each.key === key) ?? []);
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    row(fields.map(({ title }) => cellOf(title))),
    row(fields.map(() => "---")),
    ...items.map((item) => {
      const object = isPlainObject(item) ? item : {};
      return row(fields.map(({ key }) => cellOf(cellText(object[key]))));
    }),
  ].join("\n");
}

function cellText(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join("; ") : textOf(value ?? "");
}

function cellOf(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}

function bullets(lines: readonly string[]): string {
  return lines.length === 0 ? "None." : lines.map((line) => `- ${indented(line)}`).join("\n");
}

function indented(text: string): string {
  return text.trim().replaceAll("\n", "\n  ");
}

function fenced(text: string, language: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
