/** A value as people read it: objects as named lines, lists as lists, long texts as texts; the raw JSON on demand. */

import type { ReactNode } from "react";
import type { Json } from "../api/operation.ts";
import { words } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import { Words } from "./words.tsx";

const DEEP = 4;
const LONG = 90;

export function JsonView({
  value,
  depth = 0,
}: {
  readonly value: Json;
  readonly depth?: number;
}): ReactNode {
  if (value === null) return <span className="faint">nothing</span>;
  if (typeof value === "string") return <TextValue text={value} />;
  if (typeof value !== "object") return <span className="num">{String(value)}</span>;
  if (depth >= DEEP) return <JsonText value={value} />;
  if (!isList(value)) return <ObjectValue value={value} depth={depth} />;
  if (value.length === 0) return <span className="faint">none</span>;
  if (isTable(value)) return <RecordTable rows={value as readonly Row[]} depth={depth} />;
  return (
    <ul className="bullets">
      {value.map((item, n) => (
        // oxlint-disable-next-line no-array-index-key -- a value does not change while it is shown
        <li key={n}>
          <JsonView value={item} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
}

function isList(value: readonly Json[] | Row): value is readonly Json[] {
  return Array.isArray(value);
}

function TextValue({ text }: { readonly text: string }) {
  if (text === "") return <span className="faint">empty</span>;
  return text.length > LONG || text.includes("\n") ? (
    <Markdown text={text} />
  ) : (
    <Words text={text} />
  );
}

function ObjectValue({
  value,
  depth,
}: {
  readonly value: { readonly [key: string]: Json };
  readonly depth: number;
}) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="faint">nothing in it</span>;
  return (
    <dl className="names">
      {entries.map(([name, part]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>
            <JsonView value={part} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Row = { readonly [key: string]: Json };

/** Things of the same kind with short values read better side by side. */
function isTable(items: readonly Json[]): boolean {
  if (items.length < 2) return false;
  const [first] = items;
  if (typeof first !== "object" || first === null || Array.isArray(first)) return false;
  const names = Object.keys(first);
  return (
    names.length <= 5 &&
    items.every(
      (item) =>
        typeof item === "object" &&
        item !== null &&
        !Array.isArray(item) &&
        Object.entries(item).every(
          ([name, value]) => names.includes(name) && typeof value !== "object",
        ),
    )
  );
}

function RecordTable({ rows, depth }: { readonly rows: readonly Row[]; readonly depth: number }) {
  const names = Object.keys(rows[0] ?? {});
  return (
    <table className="tbl">
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} className={typeof rows[0]?.[name] === "number" ? "r" : undefined}>
              {words(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, n) => (
          // oxlint-disable-next-line no-array-index-key -- a value does not change while it is shown
          <tr key={n}>
            {names.map((name) => (
              <td key={name} className={typeof row[name] === "number" ? "r" : undefined}>
                <JsonView value={row[name] ?? null} depth={depth + 1} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const PIECES = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

/** JSON as text, with its parts told apart. */
export function JsonText({ value }: { readonly value: Json }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(PIECES)) {
    const [whole, quoted, colon] = found;
    if (found.index > end) parts.push(text.slice(end, found.index));
    const tone = colon !== undefined ? "k" : quoted !== undefined ? "s" : "n";
    parts.push(
      <span key={found.index} className={tone}>
        <Words text={whole} />
      </span>,
    );
    end = found.index + whole.length;
  }
  parts.push(text.slice(end));
  return <pre className="code">{parts}</pre>;
}
