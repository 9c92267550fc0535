/** All thinking by its words: conversations, messages, highlights, tasks, decisions, artifacts. */

import "./search.css";
import { type ReactNode, useState } from "react";
import type { Input, Item } from "../../api/operation.ts";
import { useDelayed } from "../../data/use-delayed.ts";
import { useList } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { words } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { openReference, Source } from "../../parts/reference.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate, useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";

type Hit = Item<"thinking.search">;
type Kinds = NonNullable<Input<"thinking.search">["kinds"]>;

const KINDS = [
  { name: "all", label: "All" },
  { name: "task", label: "Tasks" },
  { name: "decision", label: "Decisions" },
  { name: "highlight", label: "Highlights" },
  { name: "message", label: "Conversations" },
  { name: "artifact", label: "Artifacts" },
] as const;

const LEAST = 2;

export default function SearchPage() {
  const project = useProjectId();
  const [text = "", setText] = useQueryField("text");
  const [askedKind, setKind] = useQueryField("kind");
  const kind = KINDS.find(({ name }) => name === askedKind)?.name ?? "all";
  const asked = useDelayed(text.trim(), 150);
  const isAsked = asked.length >= LEAST;
  const list = useList(
    "thinking.search",
    isAsked ? { text: asked, project, limit: 30, ...kindsOf(kind) } : undefined,
  );
  const [at, setAt] = useState(0);
  const hits = isAsked ? list.items : [];
  const move = (by: number) => setAt(Math.max(0, Math.min(hits.length - 1, at + by)));
  useCommands("Search", [
    { label: "Next hit", keys: "j", isKeyOnly: true, run: () => move(1) },
    { label: "Hit before", keys: "k", isKeyOnly: true, run: () => move(-1) },
    { label: "Open the hit", keys: "o", isKeyOnly: true, run: () => hits[at] && openHit(hits[at]) },
  ]);
  return (
    <>
      <div className="head search-head">
        <h1>Search</h1>
        <input
          // biome-ignore lint: the page is there for nothing else
          autoFocus
          className="inp"
          type="search"
          aria-label="Words that must all occur"
          placeholder="Words that must all occur; the last one may be unfinished"
          value={text}
          onChange={({ target }) => {
            setText(target.value === "" ? undefined : target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              move(event.key === "ArrowDown" ? 1 : -1);
            }
            if (event.key === "Enter" && hits[at] !== undefined) openHit(hits[at]);
          }}
        />
        <Segmented
          label="What"
          choices={KINDS}
          chosen={kind}
          onChoose={(name) => setKind(name === "all" ? undefined : name)}
        />
      </div>
      <div className="pane grow search-hits">
        <div className="scroll">
          <ProblemNote problem={list.problem} onRetry={list.refresh} />
          {isAsked && list.isFirst && <SkeletonRows count={8} />}
          {(list.data?.pending ?? 0) > 0 && (
            <p className="small muted search-note">
              {list.data?.pending} changes are not in the index yet; they come by themselves.
            </p>
          )}
          {hits.map((hit, n) => (
            <HitLine key={`${hit.kind} ${hit.id}`} hit={hit} isCurrent={n === at} />
          ))}
          <Nothing
            isAsked={isAsked}
            isKnown={list.data !== undefined}
            isEmpty={hits.length === 0}
          />
          {isAsked && <MoreButton list={list} />}
        </div>
      </div>
    </>
  );
}

function kindsOf(kind: (typeof KINDS)[number]["name"]): { readonly kinds?: Kinds } {
  if (kind === "all") return {};
  return { kinds: kind === "message" ? ["conversation", "message"] : [kind] };
}

function openHit({ kind, id, conversationId }: Hit): void {
  if (kind === "message" && conversationId !== undefined)
    return navigate(`/conversations/${conversationId}?message=${id}`);
  if (kind === "conversation") return navigate(`/conversations/${id}`);
  if (kind !== "message") openReference(kind, id);
}

function HitLine({ hit, isCurrent }: { readonly hit: Hit; readonly isCurrent: boolean }) {
  const { kind, title, snippet, projectName, createdAt } = hit;
  return (
    <button
      type="button"
      className="item hit"
      aria-current={isCurrent ? "true" : undefined}
      onClick={() => openHit(hit)}
    >
      {kind === "artifact" ? (
        <Icon name="file" small />
      ) : (
        <Source kind={kind === "message" ? "conversation" : kind} />
      )}
      <span className="t cut">
        <Words text={title === "" ? snippet.text : title} />
        <span className="muted kind">{[words(kind), projectName].filter(Boolean).join(", ")}</span>
      </span>
      <Ago at={createdAt} />
      {title !== "" && snippet.text !== title && (
        <span className="d">
          <Snippet snippet={snippet} />
        </span>
      )}
    </button>
  );
}

function Snippet({ snippet: { text, marks } }: { readonly snippet: Hit["snippet"] }) {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    pieces.push(text.slice(at, start));
    pieces.push(
      <mark key={start} className="k-h">
        <Words text={text.slice(start, end)} />
      </mark>,
    );
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces;
}

function Nothing({
  isAsked,
  isKnown,
  isEmpty,
}: {
  readonly isAsked: boolean;
  readonly isKnown: boolean;
  readonly isEmpty: boolean;
}) {
  if (!isAsked)
    return (
      <EmptyState title="Find anything that was thought" command="search lease expiry">
        Words of conversations, highlights, tasks, decisions and artifacts. All words must occur.
        What is redacted is not found.
      </EmptyState>
    );
  if (!isKnown || !isEmpty) return null;
  return (
    <EmptyState title="Nothing fits these words">
      Try fewer or shorter words, or all projects: the switch is at the top.
    </EmptyState>
  );
}
