/** What can be read under an address of its own: `throughline://packet/ID`. Every read is an operation like any other. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Operation, ResourceHint } from "../../kernel/operation/operation.ts";
import { nounOf } from "../../kernel/operation/operation-name.ts";
import type { McpVisitor } from "./mcp-visitor.ts";
import { modelText } from "./model-text.ts";

/** How many of each kind a list names; the rest is found by searching. */
const LISTED = 20;

interface Shown {
  readonly operation: Operation;
  readonly hint: ResourceHint;
}

export function shownResources(operations: readonly Operation[]): readonly Shown[] {
  return operations.flatMap((operation) => {
    const hint = operation.surfaces?.resource;
    return hint === undefined ? [] : [{ operation, hint }];
  });
}

export function describeTemplates(scheme: string, resources: readonly Shown[]) {
  return resources.map(({ operation, hint }) => ({
    uriTemplate: `${scheme}://${nounOf(operation)}/{${hint.key}}`,
    name: nounOf(operation),
    title: hint.title,
    description: operation.summary,
    mimeType: typeOf(hint),
  }));
}

export async function listResources(
  scheme: string,
  resources: readonly Shown[],
  visitor: McpVisitor,
  signal: AbortSignal,
) {
  const lists = await Promise.all(
    resources.map(async ({ operation, hint }) => {
      const { operation: list, name } = hint.list;
      const page = (await visitor.invoke(list, { limit: LISTED }, { signal })) as Listed;
      return page.items.map((item) => ({
        uri: `${scheme}://${nounOf(operation)}/${String(item["id"])}`,
        name: String(item[name] ?? item["id"]),
        mimeType: typeOf(hint),
      }));
    }),
  );
  return lists.flat();
}

interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

export async function readResource(
  scheme: string,
  resources: readonly Shown[],
  visitor: McpVisitor,
  { uri, signal }: { readonly uri: string; readonly signal: AbortSignal },
) {
  const [noun, id] = splitAddress(scheme, uri);
  const found = resources.find(({ operation }) => nounOf(operation) === noun);
  if (found === undefined || id === undefined) throw unknownAddress(uri);
  const { operation, hint } = found;
  const output = await visitor.invoke(operation.name, { [hint.key]: id }, { signal });
  const text = hint.text && (output as Readonly<Record<string, unknown>>)[hint.text];
  return {
    uri,
    mimeType: typeOf(hint),
    text: typeof text === "string" ? text : modelText(output),
  };
}

function splitAddress(scheme: string, uri: string): readonly (string | undefined)[] {
  const prefix = `${scheme}://`;
  if (!uri.startsWith(prefix)) return [];
  const [noun, id, more] = uri.slice(prefix.length).split("/");
  return more === undefined && id !== "" && id !== undefined ? [noun, decodeURIComponent(id)] : [];
}

function typeOf({ text }: ResourceHint): string {
  return text === undefined ? "application/json" : "text/markdown";
}

function unknownAddress(uri: string): ProductError {
  return new ProductError("resource_unknown", `There is nothing to read at ${uri.slice(0, 200)}.`, {
    kind: "not_found",
    hint: "resources/templates/list says what addresses look like.",
  });
}
