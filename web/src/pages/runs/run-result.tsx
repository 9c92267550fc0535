import { JsonView } from "../../parts/json-view.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import type { RunTabProps } from "./run-view.tsx";

/** What it came to, and what it was given. */
export function RunResult({ detail: { run } }: RunTabProps) {
  return (
    <div className="pane grow">
      <Scroll className="scroll run-result" label="Result">
        <section className="block">
          <header>Result</header>
          <div className="in">
            {run.result === undefined ? (
              <span className="muted">There is none yet; the run is {run.state}.</span>
            ) : (
              <JsonView value={run.result} />
            )}
          </div>
        </section>
        <section className="block">
          <header>What it was given</header>
          <div className="in">
            <JsonView value={run.input} />
          </div>
        </section>
      </Scroll>
    </div>
  );
}
