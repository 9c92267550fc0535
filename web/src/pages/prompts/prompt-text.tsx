import { Source } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { type PromptLine, type PromptPiece, sourceKind, type Trace } from "./prompt-lines.ts";

const LEGEND = ["task", "decision", "highlight", "glossary", "conversation", "fixed"] as const;

export function PromptText({
  lines,
  trace,
  chosen,
  onChoose,
  isPruned,
}: {
  readonly lines: readonly PromptLine[];
  readonly trace: Trace | undefined;
  readonly chosen: number | undefined;
  readonly onChoose: (range: number | undefined) => void;
  readonly isPruned: boolean;
}) {
  return (
    <section className="pane">
      <header>
        <h2>As it was sent</h2>
        <span className="row micro muted legend-row hide-n">
          {LEGEND.map((kind) => (
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
            // oxlint-disable-next-line no-array-index-key -- lines stay where they are
            <Line key={n} line={line} trace={trace} chosen={chosen} onChoose={onChoose} />
          ))}
        </div>
      </Scroll>
    </section>
  );
}

function Line({
  line: { pieces, role },
  trace,
  chosen,
  onChoose,
}: {
  readonly line: PromptLine;
  readonly trace: Trace | undefined;
  readonly chosen: number | undefined;
  readonly onChoose: (range: number | undefined) => void;
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
            />
          ))}
        </span>
      </p>
    </>
  );
}

function Piece({
  piece: { text, range },
  trace,
  isChosen,
  onChoose,
}: {
  readonly piece: PromptPiece;
  readonly trace: Trace | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (range: number | undefined) => void;
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
      className={["span", isFrame ? "frame" : "mark", tone, isChosen ? "on" : ""].join(" ")}
      title={titleOf(source.layer, source.part, source.ref)}
      aria-pressed={isChosen}
      onClick={() => onChoose(isChosen ? undefined : range)}
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
