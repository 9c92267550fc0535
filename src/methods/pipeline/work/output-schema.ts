/**
 * A step's `outputSchema`, a JSON Schema, as the type that outputs are read by. A keyword that is not
 * understood is a problem when the workflow is saved; it is never ignored when a reply comes in.
 *
 * - Where `type` is missing, the keywords beside tell it: `properties` speaks of an object.
 * - `default` is shown to people and never put in place of what a model left out.
 * - Characters are counted as people do, not as UTF-16 does.
 */

import * as z from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { isReservedName } from "../../../kernel/base/json-path.ts";
import { formatPath, type Path } from "../../../kernel/contract/path.ts";
import { jsonTypeOf } from "../../../kernel/contract/shape.ts";
import {
  idleKeywords,
  impliedTypes,
  insteadOf,
  isAnnotation,
  isUnderstood,
  type SchemaType,
  TYPES,
} from "./output-schema-keywords.ts";
import { describesObject, meetsItself, objectAt, resolve } from "./output-schema-references.ts";
import {
  charactersWithin,
  distinctItems,
  eachOf,
  exactlyOne,
  formatType,
  KNOWN_FORMATS,
  membersWithin,
  NUMBER_HINTS,
  NUMBER_RULES,
} from "./output-schema-rules.ts";

export interface OutputSchemaProblem {
  /** Where in the schema, such as `properties.score.minimum`; empty for the whole. */
  readonly path: string;
  /** A whole sentence. */
  readonly message: string;
  readonly hint?: string;
}

interface SchemaReading {
  readonly type: z.ZodType;
  readonly problems: readonly OutputSchemaProblem[];
}

const readings = new WeakMap<JsonObject, SchemaReading>();

export function checkOutputSchema(schema: JsonObject): readonly OutputSchemaProblem[] {
  return readingOf(schema).problems;
}

/** Throws `output_schema_invalid` where `checkOutputSchema` finds a problem. */
export function outputType(schema: JsonObject): z.ZodType<JsonObject> {
  const { type, problems } = readingOf(schema);
  if (problems.length > 0) {
    const told = problems.map(({ message }) => message).join(" ");
    throw new ProductError("output_schema_invalid", `The output schema cannot be used. ${told}`, {
      hint: problems[0]?.hint ?? "Correct the schema and save the workflow again.",
      details: { problems },
    });
  }
  // The root describes an object, or there would be a problem.
  return type as z.ZodType<JsonObject>;
}

function readingOf(schema: JsonObject): SchemaReading {
  const known = readings.get(schema);
  if (known !== undefined) return known;
  const made = readSchema(schema);
  readings.set(schema, made);
  return made;
}

const MOST_DEPTH = 32;

