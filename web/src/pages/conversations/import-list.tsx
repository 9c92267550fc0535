import type { Item } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import { brief, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { stateOf } from "../../parts/state.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";

type Import = Item<"import.list">;

/** What was brought in before, and what is coming in right now. */
export function ImportList({ current }: { readonly current: string | undefined }) {
  const list = useList("import.list", { limit: 20 }, { everyMs: 2000 });
  return (
    <>
      <div className="row">
        <h2 className="lbl">Imports</h2>
        {current !== undefined && (
          <a className="btn sm end" href="/conversations/import">
            <Icon name="plus" small />
            Another
          </a>
        )}
      </div>
      <ProblemNote problem={list.problem} onRetry={list.refresh} />
      {list.data !== undefined && list.items.length === 0 && (
        <p className="small muted">
          None yet. Each import is kept with what it brought, and what could not be read.
        </p>
      )}
      <div className="import-items">
        {list.items.map((each) => (
          <a
            key={each.id}
            className="item"
            href={`/conversations/import/${each.id}`}
            aria-current={each.id === current ? "true" : undefined}
          >
            <Glyph state={stateOf(each.state)} />
            <span className="t cut">
              <Words text={each.name} />
            </span>
            <Ago at={each.startedAt} />
            <span className="d cut">{importWords(each)}</span>
          </a>
        ))}
      </div>
      <MoreButton list={list} />
    </>
  );
}

function importWords({ state, bytes, progress, totals }: Import): string {
  if (state === "running") return `${brief(progress.bytesRead)} of ${brief(bytes)} bytes`;
  if (state !== "completed") return state;
  return [
    `${plural(totals.added, "conversation")} new`,
    progress.unchanged > 0 ? `${progress.unchanged} known` : "",
    progress.problems > 0 ? plural(progress.problems, "problem") : "",
  ]
    .filter(Boolean)
    .join(", ");
}
