/** What was settled, what it replaced, and what replaced it. */

import { useLongList } from "../../data/use-long-list.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Source } from "../../parts/reference.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import DecisionReference from "../../references/decision.tsx";
import { useQueryField } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay } from "../../shell/session.ts";
import { ThoughtShelf } from "../../thoughts/thought-shelf.tsx";
import type { PageProps } from "../page.ts";

const SHOWN = [
  { name: "no", label: "Standing" },
  { name: "only", label: "Superseded or archived" },
  { name: "both", label: "All" },
] as const;

export default function DecisionsPage({ rest: [id] }: PageProps) {
  const project = useProjectId();
  const mayEdit = useMay("edit");
  const [asked, setView] = useQueryField("view");
  const archived = SHOWN.find(({ name }) => name === asked)?.name ?? "no";
  const list = useLongList("decision.list", { project, archived });
  return (
    <ThoughtShelf
      title="Decisions"
      path="/decisions"
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
          chosen={archived}
          onChoose={(name) => setView(name === "no" ? undefined : name)}
        />
      }
      renderLine={({ title, content, createdAt, isInactive, projectName }) => (
        <>
          <Source kind="decision" />
          <span className={`t cut ${isInactive ? "muted" : ""}`}>
            <Words text={title} />
          </span>
          <Ago at={createdAt} />
          <span className="d">
            {isInactive && <span className="tag">no longer stands</span>}{" "}
            <Words text={content === "" ? (projectName ?? "") : content} />
          </span>
        </>
      )}
      renderDetail={(decisionId) => <DecisionReference id={decisionId} />}
      empty={
        <EmptyState
          title={archived === "no" ? "Nothing is decided yet" : "No such decision"}
          command={'decision add "Leases, not locks"'}
          action={
            mayEdit && (
              <Button kind="primary" onPress={() => openSheet("capture")}>
                Write one down
              </Button>
            )
          }
        >
          A decision stands in every packet of its project until another one supersedes it. It comes
          from you, from a conversation, or from an answer you accepted.
        </EmptyState>
      }
    />
  );
}
