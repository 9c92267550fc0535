/** Everything that every run of every method waits for: the list, and what is asked beside it. */

import "./inbox.css";
import { useEffect } from "react";
import type { Item } from "../../api/operation.ts";
import { type ShownList, useList, useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";

import { Glyph } from "../../parts/glyph.tsx";
import { Keys } from "../../parts/keys.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate, useQueryField } from "../../router/place.ts";
import { shortTitle, waitKind } from "../../runs/wait-words.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";
import type { PageProps } from "../page.ts";
import { InboxEntry } from "./inbox-entry.tsx";

type Entry = Item<"inbox.list">;
type Whose = "mine" | "all" | "snoozed";

const INPUTS = {
  mine: {},
  all: { all: true },
  snoozed: { all: true, snoozed: "only" },
} as const;

export default function InboxPage({ rest: [id] }: PageProps) {
  const project = useProjectId();
  const [asked, setWhose] = useQueryField("whose");
  const whose: Whose = asked === "all" || asked === "snoozed" ? asked : "mine";
  const list = useList("inbox.list", { ...INPUTS[whose], project, limit: 50 });
  const entries = inGroups(list.items).flatMap(([, group]) => group);
  // On a wide page the first one is shown beside the list; on a phone the list comes first.
  const chosen = id ?? entries[0]?.id;
  useMoves(entries, chosen);
  return (
    <div className="split twofold inbox" data-shows={id === undefined ? "list" : "detail"}>
      <section className="pane" aria-label="Waiting">
        <header className="list-head">
          <h1>Inbox</h1>
          <span className="muted num">{countWords(list, whose)}</span>
        </header>
        <div className="list-which">
          <WhoseChoice
            whose={whose}
            onChoose={(name) => setWhose(name === "mine" ? undefined : name)}
          />
        </div>
        <EntryList list={list} chosen={chosen} whose={whose} />
        <KeyHints />
      </section>
      <div className="detail">
        {chosen === undefined ? (
          <NothingWaits isKnown={list.data !== undefined} />
        ) : (
          <InboxEntry key={chosen} id={chosen} onDone={() => goOn(entries, chosen)} />
        )}
      </div>
    </div>
  );
}

function countWords({ data }: ShownList<Entry, { readonly total: number }>, whose: Whose): string {
  if (data === undefined) return "";
  if (whose === "snoozed") return `${data.total} asleep`;
  return data.total === 0
    ? "nothing waits"
    : `${data.total} ${data.total === 1 ? "waits" : "wait"}`;
}

/** The next one, or the one before the last: whoever answers one wants the next. */
function goOn(entries: readonly Entry[], id: string): void {
  const at = entries.findIndex((entry) => entry.id === id);
  const next = entries[at + 1] ?? entries[at - 1];
  navigate(next === undefined ? `/inbox${location.search}` : placeOf(next.id), { replace: true });
}

function placeOf(id: string): string {
  return `/inbox/${id}${location.search}`;
}

function useMoves(entries: readonly Entry[], chosen: string | undefined): void {
  const move = (by: number) => {
    const at = entries.findIndex(({ id }) => id === chosen);
    const next = entries[Math.max(0, Math.min(entries.length - 1, at + by))];
    if (next !== undefined) navigate(placeOf(next.id), { replace: true });
  };
  useCommands("Inbox", [
    { label: "Next entry", keys: "j", isKeyOnly: true, run: () => move(1) },
    { label: "Entry before", keys: "k", isKeyOnly: true, run: () => move(-1) },
  ]);
  useEffect(() => {
    const line = document.querySelector(`.inbox [data-entry="${chosen}"]`);
    line?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
}

function WhoseChoice({
  whose,
  onChoose,
}: {
  readonly whose: Whose;
  readonly onChoose: (whose: Whose) => void;
}) {
  const project = useProjectId();
  const counts = {
    mine: useOperation("inbox.list", { ...INPUTS.mine, project, limit: 1 }).data?.total,
    all: useOperation("inbox.list", { ...INPUTS.all, project, limit: 1 }).data?.total,
    snoozed: useOperation("inbox.list", { ...INPUTS.snoozed, project, limit: 1 }).data?.total,
  };
  const choice = (name: Whose, label: string) => {
    return { name, label: counts[name] === undefined ? label : `${label} ${counts[name]}` };
  };
  const choices = [choice("mine", "Mine"), choice("all", "All"), choice("snoozed", "Snoozed")];
  return <Segmented label="Whose" choices={choices} chosen={whose} onChoose={onChoose} />;
}

function inGroups(entries: readonly Entry[]): readonly (readonly [string, readonly Entry[]])[] {
  const asked = entries.filter(({ kind }) => !waitKind(kind).isHold);
  const held = entries.filter(({ kind }) => waitKind(kind).isHold);
  return [["You are asked", asked] as const, ["The engine stopped", held] as const].filter(
    ([, group]) => group.length > 0,
  );
}

function EntryList({
  list,
  chosen,
  whose,
}: {
  readonly list: ShownList<Entry, { readonly total: number }>;
  readonly chosen: string | undefined;
  readonly whose: Whose;
}) {
  return (
    <div className="scroll" aria-busy={list.isReading}>
      <ProblemNote problem={list.problem} onRetry={list.refresh} />
      {list.isFirst && <SkeletonRows count={6} />}
      {inGroups(list.items).map(([title, entries]) => (
        <section key={title}>
          <h2 className="group">{title}</h2>
          {entries.map((entry) => (
            <EntryLine key={entry.id} entry={entry} isChosen={entry.id === chosen} />
          ))}
        </section>
      ))}
      {list.data !== undefined && list.items.length === 0 && whose !== "mine" && (
        <EmptyState title={whose === "all" ? "Nothing waits for anybody" : "Nothing is asleep"}>
          {whose === "all"
            ? "Runs that need a person put their questions here."
            : "An entry that can wait is put to sleep and comes back by itself."}
        </EmptyState>
      )}
      {whose === "mine" && <AnsweredToday />}
      <MoreButton list={list} />
    </div>
  );
}

function EntryLine({ entry, isChosen }: { readonly entry: Entry; readonly isChosen: boolean }) {
  const {
    id,
    kind,
    title,
    runTitle,
    projectName,
    assigneeName,
    createdAt,
    deadline,
    snoozedUntil,
  } = entry;
  const { label, isHold } = waitKind(kind);
  return (
    <a
      className="item"
      href={placeOf(id)}
      data-entry={id}
      aria-current={isChosen ? "true" : undefined}
    >
      <Glyph state={isHold ? "hold" : "wait"} />
      <span className="t cut">
        <Words text={shortTitle(title, runTitle)} />
      </span>
      <Ago at={createdAt} />
      <span className="d cut">
        <Words
          text={[label, runTitle, projectName, assigneeName && `for ${assigneeName}`]
            .filter(Boolean)
            .join(", ")}
        />
        {snoozedUntil !== undefined && (
          <>
            , asleep until <Ago at={snoozedUntil} />
          </>
        )}
        {deadline !== undefined && (
          <>
            , answers itself <Ago at={deadline} />
          </>
        )}
      </span>
    </a>
  );
}

const FEW_ANSWERED = 8;

function AnsweredToday() {
  const { items } = useList("event.list", {
    types: ["wait.answered"],
    actor: "me",
    since: "24h",
    limit: FEW_ANSWERED,
  });
  if (items.length === 0) return null;
  return (
    <section>
      <h2 className="group">Answered in the last day</h2>
      {items.map(({ cursor, data, at, stream }) => (
        <AnsweredLine key={cursor} data={data} at={at} runId={stream} />
      ))}
    </section>
  );
}

function AnsweredLine({
  data,
  at,
  runId,
}: {
  readonly data: unknown;
  readonly at: number;
  readonly runId: string;
}) {
  const { wait, choice } = (data ?? {}) as { wait?: string; choice?: string };
  const shown = useOperation("inbox.show", wait === undefined ? undefined : { waitId: wait }).data;
  return (
    <a className="item" href={wait === undefined ? `/runs/${runId}` : placeOf(wait)}>
      <Glyph state="ok" />
      <span className="t cut muted">
        {shown === undefined ? (
          "…"
        ) : (
          <Words text={shortTitle(shown.wait.title, shown.wait.runTitle)} />
        )}
      </span>
      <Ago at={at} />
      <span className="d cut">
        You answered {choice ?? shown?.answer?.choice}
        {shown !== undefined && `, the run is ${shown.runState}`}
      </span>
    </a>
  );
}

function KeyHints() {
  return (
    <div className="row micro muted hide-n key-hints" aria-hidden="true">
      <span>
        <Keys keys="j k" /> move
      </span>
      <span>
        <Keys keys="a" /> first answer
      </span>
      <span>
        <Keys keys="e" /> edit
      </span>
      <span>
        <Keys keys="?" /> all keys
      </span>
    </div>
  );
}

function NothingWaits({ isKnown }: { readonly isKnown: boolean }) {
  if (!isKnown) return null;
  return (
    <EmptyState title="Nothing waits for you" command="inbox list --all">
      When a run needs a person, for a review, a question or a decision about money, it shows up
      here with the evidence and the ways on. The run waits; nothing is lost.
    </EmptyState>
  );
}
