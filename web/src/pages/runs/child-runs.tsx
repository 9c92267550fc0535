import type { Output } from "../../api/operation.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Words } from "../../parts/words.tsx";

/** Runs that this run started. */
export function ChildRuns({ detail }: { readonly detail: Output<"run.show"> }) {
  const { children: runs, childRuns } = detail;
  if (runs.length === 0) return null;
  return (
    <section>
      <h2 className="group">Runs below it</h2>
      <div className="rows">
        {runs.map(({ id, title, state }) => (
          <a key={id} href={`/runs/${id}`}>
            <Glyph state={stateOf(state)} />
            <span className="b cut grow">
              <Words text={title} />
            </span>
            <span className="small muted">{statusWords(state)}</span>
          </a>
        ))}
      </div>
      {childRuns > runs.length && (
        <p className="small muted">
          The oldest {runs.length} of {childRuns}. All of them:{" "}
          <code>run list --parent {detail.run.id}</code>
        </p>
      )}
    </section>
  );
}
