/**
 * The form of a reply as the prompt shows it, made from the schema that reads the reply. Every list of ids is written
 * once and called by its name, so that the form does not grow with each place an id may stand in.
 */

import type { Contract } from "../../../kernel/contract/contract.ts";
import {
  branchesOf,
  choicesOf,
  resolveShape,
  type Shape,
  shapeOf,
  typesOf,
} from "../../../kernel/contract/shape.ts";

export function formText(contract: Contract): string {
  const root = shapeOf(contract);
  const lists = new Map<string, string>();
  const form = objectLines(root, 1);
  return [
    "Answer with one JSON object and nothing else: no text before or after it, no code fence. Write text fields as Markdown. Its form, where `?` marks what may be left out:",
    `{\n${form.join("\n")}\n}`,
    "Ids you may use, and no others:",
    [...lists].map(([name, ids]) => `- ${name}: ${ids}`).join("\n"),
  ].join("\n\n");

  function objectLines(given: Shape, depth: number): string[] {
    const shape = resolveShape(given, root);
    const margin = "  ".repeat(depth);
    return Object.entries(shape.properties ?? {}).flatMap(([key, inner]) => {
      const field = resolveShape(inner, root);
      const mark = shape.required?.includes(key) ? "" : "?";
      const said = field.description;
      const meaning = said === undefined || said.startsWith("Id of a ") ? "" : `  // ${said}`;
      const [first = "", ...rest] = valueLines(field, depth);
      return [`${margin}"${key}"${mark}: ${first}${meaning}`, ...rest];
    });
  }

  /** The first line stands behind the key, the others below it. */
  function valueLines(given: Shape, depth: number): string[] {
    const shape = resolveShape(given, root);
    const margin = "  ".repeat(depth);
    if (typesOf(shape).includes("array")) {
      const item = typeof shape.items === "object" ? resolveShape(shape.items, root) : {};
      const ways = waysOf(item);
      const [only] = ways;
      if (ways.length > 1) {
        return [
          `[${countOf(shape)}, each one of`,
          ...ways.flatMap((way) => [
            `${margin}  {`,
            ...objectLines(way, depth + 2),
            `${margin}  }`,
          ]),
          `${margin}]`,
        ];
      }
      if (only?.properties !== undefined) {
        return [`[${countOf(shape)}, each {`, ...objectLines(only, depth + 1), `${margin}}]`];
      }
      return [`[${countOf(shape)}, each ${plainWords(item)}]`];
    }
    const ways = waysOf(shape);
    const [first] = ways;
    if (
      ways.length === 1 &&
      first !== undefined &&
      first !== shape &&
      typesOf(first).includes("array")
    ) {
      return withNull(valueLines(first, depth));
    }
    const inner = ways.find(({ properties }) => properties !== undefined);
    if (inner === undefined) return [plainWords(shape)];
    const isNullable = ways.length < (branchesOf(shape)?.length ?? 1);
    return ["{", ...objectLines(inner, depth + 1), `${margin}}${isNullable ? " or null" : ""}`];
  }

  function withNull(lines: readonly string[]): string[] {
    return [...lines.slice(0, -1), `${lines.at(-1) ?? ""} or null`];
  }

  function waysOf(shape: Shape): Shape[] {
    const branches = branchesOf(shape) ?? [shape];
    return branches
      .map((branch) => resolveShape(branch, root))
      .filter((each) => each.type !== "null");
  }

  function plainWords(given: Shape): string {
    const shape = resolveShape(given, root);
    const branches = branchesOf(shape);
    if (branches !== undefined) {
      return [...new Set(branches.map((branch) => plainWords(branch)))].join(" or ");
    }
    const choices = choicesOf(shape)?.map(String);
    if (choices !== undefined && choices.length > 0) return idsOrWords(shape, choices);
    if (shape.not !== undefined) return "nothing";
    const [type = "text"] = typesOf(shape);
    if (type === "string")
      return shape.maxLength === undefined ? "text" : `text up to ${shape.maxLength}`;
    if (type === "integer" || type === "number")
      return `number ${shape.minimum ?? ""} to ${shape.maximum ?? ""}`;
    return type === "boolean" ? "true or false" : type;
  }

  function idsOrWords({ idsOf }: Shape, choices: readonly string[]): string {
    if (typeof idsOf !== "string")
      return choices.map((choice) => JSON.stringify(choice)).join(" | ");
    const ids = choices.join(", ");
    for (let number = 1; ; number += 1) {
      const name = `${idsOf} id${number === 1 ? "" : ` (${number})`}`;
      const known = lists.get(name);
      if (known !== undefined && known !== ids) continue;
      lists.set(name, ids);
      return `<${name}>`;
    }
  }
}

function countOf({ minItems, maxItems }: Shape): string {
  if (minItems !== undefined && minItems === maxItems) return `exactly ${minItems}`;
  if (maxItems === undefined) return `at least ${minItems ?? 0}`;
  return minItems === undefined ? `up to ${maxItems}` : `${minItems} to ${maxItems}`;
}
