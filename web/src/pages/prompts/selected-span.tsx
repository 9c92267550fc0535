import { count, words } from "../../parts/format.ts";
import { type ReferenceNoun, Source } from "../../parts/reference.tsx";
import { ReferenceName } from "../../parts/reference-name.tsx";
import { sourceKind, type Trace } from "./prompt-lines.ts";

type Range = Trace["sourceMap"][number];
type Row = Trace["ledger"][number];

/** Where the chosen words come from, and why they are there. */
export function SelectedSpan({
  trace,
  range,
}: {
  readonly trace: Trace;
  readonly range: Range | undefined;
}) {
  if (range === undefined)
    return (
      <div className="span-box">
        <p className="small muted">
          Choose a passage of the prompt, a layer or a row of the ledger to see where it comes from
          and why it is there.
        </p>
      </div>
    );
  const row = trace.ledger.find(({ part }) => part === range.part);
  return (
    <div className="span-box">
      <div className="row">
        <h2 className="lbl">Chosen passage</h2>
        <span className="micro muted end num">
          {count(range.start)}–{count(range.end)}
        </span>
      </div>
      <div className="row at-start">
        <Source kind={sourceKind(range)} />
        <div className="grow">
          <div className="b">
            {words(range.layer)}
            {range.part !== undefined && `, ${range.part}`}
          </div>
          <div className="small muted">
            <From range={range} />
          </div>
        </div>
      </div>
      {row !== undefined && <Why row={row} />}
    </div>
  );
}

const NOUNS: readonly string[] = [
  "task",
  "decision",
  "highlight",
  "conversation",
  "run",
  "exchange",
  "artifact",
  "project",
];

function From({ range: { ref } }: { readonly range: Range }) {
  if (ref === undefined) return "Written by the program, the same every time.";
  const { type, id, field } = ref;
  const suffix = field === undefined ? "" : `, its ${field}`;
  if (NOUNS.includes(type))
    return (
      <>
        From <ReferenceName noun={type as ReferenceNoun} id={id} />
        {suffix}
      </>
    );
  return (
    <>
      From {type} <span className="mono">{id}</span>
      {suffix}
    </>
  );
}

function Why({ row }: { readonly row: Row }) {
  const { reason, score, importance, truncated, note } = row;
  return (
    <>
      {score !== undefined && (
        <table className="tbl terms-table">
          <tbody>
            {Object.entries(score.terms ?? {}).map(([name, value]) => (
              <tr key={name}>
                <td>{words(name)}</td>
                <td className="r mono">{value.toFixed(2)}</td>
              </tr>
            ))}
            <tr>
              <td className="b">Score</td>
              <td className="r mono b">{score.value.toFixed(2)}</td>
            </tr>
          </tbody>
        </table>
      )}
      <p className="small muted">
        {reasonWords(reason)}
        {importance !== undefined && importance !== reason && `, ${importance}`}
        {truncated !== undefined &&
          `, cut to ${count(truncated.to)} of ${count(truncated.from)} characters`}
        {note !== undefined && `. ${note}`}
      </p>
    </>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  required: "Always there",
  pinned: "Pinned by a person",
  floor: "Kept whatever the room",
  included: "Chosen by its score",
  banned: "Banned by a person",
  budget: "No room for it",
};

export function reasonWords(reason: string): string {
  return REASONS[reason] ?? words(reason);
}
