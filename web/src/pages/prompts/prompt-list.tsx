import { useList } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { ExchangeList } from "../../runs/exchange-list.tsx";
import { useProjectId } from "../../shell/current-project.ts";

/** Prompts by the runs they belong to. */
export function PromptList() {
  const project = useProjectId();
  const list = useList("run.list", { project, limit: 40 });
  const [asked, choose] = useQueryField("run");
  const runs = list.items.filter(({ turns }) => turns > 0);
  const chosen = runs.find(({ id }) => id === asked) ?? runs[0];
  return (
    <div className="split twofold" data-shows={asked === undefined ? "list" : "detail"}>
      <section className="pane" aria-label="Runs">
        <header className="list-head">
          <h1>Prompts</h1>
          <span className="muted">by run</span>
        </header>
        <div className="scroll">
          <ProblemNote problem={list.problem} onRetry={list.refresh} />
          {list.isFirst && <SkeletonRows />}
          {runs.map(({ id, title, state, turns, createdAt }) => (
            <button
              key={id}
              type="button"
              className="item"
              aria-current={id === chosen?.id ? "true" : undefined}
              onClick={() => choose(id)}
            >
              <Glyph state={stateOf(state)} />
              <span className="t cut">
                <Words text={title} />
              </span>
              <Ago at={createdAt} />
              <span className="d">{turns === 1 ? "1 call" : `${turns} calls`}</span>
            </button>
          ))}
          <MoreButton list={list} />
        </div>
      </section>
      <div className="detail pane">
        {chosen === undefined ? (
          list.data !== undefined && (
            <EmptyState
              title="No prompt was sent yet"
              command='ask "What should we look at first?"'
            >
              Each prompt is kept before it is sent: the text, where every part of it comes from,
              what was left out and why, the raw reply and each repair in reading it.
            </EmptyState>
          )
        ) : (
          <>
            <header className="list-head">
              <a className="btn quiet icon goback" href="/prompts" aria-label="Back to the list">
                <Icon name="back" />
              </a>
              <h2 className="cut">
                <Words text={chosen.title} />
              </h2>
              <a className="btn end" href={`/runs/${chosen.id}`}>
                Open the run
              </a>
            </header>
            <div className="scroll">
              <ExchangeList key={chosen.id} runId={chosen.id} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}
