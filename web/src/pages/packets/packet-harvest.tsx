/** What comes back: an answer that is pasted or arrives from a model, read into candidates and reviewed. */

import { useEffect, useRef, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useNewest } from "../../data/use-newest.ts";
import { useList, useOperation } from "../../data/use-operation.ts";
import { useReply } from "../../data/use-reply.ts";
import { HarvestReview } from "../../harvest/harvest-review.tsx";
import { Button } from "../../parts/button.tsx";
import { ago, count } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { useNow } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useCommands } from "../../shell/commands.ts";
import { useMay } from "../../shell/session.ts";

type Detail = Output<"packet.show">;
type Harvest = Output<"harvest.list">["items"][number];

export function PacketHarvest({ detail }: { readonly detail: Detail }) {
  const { packet } = detail;
  const mayEdit = useMay("edit");
  const list = useList("harvest.list", { packet: packet.id, limit: 20 });
  const [asked, setAsked] = useState<string>();
  const chosen = list.items.find(({ id }) => id === asked) ?? list.items[0];
  const [isPasting, setPasting] = useState(false);
  const showsPaste = mayEdit && (isPasting || (list.data !== undefined && chosen === undefined));
  const onRead = (harvestId: string) => {
    setAsked(harvestId);
    setPasting(false);
    list.refresh();
  };
  return (
    <>
      <div className="sub harvest-sub">
        <span className="small muted cut">Nothing is written until you say so</span>
        <span className="end row">
          {list.items.length > 1 && (
            <Which harvests={list.items} chosen={chosen} onChoose={setAsked} />
          )}
          {chosen !== undefined && mayEdit && (
            <Button size="small" kind="quiet" onPress={() => setPasting(!isPasting)}>
              {isPasting ? "Back to the review" : "Paste again"}
            </Button>
          )}
        </span>
      </div>
      <ProblemNote problem={list.problem} onRetry={list.refresh} />
      {chosen === undefined && <Sent detail={detail} onRead={onRead} />}
      {showsPaste && <Paste packetId={packet.id} onRead={onRead} />}
      {!showsPaste && chosen !== undefined && (
        <HarvestReview key={chosen.id} harvestId={chosen.id} />
      )}
    </>
  );
}

function Which({
  harvests,
  chosen,
  onChoose,
}: {
  readonly harvests: readonly Harvest[];
  readonly chosen: Harvest | undefined;
  readonly onChoose: (id: string) => void;
}) {
  const now = useNow(20_000);
  return (
    <select
      className="inp which"
      aria-label="Which harvest"
      value={chosen?.id}
      onChange={({ target }) => onChoose(target.value)}
    >
      {harvests.map(({ id, createdAt, counts }) => (
        <option key={id} value={id}>
          {ago(createdAt, now)}, {counts.accepted} accepted
        </option>
      ))}
    </select>
  );
}

/** Pasting works anywhere on the page, not only in the field. */
function Paste({
  packetId,
  onRead,
}: {
  readonly packetId: string;
  readonly onRead: (harvestId: string) => void;
}) {
  const read = useChange("harvest.read");
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const take = async (answer: string) => {
    if (answer.trim() === "" || read.isBusy) return;
    setText(answer);
    const found = await read.run({ packetId, answer });
    if (found !== undefined) onRead(found.harvestId);
  };
  const newest = useNewest(take);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target } = event;
      if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) return;
      if (document.querySelector("dialog:modal") !== null) return;
      const answer = event.clipboardData?.getData("text/plain") ?? "";
      if (answer.trim() === "") return;
      event.preventDefault();
      void newest.current(answer);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [newest]);
  useCommands("Answer", [
    { label: "Paste the answer", keys: "v", run: () => field.current?.focus() },
  ]);
  return (
    <div className="paste">
      <label className="field grow">
        <span className="lbl">
          The answer, as it was copied{" "}
          <span className="faint">(paste it anywhere on this page, or press v)</span>
        </span>
        <textarea
          ref={field}
          className="inp mono"
          spellCheck={false}
          placeholder={"## Answer\n…\n## Next steps\n- …"}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onPaste={(event) => {
            // Into an empty field the whole answer comes at once: it is read at once.
            const answer = event.clipboardData.getData("text/plain");
            if (text !== "" || answer.trim() === "") return;
            event.preventDefault();
            void take(answer);
          }}
        />
      </label>
      <ProblemNote problem={read.problem} />
      <div className="row">
        <Button
          kind="primary"
          isBusy={read.isBusy}
          isDisabled={text.trim() === ""}
          effect="nothing is written yet"
          onPress={() => void take(text)}
        >
          Read it
        </Button>
        <span className="end small muted num">{count(text.length)} characters</span>
      </div>
      <p className="small muted">
        A fragment will do. The closing block is read first, else the headings, else plain bullets;
        each candidate is matched with what is there and shown with the words it came from.
      </p>
    </div>
  );
}

/** The packet went straight to a model: its reply as it arrives, then a way to read it. */
function Sent({
  detail,
  onRead,
}: {
  readonly detail: Detail;
  readonly onRead: (harvestId: string) => void;
}) {
  const { packet, answer } = detail;
  const { runId } = packet;
  const read = useChange("harvest.read");
  const run = useOperation("run.show", runId === undefined ? undefined : { runId }).data?.run;
  const isGoing = run !== undefined && ["queued", "running"].includes(run.state);
  const exchanges = useOperation(
    "exchange.list",
    runId === undefined || answer !== undefined ? undefined : { runId, limit: 1 },
    { everyMs: isGoing ? 500 : undefined },
  ).data;
  const arriving = useReply(answer === undefined && isGoing ? exchanges?.items[0]?.id : undefined);
  if (runId === undefined) return null;
  const text = answer ?? arriving;
  const take = async () => {
    const found = await read.run({ packetId: packet.id });
    if (found !== undefined) onRead(found.harvestId);
  };
  return (
    <div className="sent">
      <div className="row small">
        {run !== undefined && (
          <Chip state={stateOf(run.state)}>
            {isGoing ? "the answer arrives" : statusWords(run.state)}
          </Chip>
        )}
        <a className="link" href={`/runs/${runId}`}>
          Open the run
        </a>
        {text !== undefined && (
          <span className="end muted num">{count(text.length)} characters</span>
        )}
      </div>
      {run?.reason !== undefined && <p className="small">{run.reason.message}</p>}
      {text !== undefined && (
        <Scroll label="Answer" className="scroll code sent-text">
          <Words text={text} />
        </Scroll>
      )}
      <ProblemNote problem={read.problem} />
      {answer !== undefined && (
        <div>
          <Button
            kind="primary"
            isBusy={read.isBusy}
            effect="nothing is written yet"
            onPress={() => void take()}
          >
            Read what it proposes
          </Button>
        </div>
      )}
    </div>
  );
}
