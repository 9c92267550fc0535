/** One candidate: how it relates to what is there, its words, where they come from, and what to do with it. */

import { type FormEvent, useEffect, useRef } from "react";
import { Button } from "../parts/button.tsx";
import { changedMiddle } from "../parts/changed-middle.ts";
import { formText } from "../parts/form-text.ts";
import { Icon } from "../parts/icon.tsx";
import { Reference, Source } from "../parts/reference.tsx";
import { Words } from "../parts/words.tsx";
import type { Candidate, Choice } from "./review-choices.ts";

type Relation = Candidate["match"]["kind"];

const RELATIONS: Readonly<
  Record<Relation, { readonly label: string; readonly tone: string; readonly path: string }>
> = {
  new: { label: "New", tone: "ok", path: "M7 1.6v10.8M1.6 7h10.8" },
  update: { label: "Update", tone: "run", path: "M7 1.8 12.4 11.6H1.6z" },
  duplicate: { label: "Duplicate", tone: "stale", path: "M2.2 4.8h9.6M2.2 9.2h9.6" },
  contradicts: {
    label: "Contradicts",
    tone: "fail",
    path: "M1.8 7h4M12.2 7h-4M4 4.6 6.4 7 4 9.4M10 4.6 7.6 7 10 9.4",
  },
};

export interface CandidateRowProps {
  readonly candidate: Candidate;
  readonly choice: Choice | undefined;
  readonly isCurrent: boolean;
  readonly isEditing: boolean;
  readonly mayEdit: boolean;
  /** Why it was not written a moment ago. */
  readonly refusal: string | undefined;
  readonly onChoose: (choice: Choice | undefined) => void;
  readonly onEdit: (isEditing: boolean) => void;
  readonly onEnter: () => void;
}

export function CandidateRow(props: CandidateRowProps) {
  const { candidate, choice, isCurrent, isEditing, onEnter, refusal } = props;
  const { type, title, text, match, quote, isBlocker, isOpenLoop } = candidate;
  const { label, tone, path } = RELATIONS[match.kind];
  const edited = choice?.kind === "edit" ? choice : undefined;
  const name = edited?.title ?? title;
  const words = edited?.text ?? text;
  const isDiffed = match.diff?.some(({ field }) => field === "text") && edited === undefined;
  const row = useRef<HTMLLIElement>(null);
  const isSeen = useRef(false);
  useEffect(() => {
    // The first one is where the eye begins anyway; the page stays where it is.
    if (isCurrent && isSeen.current) row.current?.scrollIntoView({ block: "nearest" });
    isSeen.current = true;
  }, [isCurrent]);
  const classes = [
    "cand",
    choice?.kind === "skip" || candidate.status === "skipped" ? "skip" : "",
    choice !== undefined && choice.kind !== "skip" ? "yes" : "",
    isCurrent ? "sel" : "",
  ];
  return (
    // oxlint-disable-next-line no-noninteractive-element-interactions -- keys j and k do the same
    <li
      ref={row}
      className={classes.filter(Boolean).join(" ")}
      aria-current={isCurrent ? "true" : undefined}
      onPointerDown={onEnter}
      onFocus={onEnter}
    >
      <span className={`rel ${tone}`}>
        <svg className="g" viewBox="0 0 14 14" aria-hidden="true">
          <path className="thin" d={path} strokeWidth="1.8" />
        </svg>
        {label}
      </span>
      <span className="what">
        <Source kind={type} />
        <span>
          {type === "highlight" ? (
            <>
              “<Words text={words} />”
            </>
          ) : (
            <Words text={name ?? words} />
          )}
        </span>
      </span>
      <Acts {...props} />
      {isEditing ? (
        <EditForm {...props} />
      ) : (
        <span className="q">
          {type === "highlight" && name !== undefined && name !== "" && (
            <div>
              Label: <Words text={name} />
            </div>
          )}
          {type !== "highlight" && words !== "" && words !== name && !isDiffed && (
            <div>
              <Words text={words} />
            </div>
          )}
          <Quote quote={quote.text} shown={[name ?? "", words]} />
          {(isBlocker || isOpenLoop) && (
            <span className="tag">{isBlocker ? "blocker" : "open loop"}</span>
          )}
          {edited !== undefined && <span className="tag">in your words</span>}
        </span>
      )}
      <MatchBox {...props} />
      {refusal !== undefined && (
        <div className="note wait box" role="alert">
          <div>
            Not written: <Words text={refusal} />
          </div>
        </div>
      )}
    </li>
  );
}

