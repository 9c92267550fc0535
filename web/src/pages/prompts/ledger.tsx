import { count, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Source } from "../../parts/reference.tsx";
import { isPointedAt, type Place, pointsAt } from "./pointed.ts";
import { sourceKind, type Trace } from "./prompt-lines.ts";
import { reasonWords } from "./selected-span.tsx";

type Row = Trace["ledger"][number];

/** Every candidate: what is in and what is out, each with its reason. */
export function Ledger({
  trace,
  chosen,
  onChoose,
  pointed,
  onPoint,
}: {
  readonly trace: Trace;
  readonly chosen: string | undefined;
  readonly onChoose: (range: number | undefined) => void;
  readonly pointed: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
}) {
  const inside = trace.ledger.filter(({ outcome }) => outcome === "in");
  const outside = trace.ledger.filter(({ outcome }) => outcome === "out");
  const choose = ({ part }: Row) => {
    const first = trace.sourceMap.findIndex((range) => range.part === part);
    onChoose(first < 0 ? undefined : first);
  };
  return (
    <section className="pane ledger-pane">
      <header>
        <h2>Ledger</h2>
        <span className="micro muted end num">
          {inside.length} in, {outside.length} out
        </span>
      </header>
      <div className="scroll">
        <Rows
          state="ok"
          title={`In, ${inside.length}`}
          rows={inside}
          chosen={chosen}
          onChoose={choose}
          pointed={pointed}
          onPoint={onPoint}
        />
        <Rows
          state="skip"
          title={`Out, ${outside.length}`}
          rows={outside}
          chosen={chosen}
          onChoose={choose}
          pointed={pointed}
          onPoint={onPoint}
        />
      </div>
    </section>
  );
}

function Rows({
  state,
  title,
  rows,
  chosen,
  onChoose,
  pointed,
  onPoint,
}: {
  readonly state: "ok" | "skip";
  readonly title: string;
  readonly rows: readonly Row[];
  readonly chosen: string | undefined;
  readonly onChoose: (row: Row) => void;
  readonly pointed: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
}) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3 className="group">
        <Glyph state={state} />
        {title}
      </h3>
      <div className="ledger">
        {rows.map((row) => (
          <button
            key={`${row.part} ${row.reason}`}
            type="button"
            className={[
              row.outcome === "out" ? "out" : "",
              row.part === chosen ? "sel" : "",
              isPointedAt(pointed, row) ? "lit" : "",
            ].join(" ")}
            onClick={() => onChoose(row)}
            {...pointsAt(row, onPoint)}
          >
            <Source kind={sourceKind(row)} />
            <span className="t cut">{row.part}</span>
            {row.outcome === "out" || row.truncated !== undefined ? (
              <span className="tag">
                {row.truncated === undefined ? row.reason.replaceAll("_", " ") : "shortened"}
              </span>
            ) : (
              <span />
            )}
            <span className="score">{row.score?.value.toFixed(2) ?? ""}</span>
            <span className="why">{whyWords(row)}</span>
          </button>
        ))}
      </div>
    </>
  );
}

function whyWords({ layer, reason, characters, truncated, note, because, shortage }: Row): string {
  const parts = [
    reasonWords(reason),
    `in ${words(layer).toLowerCase()}`,
    truncated === undefined ? "" : `cut to ${count(truncated.to)} of ${count(truncated.from)}`,
    truncated === undefined && characters !== undefined ? `${count(characters)} characters` : "",
    shortage === undefined ? "" : "it would have needed more room than was left",
    because === undefined ? "" : `because of ${because}`,
    note ?? "",
  ];
  return parts.filter(Boolean).join(", ");
}
