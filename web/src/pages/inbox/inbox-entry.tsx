/** One entry: what is asked, what is known about it, and the ways to answer. */

import { useRef, useState } from "react";
import type { Json, Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { words } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { EventList } from "../../runs/event-list.tsx";
import { ExchangeList } from "../../runs/exchange-list.tsx";
import { StepOutline } from "../../runs/step-outline.tsx";
import { shortTitle, waitKind } from "../../runs/wait-words.ts";
import { AnswerForm } from "./answer-form.tsx";

type Detail = Output<"inbox.show">;
type View = "evidence" | "steps" | "prompts" | "history";

const TABS: readonly Tab<View>[] = [
  { name: "evidence", label: "Evidence" },
  { name: "steps", label: "Run" },
  { name: "prompts", label: "Prompts" },
  { name: "history", label: "History" },
];

export function InboxEntry({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { data, problem, refresh } = useOperation("inbox.show", { waitId: id });
  const [view, setView] = useState<View>("evidence");
  if (data === undefined)
    return (
      <PageToCome problem={problem} onRetry={refresh} back={{ title: "Inbox", path: "/inbox" }} />
    );
  return (
    <article className="case">
      <EntryHead detail={data} />
      <Tabs label="About this entry" tabs={TABS} chosen={view} onChoose={setView} />
      <div className="body">
        <Scroll className="ev" label="What is known">
          <ProblemNote problem={problem} onRetry={refresh} />
          <EntryView view={view} detail={data} />
        </Scroll>
        <AnswerForm detail={data} onDone={onDone} />
      </div>
      <Stick detail={data} />
    </article>
  );
}

function EntryHead({ detail: { wait } }: { readonly detail: Detail }) {
  const { label, isHold } = waitKind(wait.kind);
  const isOpen = wait.state === "open";
  return (
    <div className="head">
      <a
        className="btn quiet icon goback"
        href={`/inbox${location.search}`}
        aria-label="Back to the list"
      >
        <Icon name="back" />
      </a>
      <Chip state={isOpen ? (isHold ? "hold" : "wait") : "ok"}>{isOpen ? label : wait.state}</Chip>
      <h1 className="cut">
        <Words text={shortTitle(wait.title, wait.runTitle)} />
      </h1>
      <Reference noun="run" id={wait.runId} />
      <span className="end small muted wide">
        <Words text={wait.runTitle} />, waiting <Ago at={wait.createdAt} />
      </span>
    </div>
  );
}

function EntryView({ view, detail }: { readonly view: View; readonly detail: Detail }) {
  const { runId } = detail.wait;
  switch (view) {
    case "evidence":
      return <Evidence detail={detail} />;
    case "steps":
      return <StepOutline runId={runId} />;
    case "prompts":
      return <ExchangeList runId={runId} />;
    case "history":
      return <EventList runId={runId} />;
  }
}

function Evidence({ detail: { wait, evidence } }: { readonly detail: Detail }) {
  return (
    <>
      <Prose text={wait.reason} />
      {evidence.map((piece, n) => (
        // oxlint-disable-next-line no-array-index-key -- evidence does not change
        <EvidenceBlock key={n} piece={piece} />
      ))}
    </>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  input: "What it was given",
  output: "What was made of it",
  reason: "Why it stopped",
  routing: "Where it stopped",
};

function EvidenceBlock({ piece }: { readonly piece: Json }) {
  const { kind, value, ...more } = isObject(piece) ? piece : { value: piece };
  const title = typeof kind === "string" ? (TITLES[kind] ?? words(kind)) : "Evidence";
  return (
    <section className="block">
      <header>{title}</header>
      <div className="in">
        {value !== undefined && <JsonView value={value} />}
        {Object.keys(more).length > 0 && <JsonView value={more} />}
      </div>
    </section>
  );
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** On a phone the form is below the evidence; this brings it into reach. */
function Stick({ detail }: { readonly detail: Detail }) {
  const button = useRef<HTMLButtonElement>(null);
  if (!detail.mayAnswer) return null;
  return (
    <div className="stick">
      <button
        ref={button}
        type="button"
        className="btn pri"
        onClick={() =>
          button.current
            ?.closest(".case")
            ?.querySelector(".form")
            ?.scrollIntoView({ behavior: "smooth" })
        }
      >
        Answer
      </button>
    </div>
  );
}
