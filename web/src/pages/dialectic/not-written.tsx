/** A place whose document is still to come: the reply as it grows, or what it waits for. */

import { useReply } from "../../data/use-reply.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { modelOf, type Placed, placeWords, type Status } from "./dialectic-words.ts";
import { HeldNote } from "./held-note.tsx";

export function NotWritten({
  status,
  placed,
}: {
  readonly status: Status;
  readonly placed: Placed;
}) {
  const mayRun = useMay("run");
  const { stage, cell } = placed;
  if (cell.state === "held") return <HeldNote status={status} placed={placed} mayRun={mayRun} />;
  if (cell.state === "working" && cell.exchangeId !== undefined)
    return <GrowingReply status={status} placed={placed} exchangeId={cell.exchangeId} />;
  return (
    <div className="empty">
      <div className="b">{cell.state === "ahead" ? "Not reached yet" : "Next to be written"}</div>
      <div className="muted">
        {cell.state === "ahead"
          ? `${stage.title} has not come to it. ${placeWords(cell)} will write it: ${modelOf(status, cell.slot)}.`
          : `It waits for its turn. ${placeWords(cell)} writes it: ${modelOf(status, cell.slot)}.`}
      </div>
    </div>
  );
}

/** What the model has written so far, as it arrives. */
export function GrowingReply({
  status,
  placed: { cell },
  exchangeId,
}: {
  readonly status: Status;
  readonly placed: Placed;
  readonly exchangeId: string;
}) {
  const text = useReply(exchangeId);
  return (
    <>
      <div className="note run dx-note">
        <Glyph state="run" />
        <div className="grow">
          Being written by <span className="mono">{modelOf(status, cell.slot)}</span>.{" "}
          <a className="link" href={`/prompts/${exchangeId}`}>
            What it was told
          </a>
        </div>
      </div>
      <Scroll label="The reply as it arrives" className="scroll dx-growing">
        {text === undefined || text === "" ? (
          <p className="muted">Nothing has arrived yet.</p>
        ) : (
          <pre className="code">
            <Words text={text} />
          </pre>
        )}
      </Scroll>
    </>
  );
}
