/** The dialectics so far, and the words to begin another. */

import { useOperation } from "../../data/use-operation.ts";
import type { Output } from "../../api/operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { plural, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import { spentWords } from "./cost-words.ts";
import { sessionAddress } from "./dialectic-words.ts";
import { StartForm } from "./start-form.tsx";

type Listed = Output<"dialectic.list">["items"][number];

const MOST = 200;

export function DialecticHome() {
  const project = useProjectId();
  const list = useOperation("dialectic.list", { project, limit: MOST });
  const mayRun = useMay("run");
  return (
    <>
      <div className="head">
        <h1>Dialectic</h1>
        <span className="muted small wide">
          One request, several models: they propose, review, merge, plan and act.
        </span>
        <a className="btn end" href="/dialectic/recipes">
          <Icon name="file" small />
          Recipes
        </a>
      </div>
      <div className="split dx-home">
        <section className="pane grow" aria-label="Dialectics" aria-busy={list.isReading}>
          <header>
            <h2>So far</h2>
            {list.data !== undefined && (
              <span className="micro muted num">{list.data.items.length}</span>
            )}
          </header>
          <Scroll label="Dialectics so far">
            <ProblemNote problem={list.problem} onRetry={list.refresh} />
            {list.isFirst && <SkeletonRows count={6} />}
            <div className="rows">
              {list.data?.items.map((each) => (
                <SessionLine key={each.runId} session={each} />
              ))}
            </div>
            {list.data !== undefined && list.data.items.length >= MOST && (
              <p className="small muted dx-pad">The newest {MOST} are shown.</p>
            )}
            {list.data?.items.length === 0 && (
              <EmptyState
                title="Nothing has been argued here yet"
                command={'dialectic start "A booking system for a small clinic" --follow'}
              >
                Say what you want. Each model writes its own proposal, reviews the others', and what
                survives becomes a plan. Every prompt and every document is kept, and you say when
                it goes on.
              </EmptyState>
            )}
          </Scroll>
        </section>
        {mayRun && (
          <section className="pane dx-start" aria-label="Begin a dialectic">
            <header>
              <h2>Begin a dialectic</h2>
            </header>
            <StartForm />
          </section>
        )}
      </div>
    </>
  );
}

function SessionLine({ session }: { readonly session: Listed }) {
  const { runId, title, state, status, stage, iteration, slots, turns } = session;
  const isDone = status === "finished" || status === "iteration_complete_pending_review";
  return (
    <a className="dx-line" href={sessionAddress(runId)}>
      <Glyph state={stateOf(state)} />
      <span className="b cut">
        <Words text={title} />
      </span>
      <span className="muted cut">
        {isDone ? "all stages" : words(stage)}
        {iteration > 1 && `, iteration ${iteration}`}, {state}
      </span>
      <span className="small num muted r hide-n">{plural(slots.length, "slot")}</span>
      <span className="small num muted r hide-n">{plural(turns, "call")}</span>
      <span className="small num muted r">{spentWords(session)}</span>
      <span className="small num muted r hide-n">
        <Ago at={session.createdAt} />
      </span>
    </a>
  );
}