function readSchema(root: JsonObject): SchemaReading {
  const problems: OutputSchemaProblem[] = [];
  const references = new Map<string, z.ZodType>();
  const type = read(root, []);
  for (const group of ["$defs", "definitions"]) {
    for (const name of Object.keys(objectAt(root, group))) {
      reference(`#/${group}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, [group, name]);
    }
  }
  if (problems.length === 0 && !describesObject(root, root)) {
    complain([], "does not describe an object", 'An output is always an object: "type": "object".');
  }
  return { type, problems };

  function complain(path: Path, clause: string, hint?: string): z.ZodType {
    const where = formatPath(path);
    const message = `${where === "" ? "The output schema" : `\`${where}\``} ${clause}.`;
    problems.push({ path: where, message, ...(hint === undefined ? {} : { hint }) });
    return anything();
  }

  function read(schema: Json, path: Path): z.ZodType {
    if (schema === true) return anything();
    if (schema === false) return z.never();
    if (!isJsonObject(schema)) return complain(path, "is no schema: it must be an object");
    if (path.length > MOST_DEPTH * 2) return complain(path, "is nested too deep");
    for (const keyword of Object.keys(schema)) {
      if (isUnderstood(keyword)) continue;
      complain([...path, keyword], "is not supported here", insteadOf(keyword));
    }
    return annotated(readCombined(schema, path), schema);
  }

  function readCombined(schema: JsonObject, path: Path): z.ZodType {
    if (Object.hasOwn(schema, "$ref")) {
      refuseBeside(schema, path, "$ref", []);
      return reference(schema["$ref"], [...path, "$ref"]);
    }
    for (const keyword of ["enum", "const"]) {
      if (Object.hasOwn(schema, keyword)) return readChoices(schema, path, keyword);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      if (Object.hasOwn(schema, keyword)) return readBranches(schema, path, keyword);
    }
    return Object.hasOwn(schema, "allOf") ? readAll(schema, path) : readTyped(schema, path);
  }

  function refuseBeside(
    schema: JsonObject,
    path: Path,
    keyword: string,
    allowed: readonly string[],
  ): void {
    for (const other of Object.keys(schema)) {
      if (other === keyword || allowed.includes(other)) continue;
      if (isAnnotation(other) || !isUnderstood(other)) continue;
      complain([...path, other], `cannot stand beside "${keyword}"`, `Move it into "${keyword}".`);
    }
  }

  function reference(written: Json | undefined, path: Path): z.ZodType {
    const known = typeof written === "string" ? references.get(written) : undefined;
    if (known !== undefined) return known;
    const target = typeof written === "string" ? resolve(root, written) : undefined;
    if (typeof written !== "string" || target === undefined) {
      const hint = 'References look like "#/$defs/name".';
      return complain(path, `leads nowhere: ${JSON.stringify(written)}`, hint);
    }
    if (meetsItself(target, root, new Set())) return complain(path, "leads back to itself");
    let type: z.ZodType = anything();
    const lazy = z.lazy(() => type);
    references.set(written, lazy);
    type = read(target, written === "#" ? [] : written.slice(2).split("/"));
    return lazy;
  }

  function readChoices(schema: JsonObject, path: Path, keyword: string): z.ZodType {
    refuseBeside(schema, path, keyword, ["type"]);
    const written = keyword === "const" ? [schema["const"] ?? null] : schema["enum"];
    const values = Array.isArray(written) ? (written as readonly Json[]) : [];
    const scalars = values.filter((value) => value === null || typeof value !== "object");
    if (scalars.length === 0 || scalars.length < values.length) {
      const hint = "List texts, numbers, true, false or null.";
      return complain([...path, keyword], "must list plain values", hint);
    }
    const types = writtenTypes(schema, path);
    for (const value of types === undefined ? [] : scalars) {
      if (types?.some((type) => isOfType(value, type))) continue;
      complain(
        [...path, keyword],
        `lists ${JSON.stringify(value)}, which is not of the type given`,
      );
    }
    return z.literal(scalars);
  }

  function readBranches(schema: JsonObject, path: Path, keyword: string): z.ZodType {
    refuseBeside(schema, path, keyword, ["type"]);
    const written = schema[keyword];
    const branches = Array.isArray(written) ? (written as readonly Json[]) : [];
    if (branches.length === 0) return complain([...path, keyword], "must list schemas");
    const options = branches.map((branch, index) => {
      const type = schema["type"];
      const whole = isJsonObject(branch) && type !== undefined ? { type, ...branch } : branch;
      return read(whole, [...path, keyword, index]);
    });
    const union = z.union(options);
    return keyword === "anyOf" ? union : union.check(exactlyOne(options));
  }

  function readAll(schema: JsonObject, path: Path): z.ZodType {
    const { allOf, ...own } = schema;
    const parts = Array.isArray(allOf) ? (allOf as readonly Json[]) : [];
    if (parts.length === 0) return complain([...path, "allOf"], "must list schemas");
    const hasOwn = Object.keys(own).some((keyword) => !isAnnotation(keyword));
    const types = [
      ...(hasOwn ? [readTyped(own, path)] : []),
      ...parts.map((part, index) => read(part, [...path, "allOf", index])),
    ];
    return types.reduce((left, right) => z.intersection(left, right)).check(eachOf(types));
  }

  /** `undefined` where no type is written. */
  function writtenTypes(schema: JsonObject, path: Path): readonly SchemaType[] | undefined {
    if (!Object.hasOwn(schema, "type")) return undefined;
    const names = [schema["type"]].flat();
    const types = TYPES.filter((type) => names.includes(type));
    if (types.length < Math.max(1, names.length)) {
      complain([...path, "type"], "names no type", `Types are ${TYPES.join(", ")}.`);
    }
    return types;
  }

  function readTyped(schema: JsonObject, path: Path): z.ZodType {
    const types = writtenTypes(schema, path) ?? impliedTypes(schema);
    if (!Object.hasOwn(schema, "type") && types.length > 1) {
      return complain(path, `speaks of ${types.join(" and ")}`, 'Say which with "type".');
    }
    if (types.length === 0) return anything();
    for (const keyword of idleKeywords(schema, types)) {
      complain([...path, keyword], `says nothing about ${types.join(" or ")}`);
    }
    const options = types.map((type) => readOne(type, schema, path));
    return options.length === 1 && options[0] !== undefined ? options[0] : z.union(options);
  }

  function readOne(type: SchemaType, schema: JsonObject, path: Path): z.ZodType {
    switch (type) {
      case "string":
        return readText(schema, path);
      case "number":
      case "integer":
        return readNumber(schema, path, type === "integer" ? z.int() : z.number());
      case "boolean":
        return z.boolean();
      case "null":
        return z.null();
      case "array":
        return readList(schema, path);
      default:
        return readObject(schema, path);
    }
  }

  function readText(schema: JsonObject, path: Path): z.ZodType {
    const { minLength, maxLength } = counts(schema, path, "minLength", "maxLength");
    const format = schema["format"];
    const formatted = typeof format === "string" ? formatType(format) : undefined;
    if (format !== undefined && formatted === undefined) {
      const hint = `Formats are ${KNOWN_FORMATS.join(", ")}.`;
      return complain([...path, "format"], `is not known: ${JSON.stringify(format)}`, hint);
    }
    const text = formatted ?? z.string();
    if (minLength === undefined && maxLength === undefined) return text;
    return text.check(charactersWithin(minLength, maxLength)).meta({
      ...(minLength === undefined ? {} : { minLength }),
      ...(maxLength === undefined ? {} : { maxLength }),
    });
  }

  function readNumber(schema: JsonObject, path: Path, plain: z.ZodNumber): z.ZodType {
    let type = plain;
    for (const [keyword, hold] of Object.entries(NUMBER_RULES)) {
      const bound = schema[keyword];
      if (bound === undefined) continue;
      if (typeof bound !== "number" || (keyword === "multipleOf" && bound <= 0)) {
        return complain([...path, keyword], "must be a number", NUMBER_HINTS[keyword]);
      }
      type = hold(type, bound);
    }
    return type;
  }

  function readList(schema: JsonObject, path: Path): z.ZodType {
    const { minItems, maxItems } = counts(schema, path, "minItems", "maxItems");
    const items = schema["items"];
    if (Array.isArray(items)) {
      return complain(
        [...path, "items"],
        "must be one schema for all items",
        insteadOf("prefixItems"),
      );
    }
    let list = z.array(items === undefined ? anything() : read(items, [...path, "items"]));
    if (minItems !== undefined) list = list.min(minItems);
    if (maxItems !== undefined) list = list.max(maxItems);
    const unique = schema["uniqueItems"];
    return unique === true ? list.check(distinctItems).meta({ uniqueItems: true }) : list;
  }

  function readObject(schema: JsonObject, path: Path): z.ZodType {
    const bounds = counts(schema, path, "minProperties", "maxProperties");
    const fields = readFields(schema, path);
    const others = schema["additionalProperties"] ?? true;
    const object =
      others === false
        ? z.strictObject(fields)
        : others === true
          ? z.looseObject(fields)
          : z.looseObject(fields).catchall(read(others, [...path, "additionalProperties"]));
    const { minProperties, maxProperties } = bounds;
    if (minProperties === undefined && maxProperties === undefined) return object;
    return object.check(membersWithin(minProperties ?? 0, maxProperties ?? Infinity)).meta(bounds);
  }

  function readFields(schema: JsonObject, path: Path): Record<string, z.ZodType> {
    const properties = schema["properties"] ?? {};
    if (!isJsonObject(properties)) complain([...path, "properties"], "must name the fields");
    const named = isJsonObject(properties) ? properties : {};
    const required = requiredNames(schema, path);
    const unnamed = required.filter((name) => !Object.hasOwn(named, name));
    const fields: Record<string, z.ZodType> = {};
    for (const name of [...Object.keys(named), ...unnamed]) {
      const place = [...path, "properties", name];
      if (isReservedName(name)) {
        complain(place, "has a name that no field may have");
        continue;
      }
      const field = Object.hasOwn(named, name)
        ? read(named[name] ?? null, place)
        : read(schema["additionalProperties"] ?? true, [...path, "additionalProperties"]);
      fields[name] = required.includes(name) ? field : field.optional();
    }
    return fields;
  }

  function requiredNames(schema: JsonObject, path: Path): readonly string[] {
    const written = schema["required"] ?? [];
    const names = Array.isArray(written) ? written.filter((name) => typeof name === "string") : [];
    if (!Array.isArray(written) || names.length < written.length) {
      complain([...path, "required"], "must list names of fields");
    }
    return names;
  }

  function counts<Low extends string, High extends string>(
    schema: JsonObject,
    path: Path,
    low: Low,
    high: High,
  ): { readonly [Key in Low | High]?: number } {
    const found: { [Key in Low | High]?: number } = {};
    for (const keyword of [low, high]) {
      const count = schema[keyword];
      if (count === undefined) continue;
      if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) {
        found[keyword] = count;
      } else complain([...path, keyword], "must be a whole number from 0");
    }
    return found;
  }
}

function annotated(type: z.ZodType, schema: JsonObject): z.ZodType {
  const { title, description, default: initial, examples } = schema;
  const notes = {
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(initial === undefined ? {} : { default: initial }),
    ...(Array.isArray(examples) ? { examples } : {}),
  };
  return Object.keys(notes).length === 0 ? type : type.meta(notes);
}

/** Anything that JSON can say; absence is not among it. */
function anything(): z.ZodType {
  return z.unknown();
}

function isOfType(value: Json, type: SchemaType): boolean {
  return type === "integer" ? Number.isInteger(value) : jsonTypeOf(value) === type;
}
