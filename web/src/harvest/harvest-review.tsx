/** Candidate by candidate: accept, edit, skip. Nothing is written before the button at the foot, and all of it can be undone. */

import "./harvest.css";
import { useState } from "react";
import type { Output } from "../api/operation.ts";
import { performChange, useChange } from "../data/use-change.ts";
import { useOperation } from "../data/use-operation.ts";
import { Button } from "../parts/button.tsx";
import { plural } from "../parts/format.ts";
import { Chip } from "../parts/glyph.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { Words } from "../parts/words.tsx";
import { useCommands } from "../shell/commands.ts";
import { reportProblem } from "../shell/problems.ts";
import { useMay } from "../shell/session.ts";
import { toast } from "../shell/toasts.tsx";
import { CandidateRow } from "./candidate-row.tsx";
import {
  acceptAllNew,
  type Choice,
  type Choices,
  choose,
  tally,
  toReview,
} from "./review-choices.ts";

type Detail = Output<"harvest.show">;
type Review = Output<"harvest.review">;

export function HarvestReview({ harvestId }: { readonly harvestId: string }) {
  const { data, problem, refresh } = useOperation("harvest.show", { harvestId });
  if (data === undefined)
    return (
      <>
        <ProblemNote problem={problem} onRetry={refresh} />
        {problem === undefined && <SkeletonRows count={5} />}
      </>
    );
  return <Candidates detail={data} />;
}

function Candidates({ detail }: { readonly detail: Detail }) {
  const { harvest, candidates, advice } = detail;
  const mayEdit = useMay("edit");
  const [choices, setChoices] = useState<Choices>(new Map());
  const [editing, setEditing] = useState<number>();
  const [asked, setCurrent] = useState<number>();
  const [lookAgain, setLookAgain] = useState<Review["lookAgain"]>([]);
  const review = useChange("harvest.review");
  const open = candidates.filter(({ status }) => status === "proposed");
  const current = asked ?? open[0]?.number;
  const counts = tally(candidates, choices);
  const isOver = open.length === 0;

  const decide = (number: number, choice: Choice | undefined) => {
    setChoices(choose(choices, number, choice));
    setLookAgain(lookAgain.filter((each) => each.number !== number));
  };
  const write = async () => {
    if (counts.taken + counts.skipped === 0 || review.isBusy) return;
    const known = new Set(open.map(({ number }) => number));
    const own = new Map([...choices].filter(([number]) => known.has(number)));
    const done = await review.run(toReview(harvest.id, harvest.version, own));
    if (done === undefined) return;
    setChoices(new Map());
    setLookAgain(done.lookAgain);
    const made = done.accepted.filter(({ outcome }) => outcome !== "linked").length;
    toast(
      made === 0 ? "Noted, nothing new was written" : `Harvest written, ${plural(made, "object")}`,
      {
        undo: () => undo(harvest.id),
      },
    );
  };
  useReviewKeys({
    candidates: open,
    current,
    setCurrent,
    setEditing,
    decide,
    write,
    isOff: !mayEdit,
  });
  return (
    <>
      <ReadLine detail={detail} />
      {advice !== undefined && advice !== "" && (
        <div className="advice code">
          <Words text={advice} />
        </div>
      )}
      <ol className="scroll cands" aria-label="Candidates">
        {candidates.map((candidate) => {
          const { number } = candidate;
          return (
            <CandidateRow
              key={number}
              candidate={candidate}
              choice={choices.get(number)}
              isCurrent={number === current && !isOver}
              isEditing={number === editing}
              mayEdit={mayEdit}
              refusal={lookAgain.find((each) => each.number === number)?.reason}
              onChoose={(choice) => decide(number, choice)}
              onEdit={(isEditing) => setEditing(isEditing ? number : undefined)}
              onEnter={() => setCurrent(number)}
            />
          );
        })}
      </ol>
      <div className="bar-foot">
        <ProblemNote problem={review.problem} />
        <div className="row wrap">
          {isOver || !mayEdit ? (
            <Over detail={detail} mayEdit={mayEdit} />
          ) : (
            <>
              <Button
                kind="primary"
                keys="mod+Enter"
                isBusy={review.isBusy}
                isDisabled={counts.taken + counts.skipped === 0}
                onPress={() => void write()}
              >
                {counts.taken === 0 && counts.skipped > 0
                  ? `Note ${counts.skipped} skipped`
                  : `Write ${counts.taken} accepted`}
              </Button>
              <Button onPress={() => setChoices(acceptAllNew(candidates, choices))}>
                Accept all new
              </Button>
              <span className="small muted end num">
                {counts.skipped} skipped, {counts.open} to decide
              </span>
              {harvest.counts.accepted > 0 && harvest.undoneAt === undefined && (
                <Button kind="quiet" onPress={() => undo(harvest.id)}>
                  Undo
                </Button>
              )}
            </>
          )}
        </div>
      </div>
    </>
  );
}

