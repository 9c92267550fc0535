/** What is wrong, each leading to its place; what was probably meant is one press away. */

import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Words } from "../../parts/words.tsx";
import type { WorkflowGraph } from "./use-edited-text.ts";

export type WorkflowProblem = WorkflowGraph["problems"][number];

export function ProblemList({
  graph,
  tookMs,
  chosen,
  mayEdit,
  onChoose,
  onFix,
}: {
  readonly graph: WorkflowGraph | undefined;
  readonly tookMs: number | undefined;
  readonly chosen: string | undefined;
  readonly mayEdit: boolean;
  readonly onChoose: (problem: WorkflowProblem) => void;
  readonly onFix: (problem: WorkflowProblem) => void;
}) {
  const { problems = [], errors = 0, warnings = 0 } = graph ?? {};
  const words = [
    errors > 0 ? plural(errors, "error") : "",
    warnings > 0 ? plural(warnings, "warning") : "",
  ].filter(Boolean);
  return (
    <section className="pane problems" aria-label="Problems">
      <header>
        <h2>Problems</h2>
        <span className="small muted" role="status">
          {graph === undefined ? "" : words.join(", ") || "none: it can run"}
        </span>
        {tookMs !== undefined && (
          <span className="end small muted num hide-n">
            Checked as you type, {Math.max(1, Math.round(tookMs))} ms
          </span>
        )}
      </header>
      <ul className="probs scroll">
        {problems.map((problem, n) => {
          const { code, severity, message, hint, stepId, line, column, fix } = problem;
          const isChosen = stepId !== undefined && stepId === chosen;
          return (
            // oxlint-disable-next-line no-array-index-key -- the same may be wrong twice
            <li key={n} className={isChosen ? "on" : undefined}>
              <button type="button" className="problem" onClick={() => onChoose(problem)}>
                <Glyph state={severity === "error" ? "fail" : "warn"} />
                <span className={`mono cut ${severity === "error" ? "fail" : "wait"} hide-n`}>
                  {code}
                </span>
                <span className="cut">
                  <Words text={message} /> {hint !== undefined && <Words text={hint} />}
                </span>
                <span className="small muted num">
                  {line === undefined ? "" : `${line}:${column ?? 1}`}
                </span>
              </button>
              {fix !== undefined && mayEdit && (
                <Button size="small" onPress={() => onFix(problem)}>
                  {fix.label}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
