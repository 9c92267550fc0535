/** Passages worth keeping, and where each was said. */

import { useLongList } from "../../data/use-long-list.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Source } from "../../parts/reference.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import HighlightReference from "../../references/highlight.tsx";
import { useQueryField } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay } from "../../shell/session.ts";
import { ThoughtShelf } from "../../thoughts/thought-shelf.tsx";
import type { PageProps } from "../page.ts";

const SHOWN = [
  { name: "all", label: "All" },
  { name: "labelled", label: "Labelled" },
  { name: "bare", label: "Without a label" },
  { name: "archived", label: "Archived" },
] as const;

type View = (typeof SHOWN)[number]["name"];

const INPUTS = {
  all: {},
  labelled: { labelled: true },
  bare: { labelled: false },
  archived: { archived: "only" },
} as const satisfies Record<View, object>;

export default function HighlightsPage({ rest: [id] }: PageProps) {
  const project = useProjectId();
  const mayEdit = useMay("edit");
  const [asked, setView] = useQueryField("view");
  const view = SHOWN.find(({ name }) => name === asked)?.name ?? "all";
  const list = useLongList("highlight.list", { ...INPUTS[view], project });
  return (
    <ThoughtShelf
      title="Highlights"
      path="/highlights"
      list={list}
      chosenId={id}
      action={
        mayEdit && (
          <Button size="small" icon="plus" onPress={() => openSheet("capture")}>
            Capture
          </Button>
        )
      }
      filters={
        <Segmented
          label="Which"
          choices={SHOWN}
          chosen={view}
          onChoose={(name) => setView(name === "all" ? undefined : name)}
        />
      }
      renderLine={({ label, content, createdAt, projectName }) => (
        <>
          <Source kind="highlight" />
          <span className="t cut">
            <Words text={label ?? content} />
          </span>
          <Ago at={createdAt} />
          <span className="d">
            {label === undefined ? (projectName ?? "no project") : <Words text={content} />}
          </span>
        </>
      )}
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
