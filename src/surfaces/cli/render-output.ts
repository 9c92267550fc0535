/** An operation's result for a person: lists as tables, things as fields, texts as they are. */

import { layOutView } from "../../kernel/operation/lay-out-view.ts";
import type { CliOutput } from "./cli-world.ts";
import type { GlobalOptions } from "./global-options.ts";
import { renderFields, renderTable } from "./render-table.ts";
import { safeText } from "./safe-text.ts";
import { createStyle, type Style } from "./style.ts";

export interface Rendered {
  /** What goes to stdout; empty when there is nothing to show. */
  readonly data: string;
  /** A word about it, for stderr. */
  readonly remark: string | undefined;
}

export interface Surface {
  readonly columns: number;
  readonly style: Style;
}

/** Nothing is cut where nobody looks. */
export function surfaceOf(
  output: CliOutput,
  environment: Readonly<Record<string, string | undefined>>,
  color: GlobalOptions["color"],
): Surface {
  return {
    columns: output.isTTY ? output.columns : Infinity,
    style: createStyle(output, environment, color),
  };
}

/** An operation's own view, as wide as the terminal. */
export function renderView(view: string, surface: Surface): string {
  return layOutView(safeText(view), surface);
}

export function renderOutput(output: unknown, { columns, style }: Surface): Rendered {
  if (typeof output === "string") return { data: safeText(output), remark: undefined };
  if (Array.isArray(output)) return renderList(output, columns, style);
  if (typeof output !== "object" || output === null) return { data: "", remark: "Done." };
  const entries = Object.entries(output).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return { data: "", remark: "Done." };
  const [list, ...others] = entries.filter(([, value]) => isRows(value));
  const isPage =
    list !== undefined && entries.every(([name]) => name === list[0] || name === "nextCursor");
  if (isPage) {
    const rendered = renderList(list[1] as unknown[], columns, style);
    const cursor = entries.find(([name]) => name === "nextCursor")?.[1];
    return cursor === undefined
      ? rendered
      : { ...rendered, remark: `There is more: add --cursor ${safeText(String(cursor))}` };
  }
  const lists = list === undefined ? [] : [list, ...others];
  return { data: renderThing(entries, lists, columns, style), remark: undefined };
}

type NamedValue = readonly [string, unknown];

function renderThing(
  entries: readonly NamedValue[],
  lists: readonly NamedValue[],
  columns: number,
  style: Style,
): string {
  const texts = entries.filter(
    ([, value]) => typeof value === "string" && value.trim().includes("\n"),
  );
  const plain = entries.filter((entry) => !lists.includes(entry) && !texts.includes(entry));
  return [
    ...(plain.length === 0 ? [] : [renderFields(Object.fromEntries(plain), style)]),
    ...texts.map(([name, value]) => `${style("bold", name)}\n${safeText(String(value))}`),
    ...lists.map(
      ([name, value]) =>
        `${style("bold", name)}\n${renderList(value as unknown[], columns, style).data || "–"}`,
    ),
  ].join("\n\n");
}

function renderList(items: readonly unknown[], columns: number, style: Style): Rendered {
  if (items.length === 0) return { data: "", remark: "Nothing to show." };
  if (isRows(items)) return { data: renderTable(items, columns, style), remark: undefined };
  return {
    data: items
      .map((item) => safeText(typeof item === "string" ? item : JSON.stringify(item)))
      .join("\n"),
    remark: undefined,
  };
}

/** An empty list may be one of rows; it is shown as such. */
function isRows(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === "object" && item !== null && !Array.isArray(item))
  );
}
