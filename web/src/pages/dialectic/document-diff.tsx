/** What changed since the version before, line by line; long stretches that stayed are folded. */

import { EmptyState } from "../../parts/empty-state.tsx";
import { plural } from "../../parts/format.ts";
import { Words } from "../../parts/words.tsx";
import type { ShownDocument } from "./dialectic-words.ts";
import { foldDiff } from "./fold-diff.ts";

const CLASSES = { added: "add", removed: "del", same: undefined } as const;

export function DocumentDiff({
  document: { diff, version },
}: {
  readonly document: ShownDocument;
}) {
  if (version > 1 && diff === undefined)
    return (
      <EmptyState title="There is nothing to compare it with">
        The words of the version before were pruned; its hash stays.
      </EmptyState>
    );
  if (diff === undefined)
    return (
      <EmptyState title="This is the first version">
        A revision or an edit makes the next one; what changed is shown here.
      </EmptyState>
    );
  const added = diff.filter(({ change }) => change === "added").length;
  const removed = diff.filter(({ change }) => change === "removed").length;
  if (added + removed === 0)
    return (
      <EmptyState title="Nothing changed">It reads the same as the version before.</EmptyState>
    );
  return (
    <div className="dx-diff">
      <p className="small muted num">
        {plural(added, "line")} added, {plural(removed, "line")} taken away
      </p>
      <div className="diff block" role="group" aria-label="Changes">
        {foldDiff(diff).map((piece, n) =>
          piece.kind === "fold" ? (
            // oxlint-disable-next-line no-array-index-key -- lines stay where they are
            <div key={n} className="dx-fold">
              <span className="muted">{plural(piece.lines, "line")} the same</span>
            </div>
          ) : (
            // oxlint-disable-next-line no-array-index-key -- lines stay where they are
            <div key={n} className={CLASSES[piece.change]}>
              <span>
                <Words text={piece.text === "" ? " " : piece.text} />
              </span>
            </div>
          ),
        )}
      </div>
    </div>
  );
}