/** Where it is only repeated, it is not said twice. */
function Quote({ quote, shown }: { readonly quote: string; readonly shown: readonly string[] }) {
  const plain = (words: string) => words.replaceAll(/[\s*_`-]+/g, " ").trim();
  const isSaid = shown.some((words) => words !== "" && plain(words) === plain(quote));
  if (quote === "" || isSaid) return null;
  // A record of the closing block says the same in braces.
  if (quote.trimStart().startsWith("{")) return <div className="faint">From the closing block</div>;
  return (
    <div>
      “<Words text={quote} />”
    </div>
  );
}

function Acts({ candidate, choice, mayEdit, onChoose, onEdit, isEditing }: CandidateRowProps) {
  const { status, made, choices } = candidate;
  if (status === "accepted" && made !== undefined)
    return (
      <span className="act made">
        <Reference noun={made.type} id={made.id}>
          {MADE[made.outcome]}
        </Reference>
      </span>
    );
  if (status !== "proposed") return <span className="act small muted">{status}</span>;
  if (!mayEdit) return <span className="act" />;
  const isTaken = choice?.kind === "accept" || choice?.kind === "edit";
  const isSkipped = choice?.kind === "skip";
  return (
    <span className="act">
      {choices.includes("accept") && (
        <button
          type="button"
          className="btn sm"
          aria-pressed={isTaken}
          onClick={() => onChoose(isTaken ? undefined : { kind: "accept" })}
        >
          {isTaken && <Icon name="check" small />}
          {isTaken ? "Accepted" : "Accept"}
        </button>
      )}
      {choices.includes("edit") && (
        <button
          type="button"
          className="btn sm quiet"
          aria-pressed={isEditing}
          onClick={() => onEdit(!isEditing)}
        >
          Edit
        </button>
      )}
      {choices.includes("skip") && (
        <button
          type="button"
          className="btn sm quiet"
          aria-pressed={isSkipped}
          onClick={() => onChoose(isSkipped ? undefined : { kind: "skip" })}
        >
          {isSkipped ? "Skipped" : "Skip"}
        </button>
      )}
    </span>
  );
}

const MADE = {
  created: "Written",
  updated: "Updated",
  superseded: "Written, the other superseded",
  linked: "Was there already",
} as const;

function MatchBox({ candidate, choice, mayEdit, onChoose }: CandidateRowProps) {
  const { match, choices, status } = candidate;
  if (match.kind === "new" || match.type === undefined || match.id === undefined) return null;
  const isOpen = status === "proposed" && mayEdit;
  const pick = (kind: "supersede" | "keepBoth") =>
    onChoose(choice?.kind === kind ? undefined : { kind });
  return (
    <div className="box">
      <div className={`block match ${match.kind}`}>
        <div className="small match-words">
          <Source kind={match.type} />
          <div className="grow">
            <span className="muted">{STANDS[match.kind]} </span>
            <Reference noun={match.type} id={match.id}>
              <Words text={match.title ?? match.id} />
            </Reference>
            <div className="muted">
              <Words text={match.reason} />
            </div>
          </div>
        </div>
        {(match.diff ?? []).map(({ field, lines }) => (
          <div key={field} className="diff">
            {lines.map((line, n) => (
              // oxlint-disable-next-line no-array-index-key -- lines stay where they are
              <DiffLine key={n} line={line} before={lines[n - 1]} after={lines[n + 1]} />
            ))}
          </div>
        ))}
        {isOpen && (choices.includes("supersede") || choices.includes("keepBoth")) && (
          <div className="row match-acts">
            {choices.includes("supersede") && (
              <ChoiceButton
                label="Supersede it"
                isChosen={choice?.kind === "supersede"}
                onPress={() => pick("supersede")}
              />
            )}
            {choices.includes("keepBoth") && (
              <ChoiceButton
                label={match.kind === "contradicts" ? "Keep both" : "Take it as new"}
                isChosen={choice?.kind === "keepBoth"}
                onPress={() => pick("keepBoth")}
              />
            )}
          </div>
        )}
      </div>
    </div>
  );
}

type Change = NonNullable<Candidate["match"]["diff"]>[number]["lines"][number];

/** Of a line that was replaced by one other, only what differs is marked. */
function DiffLine({
  line: { change, text },
  before,
  after,
}: {
  readonly line: Change;
  readonly before: Change | undefined;
  readonly after: Change | undefined;
}) {
  if (change === "same")
    return (
      <span>
        <span>
          <Words text={text} />
        </span>
      </span>
    );
  const isAdded = change === "added";
  const other = isAdded ? before : after;
  const isPair = other?.change === (isAdded ? "removed" : "added");
  const [gone, come] = changedMiddle(
    isAdded ? (other?.text ?? "") : text,
    isAdded ? text : (other?.text ?? ""),
  );
  const { start, end } = isPair ? (isAdded ? come : gone) : { start: 0, end: 0 };
  const Mark = isAdded ? "ins" : "del";
  return (
    <span className={isAdded ? "add" : "del"}>
      <span>
        <Words text={text.slice(0, start)} />
        {end > start && (
          <Mark>
            <Words text={text.slice(start, end)} />
          </Mark>
        )}
        <Words text={text.slice(end)} />
      </span>
    </span>
  );
}

const STANDS: Readonly<Record<Relation, string>> = {
  new: "",
  update: "Adds to",
  duplicate: "Same as",
  contradicts: "Stands against",
};

function ChoiceButton({
  label,
  isChosen,
  onPress,
}: {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button type="button" className="btn sm" aria-pressed={isChosen} onClick={onPress}>
      {isChosen && <Icon name="check" small />}
      {label}
    </button>
  );
}

function EditForm({ candidate, choice, onChoose, onEdit }: CandidateRowProps) {
  const { type, title, text, match, choices } = candidate;
  const before = choice?.kind === "edit" ? choice : { title: title ?? "", text };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // What contradicts a decision cannot simply be taken.
    const as = choices.includes("accept")
      ? "accept"
      : choice?.kind === "supersede"
        ? "supersede"
        : "keepBoth";
    onChoose({ kind: "edit", title: formText(form, "title"), text: formText(form, "text"), as });
    onEdit(false);
  };
  const isHighlight = type === "highlight";
  return (
    <form className="box cand-edit" onSubmit={submit}>
      <label className="field">
        <span className="lbl">{isHighlight ? "Label" : "Title"}</span>
        {/* biome-ignore lint: somebody has just asked to write here */}
        <input
          className="inp"
          name="title"
          autoFocus
          defaultValue={before.title}
          required={!isHighlight}
        />
      </label>
      <label className="field">
        <span className="lbl">{isHighlight ? "The passage" : "More about it"}</span>
        <textarea
          className="inp"
          name="text"
          rows={3}
          defaultValue={before.text}
          required={isHighlight}
        />
      </label>
      <div className="row">
        <Button kind="primary" size="small" submits>
          {match.kind === "contradicts" ? "Keep both, in these words" : "Accept in these words"}
        </Button>
        <Button kind="quiet" size="small" onPress={() => onEdit(false)}>
          Leave it
        </Button>
      </div>
    </form>
  );
}
