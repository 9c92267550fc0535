import { memo } from "react";
import { pressByKey } from "../../parts/press-by-key.ts";
import { openReference, sourceTone } from "../../parts/reference.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import {
  type Mark,
  type MessageLine,
  messageLines,
  type Piece,
} from "../../reader/message-lines.ts";
import { roleWords, type Said } from "./talk.ts";

/** One message. Its pieces say where they stand, so that a selection can be read back. */
export const MessageSaid = memo(function MessageSaid({
  message,
  marks,
}: {
  readonly message: Said;
  readonly marks: readonly Mark[];
}) {
  const { id, role, content, at, isRedacted } = message;
  return (
    <article
      className={`said ${role}`}
      data-message={id}
      data-length={content.length}
      tabIndex={-1}
      aria-label={`${roleWords(role)} said`}
    >
      <header>
        <b className="b">{roleWords(role)}</b>
        {at !== undefined && (
          <span className="muted">
            <Ago at={at} />
          </span>
        )}
        {isRedacted && <span className="tag">some of it is redacted</span>}
      </header>
      <div className="said-words">
        {messageLines(content, marks).map((line) => (
          <Line key={line.at} line={line} />
        ))}
      </div>
    </article>
  );
});

function Line({ line: { kind, pieces } }: { readonly line: MessageLine }) {
  return (
    <div className={`ml ${kind}`}>
      {pieces.map((piece) => (
        <OnePiece key={piece.at} piece={piece} />
      ))}
      {pieces.length === 0 && <br />}
    </div>
  );
}

function OnePiece({ piece: { at, text, style, mark } }: { readonly piece: Piece }) {
  const classes = [`p-${style}`, mark === undefined ? "" : `kept ${sourceTone(mark.kind)}`];
  const place = { "data-at": at, "data-length": text.length, className: classes.join(" ").trim() };
  if (mark === undefined)
    return (
      <span {...place}>
        <Words text={text} />
      </span>
    );
  return (
    <span
      {...place}
      role="button"
      tabIndex={0}
      title="Kept as a highlight; open it"
      data-mark={mark.id}
      onClick={() => {
        // Whoever selects inside a highlight does not want to leave.
        if (document.getSelection()?.isCollapsed !== false) openReference(mark.kind, mark.id);
      }}
      onKeyDown={pressByKey}
    >
      <Words text={text} />
    </span>
  );
}
