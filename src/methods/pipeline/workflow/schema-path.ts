/** Whether a value that meets a schema can have something at a path. In doubt it can. */

import type { JsonObject } from "../../../kernel/base/json.ts";
import type { JsonPath } from "../../../kernel/base/json-path.ts";
import { branchesOf, resolveShape, type Shape, typesOf } from "../../../kernel/contract/shape.ts";

export interface PathVerdict {
  /** `unlisted`: the schema lets other fields in, but names others and not this one. */
  readonly answer: "yes" | "unlisted" | "no";
  /** The part of the path that fails, and the fields that are listed in its place. */
  readonly part?: string | number;
  readonly listed?: readonly string[];
}

const YES: PathVerdict = { answer: "yes" };
const RANK = { yes: 2, unlisted: 1, no: 0 } as const;

export function canHold(schema: JsonObject, path: JsonPath): PathVerdict {
  const root: Shape = schema;
  return verdictOn(root, root, path);
}

/** As deep as the path is long, which is bounded. */
function verdictOn(shape: Shape | boolean | undefined, root: Shape, path: JsonPath): PathVerdict {
  const [part, ...rest] = path;
  if (shape === false) return part === undefined ? { answer: "no" } : { answer: "no", part };
  if (part === undefined || shape === true || shape === undefined) return YES;
  const plain = resolveShape(shape, root);
  const { anyOf: _, oneOf: __, ...own } = plain;
  const branches = branchesOf(plain)?.map((branch) => verdictOn(branch, root, path)) ?? [YES];
  const best = branches.reduce((a, b) => (RANK[b.answer] > RANK[a.answer] ? b : a));
  const mine = ownVerdict(own, root, part, rest);
  return RANK[mine.answer] < RANK[best.answer] ? mine : best;
}

function ownVerdict(own: Shape, root: Shape, part: string | number, rest: JsonPath): PathVerdict {
  const types = typesOf(own);
  const mayBe = (type: string) => types.length === 0 || types.includes(type);
  const no: PathVerdict = { answer: "no", part };
  const answers: PathVerdict[] = [];
  if (part === "length" && (mayBe("array") || mayBe("string"))) {
    answers.push(rest.length === 0 ? YES : no);
  }
  if (typeof part === "number" && mayBe("array")) {
    answers.push(verdictOn(own.prefixItems?.[part] ?? own.items, root, rest));
  }
  if (mayBe("object")) answers.push(fieldVerdict(own, root, String(part), rest));
  // Of two that say no, the one that knows what is listed says more.
  return answers.reduce((a, b) => (RANK[b.answer] >= RANK[a.answer] ? b : a), no);
}

function fieldVerdict(own: Shape, root: Shape, field: string, rest: JsonPath): PathVerdict {
  const { properties = {}, additionalProperties } = own;
  if (Object.hasOwn(properties, field)) return verdictOn(properties[field], root, rest);
  if ("patternProperties" in own) return YES;
  const listed = Object.keys(properties);
  if (additionalProperties === false) return { answer: "no", part: field, listed };
  if (typeof additionalProperties === "object") return verdictOn(additionalProperties, root, rest);
  return listed.length === 0 ? YES : { answer: "unlisted", part: field, listed };
}
