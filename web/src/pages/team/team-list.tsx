/** Ready teams with the words to start one, and the missions so far. */

import { useId, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { statusWords } from "../../parts/state.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import { teamState } from "./team-words.ts";

type Team = Output<"team.list">["teams"][number];

export function TeamList() {
  const teams = useOperation("team.list", {});
  const runs = useOperation("team.runs", { limit: 50 });
  const mayRun = useMay("run");
  const [chosen, choose] = useState<string>();
  const team = teams.data?.teams.find(({ ref }) => ref === chosen) ?? teams.data?.teams[0];
  return (
    <>
      <div className="head">
        <h1>Teams</h1>
        <span className="muted small wide">
          A chair, operatives, a watchdog and an envoy work in rounds on a tree of products.
        </span>
      </div>
      <div className="split team-home">
        <section className="pane grow" aria-label="Missions" aria-busy={runs.isReading}>
          <header>
            <h2>Missions</h2>
          </header>
          <div className="scroll">
            <ProblemNote problem={runs.problem} onRetry={runs.refresh} />
            {runs.isFirst && <SkeletonRows count={6} />}
            <div className="rows">
              {runs.data?.runs.map((run) => (
                <a key={run.runId} className="team-line" href={`/teams/${run.runId}`}>
                  <Glyph state={teamState(run.status)} />
                  <span className="b cut">
                    <Words text={run.title} />
                  </span>
                  <span className="muted cut">
                    <Words text={run.stop ?? statusWords(run.status)} />
                  </span>
                  <span className="small num muted r">round {run.round}</span>
                  <span className="small num muted r hide-n">
                    {run.accepted} of {run.products} accepted
                  </span>
                  <span className="small num muted r hide-n">
                    <Ago at={run.createdAt} />
                  </span>
                </a>
              ))}
            </div>
            {runs.data?.runs.length === 0 && (
              <EmptyState title="No team has worked here yet" command="team start lab --follow">
                Choose a team beside this and tell it what you want. It writes a mission, divides
                the work, reviews itself and asks you when it must.
              </EmptyState>
            )}
          </div>
        </section>
        <section className="pane team-start" aria-label="Start a team">
          <header>
            <h2>Start a team</h2>
          </header>
          <div className="scroll">
            <ProblemNote problem={teams.problem} onRetry={teams.refresh} />
            {teams.data?.teams.map((each) => (
              <button
                key={each.ref}
                type="button"
                className="item"
                aria-current={each.ref === team?.ref}
                onClick={() => choose(each.ref)}
              >
                <Icon name="team" small />
                <span className="t">
                  <Words text={each.name} />
                </span>
                <span className="micro muted">{each.members} members</span>
                <span className="d">
                  <Words text={each.description} />
                </span>
              </button>
            ))}
            {team !== undefined && mayRun && <StartForm key={team.ref} team={team} />}
          </div>
        </section>
      </div>
    </>
  );
}

function StartForm({ team }: { readonly team: Team }) {
  const project = useProjectId();
  const { run, isBusy, problem } = useChange("team.start");
  const [prompt, setPrompt] = useState(team.example);
  const [rounds, setRounds] = useState("5");
  const id = useId();
  const start = async () => {
    const count = Number(rounds);
    const done = await run({
      team: team.ref,
      prompt,
      ...(Number.isInteger(count) && count > 0 ? { rounds: count } : {}),
      ...(project === undefined ? {} : { project }),
    });
    if (done !== undefined) navigate(`/teams/${done.runId}`);
  };
  return (
    <form
      className="form team-form"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <label className="field" htmlFor={`${id}-prompt`}>
        <span className="lbl">What you want, in your own words</span>
        <textarea
          id={`${id}-prompt`}
          className="inp"
          rows={5}
          value={prompt}
          onChange={({ target }) => setPrompt(target.value)}
        />
      </label>
      <label className="field" htmlFor={`${id}-rounds`}>
        <span className="lbl">Rounds at most</span>
        <input
          id={`${id}-rounds`}
          className="inp"
          type="number"
          min={1}
          max={100}
          value={rounds}
          onChange={({ target }) => setRounds(target.value)}
        />
      </label>
      <ProblemNote problem={problem} />
      <Button
        kind="primary"
        icon="play"
        submits
        isBusy={isBusy}
        isDisabled={prompt.trim() === ""}
        effect="the chair writes the mission"
      >
        Start <Words text={team.name} />
      </Button>
    </form>
  );
}