function undo(harvestId: string): void {
  performChange("harvest.undo", { harvestId })
    .then(({ takenBack }) => toast(`Taken back, ${plural(takenBack.length, "object")}`))
    .catch(reportProblem);
}

const READ_BY: Readonly<Record<string, string>> = {
  block: "Closing block found",
  headings: "Read by its headings",
  list: "Read by its bullets",
  model: "Proposed by a model",
};

function ReadLine({ detail: { harvest } }: { readonly detail: Detail }) {
  const { readBy, notes, undoneAt, state, counts } = harvest;
  return (
    <div className="read-line">
      <div className="row small wrap">
        <Chip state={undoneAt !== undefined ? "skip" : "ok"}>
          {undoneAt !== undefined ? "taken back" : (READ_BY[readBy] ?? readBy)}
        </Chip>
        <span className="muted">
          {state === "reviewed" && undoneAt === undefined
            ? `${counts.accepted} accepted, ${counts.skipped} skipped`
            : plural(counts.proposed + counts.accepted + counts.skipped, "candidate")}
        </span>
      </div>
      {notes.map((note) => (
        <div key={note} className="micro muted">
          <Words text={note} />
        </div>
      ))}
    </div>
  );
}

function Over({
  detail: { harvest },
  mayEdit,
}: {
  readonly detail: Detail;
  readonly mayEdit: boolean;
}) {
  const { counts, undoneAt } = harvest;
  return (
    <>
      <span className="small muted">
        {undoneAt !== undefined
          ? "This harvest was taken back; what it wrote is gone."
          : `Everything is decided: ${counts.accepted} accepted, ${counts.skipped} skipped.`}
      </span>
      {mayEdit && undoneAt === undefined && counts.accepted > 0 && (
        <span className="end">
          <Button kind="quiet" onPress={() => undo(harvest.id)}>
            Undo the harvest
          </Button>
        </span>
      )}
    </>
  );
}

function useReviewKeys({
  candidates,
  current,
  setCurrent,
  setEditing,
  decide,
  write,
  isOff,
}: {
  readonly candidates: Detail["candidates"];
  readonly current: number | undefined;
  readonly setCurrent: (number: number | undefined) => void;
  readonly setEditing: (number: number | undefined) => void;
  readonly decide: (number: number, choice: Choice | undefined) => void;
  readonly write: () => Promise<void>;
  readonly isOff: boolean;
}): void {
  const at = candidates.findIndex(({ number }) => number === current);
  const candidate = candidates[at];
  const move = (by: number) => {
    const next = candidates[Math.max(0, Math.min(candidates.length - 1, at + by))];
    setCurrent(next?.number);
  };
  const take = (kind: "accept" | "supersede" | "keepBoth" | "skip") => {
    if (candidate === undefined || !candidate.choices.includes(kind)) return;
    decide(candidate.number, { kind });
    move(1);
  };
  const isNone = isOff || candidates.length === 0;
  useCommands(
    "Harvest",
    isNone
      ? []
      : [
          { label: "Next candidate", keys: "j", isKeyOnly: true, run: () => move(1) },
          { label: "Candidate before", keys: "k", isKeyOnly: true, run: () => move(-1) },
          { label: "Accept the candidate", keys: "a", icon: "check", run: () => take("accept") },
          {
            label: "Edit the candidate",
            keys: "e",
            icon: "edit",
            run: () => setEditing(candidate?.number),
          },
          { label: "Skip the candidate", keys: "x", icon: "cross", run: () => take("skip") },
          { label: "Supersede what it contradicts", keys: "u", run: () => take("supersede") },
          { label: "Keep both", keys: "b", run: () => take("keepBoth") },
          {
            label: "Write what is accepted",
            keys: "mod+Enter",
            isGlobal: true,
            run: () => void write(),
          },
        ],
  );
}
