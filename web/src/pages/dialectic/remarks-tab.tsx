/** Everything people said, document by document. */

import { useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { words } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { useQueryField } from "../../router/place.ts";
import { documentAddress, type Remark, type Status, titleOfName } from "./dialectic-words.ts";
import { RemarkItem } from "./remark.tsx";

const STATES = ["all", "open", "addressed", "deferred", "rejected"] as const;

export function RemarksTab({ status }: { readonly status: Status }) {
  const { data, problem, refresh, isFirst } = useOperation("dialectic.remarks", {
    runId: status.runId,
  });
  const [asked, setAsked] = useQueryField("state");
  const chosen = STATES.find((state) => state === asked) ?? "all";
  const items = data?.items ?? [];
  const shown = items.filter(({ state }) => chosen === "all" || state === chosen);
  const byDocument = Map.groupBy(shown, ({ document }) => document);
  return (
    <section className="pane grow" aria-label="Remarks" aria-busy={isFirst}>
      <header>
        <h2>What people said</h2>
        <span className="end">
          <Segmented
            label="Which remarks"
            choices={STATES.map((name) => ({
              name,
              label: `${words(name)} ${name === "all" ? items.length : items.filter(({ state }) => state === name).length}`,
            }))}
            chosen={chosen}
            onChoose={(name) => setAsked(name === "all" ? undefined : name)}
          />
        </span>
      </header>
      <Scroll label="What people said">
        <ProblemNote problem={problem} onRetry={refresh} />
        {isFirst && <SkeletonRows count={6} />}
        {data !== undefined && items.length === 0 && (
          <EmptyState
            title="Nobody has said anything yet"
            command={'dialectic feedback --document thesis/business_case/s1 --text "…"'}
          >
            Open a document and say what should change, to all of it or to one of its sections. Open
            remarks reach the next stage's prompts, and can have the document revised at once.
          </EmptyState>
        )}
        <div className="dx-remarks">
          {[...byDocument].map(([name, remarks]) => (
            <DocumentRemarks key={name} status={status} name={name} remarks={remarks} />
          ))}
        </div>
      </Scroll>
    </section>
  );
}

function DocumentRemarks({
  status,
  name,
  remarks,
}: {
  readonly status: Status;
  readonly name: string;
  readonly remarks: readonly Remark[];
}) {
  const { title, stage, mark } = titleOfName(status, name);
  return (
    <section className="dx-remarks-of" aria-label={title}>
      <h3 className="row">
        <a className="link" href={documentAddress(status.runId, name)}>
          {title}
        </a>
        <span className="muted small">
          {stage}, {mark}
        </span>
      </h3>
      {remarks.map((remark) => (
        <RemarkItem
          key={remark.id}
          runId={status.runId}
          remark={remark}
          where={remark.section === "" ? "on all of it" : `on ${words(remark.section)}`}
        />
      ))}
    </section>
  );
}
