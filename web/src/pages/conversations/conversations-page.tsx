/** Where thinking comes from: conversations held anywhere, to read, to mark, and to keep to oneself. */

import "./conversations.css";
import { useState } from "react";
import type { Item } from "../../api/operation.ts";
import { useLongList } from "../../data/use-long-list.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { count, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { useNarrow } from "../../parts/use-narrow.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate, useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import type { PageProps } from "../page.ts";
import { ConversationView } from "./conversation-view.tsx";
import { ImportPage } from "./import-page.tsx";

const SHOWN = [
  { name: "no", label: "Active" },
  { name: "only", label: "Archived" },
] as const;

const ROW = 56;
const ROW_ON_A_PHONE = 62;

export default function ConversationsPage({ rest: [first, second] }: PageProps) {
  if (first === "import") return <ImportPage importId={second} />;
  return <Conversations id={first} />;
}

function Conversations({ id }: { readonly id: string | undefined }) {
  const project = useProjectId();
  const mayEdit = useMay("edit");
  const [asked, setArchived] = useQueryField("archived");
  const archived = asked === "only" ? "only" : "no";
  const list = useLongList("conversation.list", { project, archived }, 100);
  const { items } = list;
  const isNarrow = useNarrow();
  // On a wide page the newest is shown beside the list; on a phone the list comes first.
  const chosen = id ?? items[0]?.id;
  const [moved, setMoved] = useState<number>();
  const move = (by: number) => {
    const at = items.findIndex((each) => each.id === chosen);
    const next = Math.max(0, Math.min(items.length - 1, at + by));
    const { id: target } = items[next] ?? {};
    if (target === undefined) return;
    setMoved(next);
    navigate(placeOf(target), { replace: true });
  };
  useCommands("Conversations", [
    { label: "Next conversation", keys: "j", isKeyOnly: true, run: () => move(1) },
    { label: "Conversation before", keys: "k", isKeyOnly: true, run: () => move(-1) },
    ...(mayEdit
      ? [
          {
            label: "Import conversations",
            keys: "n",
            icon: "plus" as const,
            run: () => navigate("/conversations/import"),
          },
        ]
      : []),
  ]);
  return (
    <div className="split twofold talks" data-shows={id === undefined ? "list" : "detail"}>
      <section className="pane" aria-label="Conversations" aria-busy={list.isOld}>
        <header className="list-head">
          <h1>Conversations</h1>
          <span className="muted num">
            {items.length > 0 && `${count(items.length)}${list.hasMore ? "+" : ""}`}
          </span>
          {mayEdit && (
            <a className="btn sm end" href="/conversations/import">
              <Icon name="plus" small />
              Import
            </a>
          )}
        </header>
        <div className="list-which">
          <Segmented
            label="Which"
            choices={SHOWN}
            chosen={archived}
            onChoose={(name) => setArchived(name === "no" ? undefined : name)}
          />
        </div>
        <ProblemNote problem={list.problem} onRetry={list.refresh} />
        {list.isFirst && <SkeletonRows count={8} />}
        <VirtualList
          label="Conversations"
          count={items.length}
          rowHeight={isNarrow ? ROW_ON_A_PHONE : ROW}
          current={moved}
          onSee={list.see}
          renderRow={(n) => <TalkLine talk={items[n]} isChosen={items[n]?.id === chosen} />}
        />
      </section>
      <div className="detail">
        {chosen !== undefined ? (
          <ConversationView key={chosen} id={chosen} />
        ) : (
          !list.isFirst &&
          list.problem === undefined && <NothingSaid isArchive={archived === "only"} />
        )}
      </div>
    </div>
  );
}

function TalkLine({
  talk,
  isChosen,
}: {
  readonly talk: Item<"conversation.list"> | undefined;
  readonly isChosen: boolean;
}) {
  if (talk === undefined) return null;
  const { id, title, startedAt, messageCount, source } = talk;
  return (
    <a className="item" href={placeOf(id)} aria-current={isChosen ? "true" : undefined}>
      <Icon name="conversation" small />
      <span className="t cut">
        <Words text={title} />
      </span>
      <Ago at={startedAt} />
      <span className="d cut">
        {plural(messageCount, "message")}, {source}
      </span>
    </a>
  );
}

function placeOf(id: string): string {
  const query = new URLSearchParams(location.search);
  for (const name of ["open", "message", "harvest", "pane"]) query.delete(name);
  const rest = query.toString();
  return `/conversations/${id}${rest === "" ? "" : `?${rest}`}`;
}

function NothingSaid({ isArchive }: { readonly isArchive: boolean }) {
  const mayEdit = useMay("edit");
  if (isArchive)
    return (
      <EmptyState title="Nothing is archived">
        An archived conversation is left out of lists, searches and prompts, and can be brought
        back.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No conversation yet"
      command="import start ~/Downloads/export.zip"
      action={
        mayEdit && (
          <a className="btn pri" href="/conversations/import">
            Import conversations
          </a>
        )
      }
    >
      Bring in what you worked out with a model: an export of ChatGPT or Claude, a session file, a
      transcript. You see what would come before anything is written. Then select what matters: a
      highlight, a task, a decision, or something that must never leave.
    </EmptyState>
  );
}
