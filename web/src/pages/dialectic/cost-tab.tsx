/** What calls have taken, stage by slot, beside what was estimated. */

import { useOperation } from "../../data/use-operation.ts";
import { brief, count } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { aboutWords, spentWords, type Sum, sumOf } from "./cost-words.ts";
import { shortModel, type Status } from "./dialectic-words.ts";

type Spent = Status["spent"][number];

export function CostTab({ status }: { readonly status: Status }) {
  const { slots, stages, spent, runId, reviewers } = status;
  const estimate = useOperation("dialectic.estimate", { session: runId });
  const all = sumOf(spent);
  const most = Math.max(1, ...stages.map(({ key }) => tokens(sumOf(of(spent, key)))));
  return (
    <section className="pane grow" aria-label="Cost">
      <div className="scroll">
        <div className="dx-cost-page">
          <ProblemNote problem={estimate.problem} onRetry={estimate.refresh} />
          <Scroll label="Calls, tokens and cost" className="dx-wide">
            <table className="tbl">
              <caption className="sr">Calls, tokens and cost by stage and slot</caption>
              <thead>
                <tr>
                  <th scope="col">Stage</th>
                  {slots.map(({ n, model }) => (
                    <th key={n} scope="col" className="r" title={model}>
                      {n} <Words text={shortModel(model)} />
                    </th>
                  ))}
                  <th scope="col" className="r">
                    Together
                  </th>
                  <th scope="col" className="r">
                    Estimated
                  </th>
                  <th scope="col" className="hide-n dx-bar-column">
                    Tokens
                  </th>
                </tr>
              </thead>
              <tbody>
                {stages.map(({ key, title }) => {
                  const here = of(spent, key);
                  const expected = estimate.data?.stages.find(({ stage }) => stage === key);
                  const sum = sumOf(here);
                  return (
                    <tr key={key}>
                      <th scope="row">{title}</th>
                      {slots.map(({ n }) => (
                        <td key={n} className="r">
                          <Figures sum={sumOf(here.filter(({ slot }) => slot === n))} />
                        </td>
                      ))}
                      <td className="r">
                        <Figures sum={sum} isStrong />
                      </td>
                      <td className="r muted">
                        {expected !== undefined && (
                          <>
                            <div>{aboutWords(expected.costMicroUsd)}</div>
                            <div className="micro">
                              {count(expected.calls)} calls, ≈{" "}
                              {brief(expected.inputTokens + expected.outputTokens)}
                            </div>
                          </>
                        )}
                      </td>
                      <td className="hide-n">
                        <span className="bar" aria-hidden="true">
                          <i style={{ ["--w" as string]: `${(100 * sum.inputTokens) / most}%` }} />
                          <i
                            className="out"
                            style={{ ["--w" as string]: `${(100 * sum.outputTokens) / most}%` }}
                          />
                        </span>
                        <span className="micro muted num">
                          {brief(sum.inputTokens)} in, {brief(sum.outputTokens)} out
                        </span>
                      </td>
                    </tr>
                  );
                })}
                <tr className="dx-sum">
                  <th scope="row">All</th>
                  {slots.map(({ n }) => (
                    <td key={n} className="r">
                      <Figures sum={sumOf(spent.filter(({ slot }) => slot === n))} />
                    </td>
                  ))}
                  <td className="r">
                    <Figures sum={all} isStrong />
                  </td>
                  <td className="r muted">
                    {estimate.data !== undefined && (
                      <>
                        <div>{aboutWords(estimate.data.total.costMicroUsd)}</div>
                        <div className="micro">{count(estimate.data.total.calls)} calls</div>
                      </>
                    )}
                  </td>
                  <td className="hide-n micro muted num">
                    {brief(all.inputTokens)} in, {brief(all.outputTokens)} out
                  </td>
                </tr>
              </tbody>
            </table>
          </Scroll>
          <p className="small muted">
            Failed, continued and corrected calls are counted: they are paid for, too. The estimate
            counts the calls of one pass without them
            {reviewers !== undefined && `, with ${reviewers} of ${slots.length} reviewing each`}.
          </p>
        </div>
      </div>
    </section>
  );
}

function Figures({ sum, isStrong = false }: { readonly sum: Sum; readonly isStrong?: boolean }) {
  if (sum.calls === 0) return <span className="faint">–</span>;
  return (
    <>
      <div className={isStrong ? "b" : undefined}>{spentWords(sum)}</div>
      <div className="micro muted">
        {count(sum.calls)} {sum.calls === 1 ? "call" : "calls"}, {brief(tokens(sum))}
      </div>
    </>
  );
}

function of(spent: readonly Spent[], stage: string): readonly Spent[] {
  return spent.filter((each) => each.stage === stage);
}

function tokens({ inputTokens, outputTokens }: Sum): number {
  return inputTokens + outputTokens;
}
