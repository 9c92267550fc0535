/** How a workflow came to be: its versions, and what changed between any two of them. */

import type { Item, Output } from "../../api/operation.ts";
import { useList, useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { workflowAddress } from "./workflow-address.ts";

type Version = Item<"workflow.versions">;
type Diff = Output<"workflow.diff">;

export function VersionsView({ id }: { readonly id: string }) {
  const list = useList("workflow.versions", { workflowId: id, limit: 50 });
  const [to, setTo] = useQueryField("to");
  const [from, setFrom] = useQueryField("from");
  const newest = list.items[0]?.version;
  const newer = Number(to ?? newest ?? 0);
  const older = Number(from ?? newer - 1);
  const canDiff = newer > 0 && older > 0 && older !== newer;
  const diff = useOperation(
    "workflow.diff",
    canDiff ? { workflowId: id, from: older, to: newer } : undefined,
  );
  const name = list.data?.name;
  return (
    <>
      <div className="head">
        <a className="crumb" href="/workflows">
          Workflows
        </a>
        <span className="faint">/</span>
        <a className="crumb cut" href={workflowAddress(id)}>
          <Words text={name ?? id} />
        </a>
        <span className="faint">/</span>
        <h1>Versions</h1>
        <span className="end">
          <a className="btn" href={workflowAddress(id)}>
            Back to the editor
          </a>
        </span>
      </div>
      <div className="split versions">
        <section className="pane" aria-label="Versions">
          <div className="scroll">
            <ProblemNote problem={list.problem} onRetry={list.refresh} />
            {list.isFirst && <SkeletonRows />}
            <ol>
              {list.items.map((version) => (
                <VersionLine
                  key={version.version}
                  version={version}
                  isChosen={version.version === newer}
                  onChoose={() => {
                    setTo(String(version.version));
                    setFrom(undefined);
                  }}
                />
              ))}
            </ol>
            <MoreButton list={list} />
          </div>
        </section>
        <section className="pane grow" aria-label="What changed">
          <header>
            <h2>What changed</h2>
            {canDiff && (
              <label className="row small muted">
                from
                <select
                  className="inp short"
                  value={older}
                  onChange={({ target }) => setFrom(target.value)}
                >
                  {list.items
                    .filter(({ version }) => version !== newer)
                    .map(({ version }) => (
                      <option key={version} value={version}>{`version ${version}`}</option>
                    ))}
                </select>
                to version {newer}
              </label>
            )}
          </header>
          <Scroll label="What changed">
            <ProblemNote problem={diff.problem} />
            {!canDiff && newest !== undefined && (
              <EmptyState title="There is nothing before it">
                This is the first version. Save another, and what changed is shown here.
              </EmptyState>
            )}
            {canDiff && diff.data !== undefined && <DiffView diff={diff.data} />}
          </Scroll>
        </section>
      </div>
    </>
  );
}

function VersionLine({
  version: { version, isCurrent, isDraft, summary, createdByName, createdBy, createdAt },
  isChosen,
  onChoose,
}: {
  readonly version: Version;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <li>
      <button type="button" className="item" aria-current={isChosen} onClick={onChoose}>
        <span className="mono">v{version}</span>
        <span className="t cut">
          {summary === "" ? <span className="faint">no words</span> : <Words text={summary} />}
        </span>
        <span className="row">
          {isCurrent && <span className="tag">current</span>}
          {isDraft && <span className="tag">draft</span>}
        </span>
        <span className="d">
          {createdByName ?? createdBy}, <Ago at={createdAt} />
        </span>
      </button>
    </li>
  );
}

function DiffView({ diff: { steps, edges, unified } }: { readonly diff: Diff }) {
  const changes: readonly (readonly [sign: string, text: string])[] = [
    ...steps.added.map(({ id, name }) => ["+", `step ${id}, ${name}`] as const),
    ...steps.removed.map(({ id, name }) => ["−", `step ${id}, ${name}`] as const),
    ...steps.changed.map(
      ({ id, name, fields }) => ["△", `step ${id}, ${name}: ${fields.join(", ")}`] as const,
    ),
    ...edges.added.map((edge) => ["+", `way ${edge}`] as const),
    ...edges.removed.map((edge) => ["−", `way ${edge}`] as const),
  ];
  if (unified === "")
    return (
      <EmptyState title="Both say the same">Not a character of the text is different.</EmptyState>
    );
  return (
    <div className="version-diff">
      <ul className="changes" aria-label="In words of the workflow">
        {changes.length === 0 && (
          <li className="muted">Only the text changed, no step and no way.</li>
        )}
        {changes.map(([sign, text]) => (
          <li key={sign + text}>
            <span className="mono">{sign}</span> <Words text={text} />
          </li>
        ))}
      </ul>
      <div className="diff block" role="group" aria-label="Line by line">
        {unified
          .split("\n")
          .filter((line) => line !== "")
          .map((line, n) => (
            // oxlint-disable-next-line no-array-index-key -- lines stay in their order
            <div key={n} className={kindOf(line)}>
              <Words text={/^[+\- ]/.test(line) ? line.slice(1) || " " : line} />
            </div>
          ))}
      </div>
    </div>
  );
}

function kindOf(line: string): string {
  if (line.startsWith("@@")) return "hunk";
  return line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : "same";
}
