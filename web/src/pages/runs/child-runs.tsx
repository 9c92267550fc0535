import type { Output } from "../../api/operation.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Words } from "../../parts/words.tsx";

/** Runs that this run started. */
export function ChildRuns({ runs }: { readonly runs: Output<"run.show">["children"] }) {
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
    </section>
  );
}
