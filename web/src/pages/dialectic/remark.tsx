/** Something a person said about a document, and what becomes of it. */

import { useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { type Remark, remarkState } from "./dialectic-words.ts";

export function RemarkItem({
  runId,
  remark,
  where,
}: {
  readonly runId: string;
  readonly remark: Remark;
  /** Which part it is about, where that does not follow from where it stands. */
  readonly where?: string | undefined;
}) {
  const mayEdit = useMay("edit");
  const { id, text, state, note, createdByName, createdAt } = remark;
  return (
    <div className="dx-remark" data-state={state}>
      <Who name={createdByName} small />
      <div className="grow">
        <div className="row small">
          <b className="b">
            <Words text={createdByName} />
          </b>
          {where !== undefined && <span className="muted cut">{where}</span>}
          <span className="micro muted">
            <Ago at={createdAt} />
          </span>
          <Chip state={remarkState(state)}>{state}</Chip>
        </div>
        <div className="dx-said">
          <Words text={text} />
        </div>
        {note !== undefined && (
          <div className="small muted">
            <Words text={note} />
          </div>
        )}
        {mayEdit && <SettleRemark key={state} runId={runId} id={id} state={state} />}
      </div>
    </div>
  );
}

const WAYS = [
  { state: "deferred", label: "Defer", asks: true },
  { state: "rejected", label: "Reject", asks: true },
  { state: "addressed", label: "Mark addressed", asks: false },
] as const;

function SettleRemark({
  runId,
  id,
  state,
}: {
  readonly runId: string;
  readonly id: string;
  readonly state: Remark["state"];
}) {
  const { run, isBusy, problem } = useChange("dialectic.feedback");
  const [asked, ask] = useState<"deferred" | "rejected">();
  const [why, setWhy] = useState("");
  const settle = (next: Remark["state"], note?: string) =>
    run({ session: runId, item: id, state: next, ...(note === undefined ? {} : { note }) });
  if (asked !== undefined)
    return (
      <form
        className="row dx-why"
        onSubmit={(event) => {
          event.preventDefault();
          void settle(asked, why);
        }}
      >
        <input
          className="inp grow"
          aria-label={asked === "deferred" ? "Why it is deferred" : "Why it is rejected"}
          placeholder="Why"
          // oxlint-disable-next-line no-autofocus -- the button that was pressed is gone
          autoFocus
          value={why}
          onChange={({ target }) => setWhy(target.value)}
        />
        <Button submits size="small" isBusy={isBusy}>
          {asked === "deferred" ? "Defer" : "Reject"}
        </Button>
        <Button kind="quiet" size="small" onPress={() => ask(undefined)}>
          Back
        </Button>
        <ProblemNote problem={problem} />
      </form>
    );
  return (
    <div className="row wrap dx-settle">
      {state === "open" ? (
        WAYS.map((way) => (
          <Button
            key={way.state}
            kind="quiet"
            size="small"
            isBusy={isBusy}
            onPress={() => (way.asks ? ask(way.state) : void settle(way.state))}
          >
            {way.label}
          </Button>
        ))
      ) : (
        <Button kind="quiet" size="small" isBusy={isBusy} onPress={() => void settle("open")}>
          Open again
        </Button>
      )}
      <ProblemNote problem={problem} />
    </div>
  );
}
