/** What was settled, what it replaced, and what replaced it. */

import { useLongList } from "../../data/use-long-list.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import DecisionReference from "../../references/decision.tsx";
import { useProjectId } from "../../shell/current-project.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay } from "../../shell/session.ts";
import { ThoughtShelf, useShelfView } from "../../thoughts/thought-shelf.tsx";
import type { PageProps } from "../page.ts";

const VIEWS = [
  { name: "no", label: "Standing" },
  { name: "only", label: "Superseded or archived" },
  { name: "both", label: "All" },
] as const;

export default function DecisionsPage({ rest: [id] }: PageProps) {
  const project = useProjectId();
  const mayEdit = useMay("edit");
  const archived = useShelfView<(typeof VIEWS)[number]["name"]>(VIEWS);
  const list = useLongList("decision.list", { project, archived });
  return (
    <ThoughtShelf
      kind="decision"
      title="Decisions"
      path="/decisions"
      list={list}
      chosenId={id}
      views={VIEWS}
      view={archived}
      lineOf={({ title, content, createdAt, isInactive, projectName }) => ({
        title,
        at: createdAt,
        below: content === "" ? (projectName ?? "") : content,
        tag: isInactive ? "no longer stands" : undefined,
      })}
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
