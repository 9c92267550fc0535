/**
 * What a model has to write for a document, made from its shape. The prompt's form, the check of the
 * reply and the joining of continued lists all come from this one schema.
 */

import * as z from "zod";
import { type Adapt, type Contract, defineContract } from "../../../kernel/contract/contract.ts";
import { words } from "../../../kernel/contract/example.ts";
import { isPlainObject } from "../../../kernel/contract/path.ts";
import type { Field } from "../recipe/document-file.ts";
import type { DocumentShape } from "../recipe/resolve-document.ts";

const contracts = new WeakMap<DocumentShape, Contract>();

export function documentContract(shape: DocumentShape): Contract {
  const known = contracts.get(shape);
  if (known !== undefined) return known;
  const made = defineContract({
    name: shape.title,
    schema: objectOf(shape.fields),
    adapt: withoutEnvelope(
      shape.key,
      shape.fields.map(({ key }) => key),
    ),
  });
  contracts.set(shape, made);
  return made;
}

export function objectOf(fields: readonly Field[]): z.ZodObject {
  return z.object(Object.fromEntries(fields.map((field) => [field.key, typeOf(field)])));
}

function typeOf(field: Field): z.ZodType {
  const type = requiredType(field).describe(meaningOf(field));
  return field.required ? type : type.optional();
}

/** The title is said where the key does not say it already. */
function meaningOf({ key, title, guidance }: Field): string {
  const isSaid = words(key) === title.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, " ");
  return isSaid ? guidance : `${title}. ${guidance}`;
}

function requiredType(field: Field): z.ZodType {
  switch (field.kind) {
    case "text":
    case "block":
      return written().meta({ longtext: true });
    case "line":
      return written();
    case "number": {
      const number = field.whole ? z.int() : z.number();
      const above = field.minimum === undefined ? number : number.min(field.minimum);
      return field.maximum === undefined ? above : above.max(field.maximum);
    }
    case "flag":
      return z.boolean();
    case "choice":
      return z.enum(field.options as [string, ...string[]]);
    case "lines":
      return atLeast(z.array(written()), field.least);
    case "object":
      return objectOf(field.fields);
    case "list":
      return atLeast(z.array(objectOf(field.fields)), field.least).meta({
        identity: field.identity,
      });
  }
}

/** Not blank. The form does not say so: it would say it beside every field. */
export function written(): z.ZodString {
  return z
    .string()
    .trim()
    .refine((text) => text !== "", "Say something here");
}

function atLeast<Item extends z.ZodType>(list: z.ZodArray<Item>, least: number): z.ZodArray<Item> {
  return least === 0 ? list : list.min(least);
}

/** What models were once invited to say about their own reply. The engine goes by what arrived, so it is not obeyed. */
const CONTROL_FLAGS = ["continuation_needed", "stop_reason", "resume_cursor"];

/** Models like to wrap a document in `content` or in its own key. */
export function withoutEnvelope(key: string, own: readonly string[]): Adapt {
  return (written, note) => {
    if (!isPlainObject(written)) return written;
    const rest = { ...written };
    for (const flag of CONTROL_FLAGS) {
      if (!Object.hasOwn(rest, flag) || own.includes(flag)) continue;
      note(
        [flag],
        rest[flag],
        undefined,
        `What the reply says of itself ("${flag}") is not obeyed.`,
      );
      delete rest[flag];
    }
    if (rest["document_key"] === key && !own.includes("document_key")) delete rest["document_key"];
    const [only, ...more] = Object.keys(rest);
    const isWrapper = more.length === 0 && (only === "content" || only === key);
    if (!isWrapper || only === undefined || own.includes(only)) return rest;
    const inner = rest[only];
    if (!isPlainObject(inner)) return rest;
    note([only], "{…}", "…", `The document was taken out of its wrapper "${only}".`);
    return inner;
  };
}
