/** One document: its sections with what people say about them, what changed, where it comes from, what rests on it. */

import { useOperation } from "../../data/use-operation.ts";
import { preloadMarkdown } from "../../parts/markdown.tsx";
import { PaneSwitch, usePanes } from "../../parts/pane-switch.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { useQueryField } from "../../router/place.ts";
import { findCell, type Placed, sessionAddress, type Status, VIEWS } from "./dialectic-words.ts";
import { DocumentBody } from "./document-body.tsx";
import { DocumentHead } from "./document-head.tsx";
import { DocumentNavigator } from "./document-navigator.tsx";
import { DocumentSide } from "./document-side.tsx";
import { NotWritten } from "./not-written.tsx";

preloadMarkdown();

const PANES = [
  { name: "text", label: "Document" },
  { name: "ledger", label: "Lineage" },
] as const;

export function DocumentPage({ runId, place }: { readonly runId: string; readonly place: string }) {
  const { data: status, problem, refresh } = useOperation("dialectic.status", { runId });
  if (status === undefined)
    return (
      <div className="fault">
        <ProblemNote problem={problem} onRetry={refresh} />
        {problem === undefined && <SkeletonRows count={10} />}
      </div>
    );
  const placed = findCell(status, place);
  if (placed === undefined)
    return (
      <>
        <div className="head">
          <a className="crumb" href={sessionAddress(runId)}>
            Back to the documents
          </a>
          <h1>There is no such document</h1>
        </div>
        <p className="fault muted">
          <span className="mono">{place}</span> is no place in this dialectic's recipes.
        </p>
      </>
    );
  return <PlacedDocument status={status} placed={placed} place={place} />;
}

function PlacedDocument({
  status,
  placed,
  place,
}: {
  readonly status: Status;
  readonly placed: Placed;
  readonly place: string;
}) {
  const [version] = useQueryField("version");
  const [asked, setView] = useQueryField("view");
  const view = VIEWS.find((name) => name === asked) ?? "read";
  const panes = usePanes(PANES, "text");
  const { artifactId } = placed.cell;
  const shown = useOperation(
    "dialectic.show",
    artifactId === undefined
      ? undefined
      : { document: version ?? place, session: status.runId, diff: view === "changes" },
  );
  // Another document's answer may still stand while this one is being read.
  const document = shown.data?.place === place ? shown.data : undefined;
  return (
    <>
      <DocumentHead status={status} placed={placed} document={document} />
      <PaneSwitch panes={panes} />
      <div className="split turns dx-document" data-pane={panes.shown}>
        <DocumentNavigator status={status} place={place} />
        <section className="pane grow" data-name="text" aria-label={placed.step.title}>
          <ProblemNote problem={shown.problem} onRetry={shown.refresh} />
          {artifactId === undefined ? (
            <NotWritten status={status} placed={placed} />
          ) : document === undefined ? (
            shown.problem === undefined && <SkeletonRows count={12} />
          ) : (
            <DocumentBody
              key={document.id}
              status={status}
              placed={placed}
              document={document}
              view={view}
              onView={(name) => setView(name === "read" ? undefined : name)}
            />
          )}
        </section>
        <section
          className="pane dx-side"
          data-name="ledger"
          aria-label="Lineage, versions and calls"
        >
          {document !== undefined && <DocumentSide status={status} document={document} />}
        </section>
      </div>
    </>
  );
}
