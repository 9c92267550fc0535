/** This run beside another: which way each went, what every step took, cost and came to. */

import type { ReactNode } from "react";
import type { Json, Output } from "../../api/operation.ts";
import { useList, useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ago, count, money, plural, shortId, span } from "../../parts/format.ts";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Segmented } from "../../parts/tabs.tsx";
import { useNow } from "../../parts/time.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import type { RunTabProps } from "./run-view.tsx";

type Comparison = Output<"step.compare">;
type ComparedStep = Comparison["steps"][number];
type ComparedRun = Comparison["runs"][number];
type Side = NonNullable<ComparedStep["sides"][number]>;

export function RunCompare({ detail: { run } }: RunTabProps) {
  const [asked, setOther] = useQueryField("with");
  const [which, setWhich] = useQueryField("show");
  const runs = useList("run.list", { method: "pipeline", limit: 100 });
  const others = runs.items.filter(({ id }) => id !== run.id);
  // Most likely the last one of the same name.
  const other = asked ?? others.find(({ title }) => title === run.title)?.id ?? others[0]?.id;
  const { data, problem } = useOperation(
    "step.compare",
    other === undefined ? undefined : { runId: run.id, otherRunId: other },
  );
  const now = useNow(60_000);
  if (runs.data !== undefined && others.length === 0)
    return (
      <EmptyState title="There is no other run yet">
        Run a workflow again, with other input or a newer version: here both stand side by side.
      </EmptyState>
    );
  const isAll = which === "all";
  const steps = (data?.steps ?? []).filter(({ isSame }) => isAll || !isSame);
  return (
    <div className="pane grow run-compare">
      <div className="sub">
        <label className="row">
          <span className="small muted">Compare with</span>
          <select
            className="inp"
            value={other ?? ""}
            onChange={({ target }) => setOther(target.value)}
          >
            {others.map(({ id, title, state, createdAt }) => (
              <option key={id} value={id}>
                {`${markedText(title)}, ${statusWords(state)}, ${ago(createdAt, now)} (${shortId(id)})`}
              </option>
            ))}
          </select>
        </label>
        <span className="end">
          <Segmented
            label="Which steps"
            choices={[
              { name: "different", label: "What differs" },
              { name: "all", label: "All steps" },
            ]}
            chosen={isAll ? "all" : "different"}
            onChoose={(name) => setWhich(name === "all" ? "all" : undefined)}
          />
        </span>
      </div>
      <Scroll label="Comparison">
        <ProblemNote problem={problem ?? runs.problem} />
        {data === undefined && problem === undefined && <SkeletonRows />}
        {data !== undefined && (
          <>
            <Heads runs={data.runs} />
            {steps.length === 0 && (
              <EmptyState title="Both went the same way">
                Every step was reached as often, ended the same and came to the same output.
              </EmptyState>
            )}
            {steps.map((step) => (
              <StepBeside key={step.id} step={step} />
            ))}
          </>
        )}
      </Scroll>
    </div>
  );
}

function Heads({ runs }: { readonly runs: Comparison["runs"] }) {
  return (
    <div className="beside heads">
      <span />
      {runs.map((run, n) => (
        <div key={run.runId}>
          <div className="row">
            <span className="tag">{n === 0 ? "this run" : "the other"}</span>
            <a className="b cut" href={`/runs/${run.runId}`}>
              <Words text={run.title} />
            </a>
            <Chip state={stateOf(run.state)}>{statusWords(run.state)}</Chip>
          </div>
          <div className="small muted num">{runFacts(run).join(", ")}</div>
        </div>
      ))}
    </div>
  );
}

function runFacts({ startedAt, finishedAt, turns, costMicroUsd, workflowVersion }: ComparedRun) {
  return [
    startedAt === undefined || finishedAt === undefined ? "" : span(finishedAt - startedAt),
    plural(turns, "call"),
    money(costMicroUsd),
    workflowVersion === undefined ? "" : `version ${workflowVersion}`,
  ].filter(Boolean);
}

function StepBeside({ step }: { readonly step: ComparedStep }) {
  const { id, name, sides, differences, moreDifferences, isSame } = step;
  return (
    <section className="compared">
      <div className="beside">
        <div className="row">
          {id !== name && <span className="mono faint">{id}</span>}
          <h3 className="b cut">
            <Words text={name} />
          </h3>
          {isSame && <span className="small muted">the same</span>}
        </div>
        {[0, 1].map((n) => (
          <SideView key={n} side={sides[n] ?? undefined} other={sides[1 - n] ?? undefined} />
        ))}
      </div>
      {differences.map(({ path, values }) => (
        <div key={path} className="beside difference">
          <span className="mono muted cut">{path === "" ? "output" : path}</span>
          <Value value={values[0]} kind="old" />
          <Value value={values[1]} kind="new" />
        </div>
      ))}
      {moreDifferences > 0 && (
        <p className="small muted more">{count(moreDifferences)} further places differ.</p>
      )}
    </section>
  );
}

function SideView({
  side,
  other,
}: {
  readonly side: Side | undefined;
  readonly other: Side | undefined;
}) {
  if (side === undefined) return <span className="faint">no such step</span>;
  const { status, visits, tookMs, costMicroUsd, calls } = side;
  if (status === undefined)
    return (
      <span className="faint row">
        <Glyph state="todo" /> not reached
      </span>
    );
  const facts: readonly (readonly [string, boolean])[] = [
    [visits === 1 ? "" : `${visits} times`, visits !== other?.visits],
    [tookMs === undefined ? "" : span(tookMs), false],
    [calls === 0 ? "" : plural(calls, "call"), calls !== other?.calls],
    [costMicroUsd === 0 ? "" : money(costMicroUsd), false],
  ];
  return (
    <span className="row small num">
      <Glyph state={stateOf(status)} />
      <span className={status === other?.status ? "muted" : "b"}>{statusWords(status)}</span>
      {facts.map(
        ([text, isOther]) =>
          text !== "" && (
            <Fact key={text} isOther={isOther}>
              {text}
            </Fact>
          ),
      )}
    </span>
  );
}

function Fact({ isOther, children }: { readonly isOther: boolean; readonly children: ReactNode }) {
  return <span className={isOther ? "b" : "muted"}>{children}</span>;
}

const LONGEST = 600;

/** The whole stands with the step. */
function inShort(text: string): string {
  const rest = text.length - LONGEST;
  return rest <= 0 ? text : `${text.slice(0, LONGEST)}… and ${count(rest)} characters more`;
}

/** Signs as well as tints: never colour alone. */
function Value({
  value,
  kind,
}: {
  readonly value: Json | undefined;
  readonly kind: "old" | "new";
}) {
  return (
    <span className={`value ${kind}`}>
      <span className="sign" aria-hidden="true">
        {kind === "old" ? "−" : "+"}
      </span>
      {value === undefined || value === null ? (
        <span className="faint">nothing</span>
      ) : (
        <span className="mono">
          <Words text={inShort(typeof value === "string" ? value : JSON.stringify(value))} />
        </span>
      )}
    </span>
  );
}
