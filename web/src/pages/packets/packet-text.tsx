import { pressByKey } from "../../parts/press-by-key.ts";
import { openReference, type ReferenceNoun, Source, sourceTone } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { type Line, type Piece, packetShares } from "./packet-lines.ts";

/** The text as it will be read elsewhere, each passage in the colour of its source. */
export function PacketText({
  lines,
  chosen,
  onChoose,
}: {
  readonly lines: readonly Line[];
  readonly chosen: string | undefined;
  readonly onChoose: (thought: string | undefined) => void;
}) {
  return (
    <Scroll label="Text of the packet">
      <div className="prompt packet-text">
        {lines.map((line) => (
          <TextLine key={line.at} line={line} chosen={chosen} onChoose={onChoose} />
        ))}
      </div>
    </Scroll>
  );
}

function TextLine({
  line: { pieces, role },
  chosen,
  onChoose,
}: {
  readonly line: Line;
  readonly chosen: string | undefined;
  readonly onChoose: (thought: string | undefined) => void;
}) {
  const kind = pieces.find((piece) => piece.thought !== undefined)?.kind;
  const tone = role === "heading" ? "sec" : role === "marker" ? "cutmark" : "";
  return (
    <p>
      {kind === undefined || role === "heading" ? <span /> : <Source kind={kind} />}
      <span className={`txt ${tone}`}>
        {pieces.map((piece, n) => (
          // oxlint-disable-next-line no-array-index-key -- pieces of a line stay where they are
          <TextPiece key={n} piece={piece} chosen={chosen} onChoose={onChoose} />
        ))}
      </span>
    </p>
  );
}

function TextPiece({
  piece: { text, kind, thought },
  chosen,
  onChoose,
}: {
  readonly piece: Piece;
  readonly chosen: string | undefined;
  readonly onChoose: (thought: string | undefined) => void;
}) {
  if (thought === undefined) return <Words text={text} />;
  const isChosen = thought === chosen;
  const press = () => {
    if (isChosen) openThought(thought);
    else onChoose(thought);
  };
  return (
    // A button is a box of its own; only plain inline text breaks across lines like the rest.
    <span
      role="button"
      tabIndex={0}
      className={`span mark ${sourceTone(kind)} ${isChosen ? "on" : ""}`}
      aria-pressed={isChosen}
      title="Choose it to see why it is there; choose it again to open it"
      onClick={press}
      onKeyDown={pressByKey}
    >
      <Words text={text} />
    </span>
  );
}

/** `message:ID` has no view of its own. */
export function openThought(thought: string): void {
  const colon = thought.indexOf(":");
  const type = thought.slice(0, colon);
  if (type !== "message") openReference(type as ReferenceNoun, thought.slice(colon + 1));
}

/** Whose words the room goes to. */
export function ShareBar({
  lines,
  budget,
}: {
  readonly lines: readonly Line[];
  readonly budget: number;
}) {
  const shares = packetShares(lines);
  const words = shares.map(({ kind, characters }) => `${kind} ${characters}`).join(", ");
  return (
    <div className="budget" role="img" aria-label={`Characters by source: ${words}`}>
      {shares.map(({ kind, characters }) => (
        <i
          key={kind}
          className={kind === "fixed" ? "fixed" : sourceTone(kind)}
          title={`${kind === "fixed" ? "the packet's own words" : kind}, ${characters}`}
          style={{ "--w": `${(100 * characters) / Math.max(1, budget)}%` } as object}
        />
      ))}
    </div>
  );
}
