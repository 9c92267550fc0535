/** Passages worth keeping, and where each was said. */

import { useLongList } from "../../data/use-long-list.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import HighlightReference from "../../references/highlight.tsx";
import { useProjectId } from "../../shell/current-project.ts";
import { ThoughtShelf, useShelfView } from "../../thoughts/thought-shelf.tsx";
import type { PageProps } from "../page.ts";

const VIEWS = [
  { name: "all", label: "All" },
  { name: "labelled", label: "Labelled" },
  { name: "bare", label: "Without a label" },
  { name: "archived", label: "Archived" },
] as const;

type View = (typeof VIEWS)[number]["name"];

const INPUTS = {
  all: {},
  labelled: { labelled: true },
  bare: { labelled: false },
  archived: { archived: "only" },
} as const satisfies Record<View, object>;

export default function HighlightsPage({ rest: [id] }: PageProps) {
  const project = useProjectId();
  const view = useShelfView<View>(VIEWS);
  const list = useLongList("highlight.list", { ...INPUTS[view], project });
  return (
    <ThoughtShelf
      kind="highlight"
      title="Highlights"
      path="/highlights"
      list={list}
      chosenId={id}
      views={VIEWS}
      view={view}
      lineOf={({ label, content, createdAt, projectName }) => ({
        title: label ?? content,
        at: createdAt,
        below: label === undefined ? (projectName ?? "no project") : content,
      })}
      renderDetail={(highlightId) => <HighlightReference id={highlightId} />}
      empty={
        <EmptyState
          title={view === "all" ? "No highlight yet" : "No such highlight"}
          command={'highlight add "A passage worth keeping" --label why'}
          action={
            <a className="btn pri" href="/conversations">
              Read a conversation
            </a>
          }
        >
          A highlight is a passage worth keeping in its own words. Select it while reading a
          conversation and press h; with a label it weighs more in packets.
        </EmptyState>
      }
    />
  );
}
