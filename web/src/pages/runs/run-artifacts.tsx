import { useList } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { brief } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { openReference } from "../../parts/reference.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import type { RunTabProps } from "./run-view.tsx";

const STATES = { complete: "ok", partial: "part", stale: "stale", superseded: "skip" } as const;

/** What the run left behind. */
export function RunArtifacts({ detail }: RunTabProps) {
  const list = useList("artifact.list", { run: detail.run.id, limit: 100 });
  return (
    <div className="pane grow">
      <div className="scroll">
        <ProblemNote problem={list.problem} onRetry={list.refresh} />
        {list.isFirst && <SkeletonRows />}
        <div className="rows">
          {list.items.map(({ id, path, kind, state, bytes, createdAt }) => (
            <div key={id} className="whole">
              <button type="button" onClick={() => openReference("artifact", id)}>
                <Glyph state={STATES[state]} />
                <span className="mono cut artifact-name">
                  <Words text={path.slice(path.lastIndexOf("/") + 1)} />
                </span>
                <span className="muted cut grow">
                  {[kind, state].join(", ")}
                  <span className="hide-n" title={path}>
                    , in <Words text={path.slice(0, Math.max(0, path.lastIndexOf("/")))} />
                  </span>
                </span>
                <span className="small num muted nowrap">{brief(bytes)} bytes</span>
                <span className="small muted nowrap">
                  <Ago at={createdAt} />
                </span>
              </button>
            </div>
          ))}
        </div>
        {list.data !== undefined && list.items.length === 0 && (
          <EmptyState title="It left nothing behind">
            Documents and files that steps make are kept here, with what they were made from.
          </EmptyState>
        )}
        <MoreButton list={list} />
      </div>
    </div>
  );
}
