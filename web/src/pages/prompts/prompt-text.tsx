/** The words as they went out. Lines are drawn anew only where something in them is chosen or pointed at. */

import { memo } from "react";
import { Source } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { isPointedAt, type Place, pointsAt } from "./pointed.ts";
import { type PromptLine, type PromptPiece, sourceKind, type Trace } from "./prompt-lines.ts";

const LEGEND = ["task", "decision", "highlight", "glossary", "conversation", "fixed"] as const;

export function PromptText({
  lines,
  trace,
  chosen,
  onChoose,
  pointed,
  onPoint,
  isPruned,
}: {
  readonly lines: readonly PromptLine[];
  readonly trace: Trace | undefined;
  readonly chosen: number | undefined;
  readonly onChoose: (range: number | undefined) => void;
  readonly pointed: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
  readonly isPruned: boolean;
}) {
  const holds = ({ pieces }: PromptLine, test: (range: number) => boolean) =>
    pieces.some(({ range }) => range !== undefined && test(range));
  const isPointed = (range: number) => {
    const place = trace?.sourceMap[range];
    return place !== undefined && isPointedAt(pointed, place);
  };
  return (
    <section className="pane">
      <header>
        <h2>As it was sent</h2>
        <span className="row micro muted legend-row hide-n">
          {LEGEND.filter((kind) =>
            trace?.sourceMap.some((range) => sourceKind(range) === kind),
          ).map((kind) => (
            <span key={kind} className="row">
              <Source kind={kind} />
              {kind}
            </span>
          ))}
        </span>
      </header>
      <Scroll label="Prompt">
        {isPruned && (
          <p className="muted pruned">The words of this prompt were pruned; its hash is kept.</p>
        )}
        <div className="prompt">
          {lines.map((line, n) => (
            <Line
              // oxlint-disable-next-line no-array-index-key -- lines stay where they are
              key={n}
              line={line}
              trace={trace}
              chosen={holds(line, (range) => range === chosen) ? chosen : undefined}
              onChoose={onChoose}
              pointed={holds(line, isPointed) ? pointed : undefined}
              onPoint={onPoint}
            />
          ))}
        </div>
      </Scroll>
    </section>
  );
}

const Line = memo(function Line({
  line: { pieces, role },
  trace,
  chosen,
  onChoose,
  pointed,
  onPoint,
}: {
  readonly line: PromptLine;
  readonly trace: Trace | undefined;
  readonly chosen: number | undefined;
  readonly onChoose: (range: number | undefined) => void;
  readonly pointed: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
}) {
  const kind = pieces
    .map(({ range }) => (range === undefined ? undefined : trace?.sourceMap[range]))
    .filter((range) => range?.kind === "text")
    .map((range) => sourceKind(range))
    .find((each) => each !== "fixed");
  return (
    <>
      {role !== undefined && <div className="role-line micro">{role}</div>}
      <p>
        {kind === undefined ? <span /> : <Source kind={kind} />}
        <span className="txt">
          {pieces.map((piece, n) => (
            // oxlint-disable-next-line no-array-index-key -- pieces stay where they are
            <Piece
              key={n}
              piece={piece}
              trace={trace}
              isChosen={piece.range !== undefined && piece.range === chosen}
              onChoose={onChoose}
              pointed={pointed}
              onPoint={onPoint}
            />
          ))}
        </span>
      </p>
    </>
  );
});

function Piece({
  piece: { text, range },
  trace,
  isChosen,
  onChoose,
  pointed,
  onPoint,
}: {
  readonly piece: PromptPiece;
  readonly trace: Trace | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (range: number | undefined) => void;
  readonly pointed: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
}) {
  const source = range === undefined ? undefined : trace?.sourceMap[range];
  if (source === undefined || source.kind === "separator") return <Words text={text} />;
  if (source.kind === "heading")
    return (
      <span className="sec">
        <Words text={text} />
      </span>
    );
  if (source.kind === "marker")
    return (
      <span className="cutmark">
        <Words text={text} />
      </span>
    );
  const kind = sourceKind(source);
  const tone = `k-${kind === "fixed" ? "x" : kind.slice(0, 1)}`;
  // Fixed text without a source is the frame of the prompt; only what came from somewhere is marked.
  const isFrame = kind === "fixed" && source.ref?.type !== "value";
  return (
    <button
      type="button"
      className={[
        "span",
        isFrame ? "frame" : "mark",
        tone,
        isChosen ? "on" : "",
        isPointedAt(pointed, source) ? "lit" : "",
      ].join(" ")}
      title={titleOf(source.layer, source.part, source.ref)}
      aria-pressed={isChosen}
      onClick={() => onChoose(isChosen ? undefined : range)}
      {...pointsAt(source, onPoint)}
    >
      <Words text={text} />
    </button>
  );
}

function titleOf(
  layer: string,
  part: string | undefined,
  ref: { readonly type: string; readonly id: string; readonly field?: string } | undefined,
): string {
  const from =
    ref === undefined
      ? ""
      : `, from ${ref.type} ${ref.id}${ref.field === undefined ? "" : `, ${ref.field}`}`;
  return `${layer}${part === undefined ? "" : `, ${part}`}${from}`;
}
