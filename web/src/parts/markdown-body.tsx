/**
 * Markdown as React elements: no markup is ever built from text, so nothing in it can act. HTML is shown as the text
 * it is, pictures as links (loading one would tell its server who reads), links only where they lead somewhere safe.
 */

import { lexer, type Token, type Tokens } from "marked";
import { Fragment, type ReactNode, useMemo } from "react";
import { isOwnAddress, safeHref } from "./visible-text.ts";
import { Words } from "./words.tsx";

export default function MarkdownBody({ text }: { readonly text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  if (tokens === undefined)
    return (
      <pre className="code">
        <Words text={text} />
      </pre>
    );
  return <div className="brief md">{renderAll(tokens)}</div>;
}

/** Quotes and lists within each other, or brackets that open: more than anybody writes, and each costs a level of the stack. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+]|\d+[.)])){40}|\[{40}/m;

/** Undefined where it is not to be taken apart: then it is shown as it was written. */
function tokensOf(text: string): readonly Token[] | undefined {
  return TOO_DEEP.test(text) ? undefined : lexer(text, { gfm: true, breaks: true });
}

function renderAll(tokens: readonly Token[] | undefined): ReactNode {
  return (tokens ?? []).map((token, n) => (
    // oxlint-disable-next-line no-array-index-key -- tokens have no names, and never move
    <Fragment key={n}>{render(token)}</Fragment>
  ));
}

function render(token: Token): ReactNode {
  switch (token.type) {
    case "heading":
      return <p className={`h h${token["depth"]}`}>{renderAll(token["tokens"])}</p>;
    case "paragraph":
      return <p>{renderAll(token["tokens"])}</p>;
    case "strong":
      return <b>{renderAll(token["tokens"])}</b>;
    case "em":
      return <em>{renderAll(token["tokens"])}</em>;
    case "del":
      return <s>{renderAll(token["tokens"])}</s>;
    case "blockquote":
      return <blockquote>{renderAll(token["tokens"])}</blockquote>;
    case "list":
      return renderList(token as Tokens.List);
    case "table":
      return renderTable(token as Tokens.Table);
    case "link":
      return renderLink(token as Tokens.Link);
    case "image":
      return renderLink(token as Tokens.Image, "picture: ");
    case "code":
      return (
        <pre className="code">
          <Words text={token["text"] as string} />
        </pre>
      );
    case "codespan":
      return (
        <code className="mono">
          <Words text={token["text"] as string} />
        </code>
      );
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "space":
    case "def":
      return null;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? (
        renderAll(token.tokens)
      ) : (
        <Words text={unescape(token["text"] as string)} />
      );
    case "escape":
      return <Words text={token["text"] as string} />;
    default:
      return <Words text={token.raw} />;
  }
}

function renderList({ ordered, start, items }: Tokens.List): ReactNode {
  const lines = items.map((item, n) => (
    // oxlint-disable-next-line no-array-index-key -- items have no names, and never move
    <li key={n}>
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} readOnly aria-label="done" />
      )}
      {renderAll(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{lines}</ol> : <ul>{lines}</ul>;
}

function renderTable({ header, rows, align }: Tokens.Table): ReactNode {
  const side = (n: number) => (align[n] === "right" ? "r" : undefined);
  return (
    <table className="tbl">
      <thead>
        <tr>
          {header.map((cell, n) => (
            // oxlint-disable-next-line no-array-index-key -- columns stay where they are
            <th key={n} className={side(n)}>
              {renderAll(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, n) => (
          // oxlint-disable-next-line no-array-index-key -- rows stay where they are
          <tr key={n}>
            {row.map((cell, m) => (
              // oxlint-disable-next-line no-array-index-key -- columns stay where they are
              <td key={m} className={side(m)}>
                {renderAll(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function renderLink({ href, text, tokens }: Tokens.Link | Tokens.Image, what = ""): ReactNode {
  const words =
    tokens === undefined || tokens.length === 0 ? <Words text={text || href} /> : renderAll(tokens);
  const safe = safeHref(href);
  if (safe === undefined)
    return (
      <>
        {words}{" "}
        <span className="faint mono">
          (<Words text={href} />)
        </span>
      </>
    );
  const isOwn = isOwnAddress(safe);
  return (
    <a
      className="link"
      href={safe}
      {...(isOwn ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" })}
    >
      {what}
      {words}
    </a>
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function unescape(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
