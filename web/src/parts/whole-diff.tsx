/** Two texts as one: every line, with what came and what went marked in its place. */

import type { DiffLine } from "../../../src/kernel/prompt/diff-lines.ts";
import { Words } from "./words.tsx";

export function WholeDiff({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <div className="diff whole-diff">
      {lines.map((line, n) => (
        // oxlint-disable-next-line no-array-index-key -- lines stay where they are
        <Line key={n} line={line} />
      ))}
    </div>
  );
}

function Line({ line: { change, text, mark } }: { readonly line: DiffLine }) {
  const tone = change === "added" ? "add" : change === "removed" ? "del" : undefined;
  const Mark = change === "added" ? "ins" : "del";
  return (
    <span className={tone}>
      <span>
        {mark === undefined || tone === undefined ? (
          <Words text={text} />
        ) : (
          <>
            <Words text={text.slice(0, mark.start)} />
            <Mark>
              <Words text={text.slice(mark.start, mark.end)} />
            </Mark>
            <Words text={text.slice(mark.end)} />
          </>
        )}
      </span>
    </span>
  );
}
