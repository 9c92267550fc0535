import type { Output } from "../../api/operation.ts";
import { Button } from "../../parts/button.tsx";
import { count, plural, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Source, sourceTone } from "../../parts/reference.tsx";
import { Words } from "../../parts/words.tsx";
import { kindOf } from "./packet-lines.ts";
import { openThought } from "./packet-text.tsx";

export type LedgerRow = Output<"packet.preview">["ledger"][number];

/** What may be wished in or out. */
export interface Wishing {
  readonly pin: readonly string[];
  readonly ban: readonly string[];
  readonly onWish: (thought: string, to: "pin" | "ban" | undefined) => void;
}

/** Every candidate: what is in and what is out, each with its score, its terms and its reason. */
export function PacketLedger({
  rows,
  chosen,
  onChoose,
  wishing,
}: {
  readonly rows: readonly LedgerRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (thought: string | undefined) => void;
  readonly wishing?: Wishing;
}) {
  return (
    <div className="scroll" role="region" aria-label="What is in and what is out">
      {(["in", "out"] as const).map((outcome) => {
        const all = rows.filter((row) => row.outcome === outcome);
        // What the packet says of itself is one thing: it is always there.
        const own = all.filter((row) => row.type !== undefined || row.outcome === "out");
        const frame = all.filter((row) => !own.includes(row));
        return (
          <section key={outcome}>
            <h3 className="group">
              <Glyph state={outcome === "in" ? "ok" : "skip"} />
              {outcome === "in" ? "In" : "Left out"}, {all.length}
            </h3>
            <ol className="ledger">
              {own.map((row, n) => (
                <Row
                  // oxlint-disable-next-line no-array-index-key -- the packet's own words have no name
                  key={`${row.section} ${thoughtOf(row) ?? ""} ${row.title ?? ""} ${n}`}
                  row={row}
                  chosen={chosen}
                  onChoose={onChoose}
                  wishing={wishing}
                />
              ))}
              {frame.length > 0 && (
                <li className="ledger-row">
                  <Source kind="fixed" />
                  <span className="t">The packet’s own words</span>
                  <span />
                  <span className="why">
                    {plural(frame.length, "part")}, {count(sizeOf(frame))} characters: headings,
                    counts, the request and how to answer. They are always there.
                  </span>
                </li>
              )}
            </ol>
            {all.length === 0 && (
              <p className="small muted ledger-none">
                {outcome === "in" ? "Nothing is in it yet." : "Everything there is fits."}
              </p>
            )}
          </section>
        );
      })}
    </div>
  );
}

/** Names we give ourselves begin like a sentence; those of people stay as they are. */
function capital(title: string, type: string | undefined): string {
  return type === "project" && title.startsWith("the ")
    ? title.slice(0, 1).toUpperCase() + title.slice(1)
    : title;
}

function sizeOf(rows: readonly LedgerRow[]): number {
  return rows.reduce((sum, { characters = 0 }) => sum + characters, 0);
}

export function thoughtOf({ type, id }: Pick<LedgerRow, "type" | "id">): string | undefined {
  return type === undefined || id === undefined ? undefined : `${type}:${id}`;
}

function Row({
  row,
  chosen,
  onChoose,
  wishing,
}: {
  readonly row: LedgerRow;
  readonly chosen: string | undefined;
  readonly onChoose: (thought: string | undefined) => void;
  readonly wishing: Wishing | undefined;
}) {
  const { outcome, section, title, type, kind, score, terms, characters, reason } = row;
  const thought = thoughtOf(row);
  const isChosen = thought !== undefined && thought === chosen;
  const source = kindOf(type, kind === "concept");
  const classes = ["ledger-row", outcome === "out" ? "out" : "", isChosen ? "sel" : ""];
  const why = row.why === "Included." || row.why === "Required." ? "" : row.why;
  const facts = [
    words(section),
    outcome === "in" && characters !== undefined ? `${count(characters)} characters` : "",
    why,
  ];
  return (
    <li className={classes.filter(Boolean).join(" ")} data-thought={thought}>
      <Source kind={source} />
      <button
        type="button"
        className="t cut"
        disabled={thought === undefined}
        aria-pressed={isChosen}
        onClick={() => {
          if (isChosen) openThought(thought);
          else onChoose(thought);
        }}
      >
        <Words text={title === undefined ? words(section) : capital(title, type)} />
      </button>
      <span className="row ledger-end">
        {reason !== "included" && reason !== "required" && (
          <span className="tag">{reason.replaceAll("_", " ")}</span>
        )}
        <span className="score">{score?.toFixed(2) ?? ""}</span>
        {wishing !== undefined && <Wishes row={row} wishing={wishing} />}
      </span>
      <span className="why">{facts.filter(Boolean).join(", ")}</span>
      {isChosen && terms !== undefined && <Terms terms={terms} tone={sourceTone(source)} />}
    </li>
  );
}

const WISHED = ["task", "decision", "highlight"];

function Wishes({ row, wishing }: { readonly row: LedgerRow; readonly wishing: Wishing }) {
  const thought = thoughtOf(row);
  if (thought === undefined || !WISHED.includes(row.type ?? "") || row.kind === "origin")
    return null;
  const { pin, ban, onWish } = wishing;
  const isPinned = pin.includes(thought);
  const isBanned = ban.includes(thought);
  const name = row.title ?? row.section;
  return (
    <>
      <Button
        kind={isPinned ? "default" : "quiet"}
        size="small"
        icon="pin"
        name={isPinned ? `Unpin ${name}` : `Pin ${name}: it must be in`}
        onPress={() => onWish(thought, isPinned ? undefined : "pin")}
      />
      <Button
        kind={isBanned ? "default" : "quiet"}
        size="small"
        icon="ban"
        name={isBanned ? `Allow ${name} again` : `Ban ${name}: it must be out`}
        onPress={() => onWish(thought, isBanned ? undefined : "ban")}
      />
    </>
  );
}

/** What a score is the sum of. */
function Terms({
  terms,
  tone,
}: {
  readonly terms: Readonly<Record<string, number>>;
  readonly tone: string;
}) {
  const known = Object.entries(terms).filter(([, value]) => value > 0);
  return (
    <span className={`terms ${tone}`}>
      {known.map(([name, value]) => (
        <i key={name} style={{ "--w": `${value * 100}%` } as object}>
          {name} {value.toFixed(2)}
        </i>
      ))}
    </span>
  );
}
