/** The line itself: what it began on, one commit per intent, and the one commit they came to; beside it what was asked. */

import { FactList } from "../../parts/facts.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import type { SessionDetail, SessionTabProps } from "./session-view.tsx";
import { intentWords, pushWords, shortChange } from "./session-words.ts";

export function SessionTrail({ detail }: SessionTabProps) {
  return (
    <div className="split session-trail">
      <div className="pane grow">
        <Scroll className="scroll session-line-of-work" label="Trail">
          <Thread detail={detail} />
        </Scroll>
      </div>
      <aside className="pane session-aside" aria-label="What was asked">
        <Scroll className="scroll" label="What was asked">
          <Asked detail={detail} />
        </Scroll>
      </aside>
    </div>
  );
}

function Thread({ detail: { session, intents } }: SessionTabProps) {
  const isMade = session.changeId !== undefined;
  return (
    <ol className="thread session-thread" aria-label="Commits">
      <li>
        <div className="row">
          <span className="muted">Began on</span>
          <Change id={session.base.changeId} />
          <span className="end small muted">
            <Ago at={session.createdAt} />
          </span>
        </div>
      </li>
      {intents.map((intent) => (
        <IntentKnot key={intent.changeId} intent={intent} />
      ))}
      {intents.length === 0 && (
        <li>
          <div className="muted">
            {isMade ? "No file had to change." : "No change is recorded yet."}
          </div>
        </li>
      )}
      {isMade ? (
        <li className="now">
          <div className="row">
            <span className="b">
              <Words text={session.title} />
            </span>
            <Change id={session.changeId ?? ""} />
          </div>
          <div className="small muted">
            {session.mode === "multi"
              ? `${intentWords(session)} squashed; originals and duplicates are kept by `
              : session.mode === "single"
                ? "The one intent, rewritten in place."
                : "Holds the report alone."}
            {session.mode === "multi" && <span className="mono">{session.kept}</span>}
          </div>
          <div className="small row">
            <Glyph
              state={session.push === "failed" ? "hold" : session.push === "pushed" ? "ok" : "skip"}
            />
            <span>
              {session.bookmark}: <Words text={pushWords(session)} />
            </span>
          </div>
        </li>
      ) : (
        <li className="todo-knot">
          <div className="muted">One commit with the report follows when it is finished.</div>
        </li>
      )}
    </ol>
  );
}

function IntentKnot({ intent }: { readonly intent: SessionDetail["intents"][number] }) {
  const { changeId, what, source, duplicateId, at } = intent;
  const how = { recorded: "", found: "found in the history", run: "by a run" }[source];
  const more = [how, duplicateId === undefined ? "" : `squashed as ${shortChange(duplicateId)}`];
  const said = more.filter(Boolean).join(", ");
  return (
    <li>
      <div className="row">
        <span className="cut">
          <Words text={what} />
        </span>
        <Change id={changeId} />
        <span className="end small muted">
          <Ago at={at} />
        </span>
      </div>
      {said !== "" && <div className="small muted">{said}</div>}
    </li>
  );
}

function Change({ id }: { readonly id: string }) {
  return (
    <span className="session-change" title={id}>
      {shortChange(id)}
    </span>
  );
}

function Asked({ detail: { session, runs } }: SessionTabProps) {
  return (
    <div className="session-asked">
      <section>
        <h2 className="lbl">Prompt</h2>
        <pre className="code session-prompt">
          <Words text={session.prompt} />
        </pre>
      </section>
      <section>
        <h2 className="lbl">Interpretation</h2>
        <p className="brief plain">
          <Words text={session.interpretation} />
        </p>
      </section>
      {session.strategy !== "" && (
        <section>
          <h2 className="lbl">Strategy</h2>
          <p className="brief plain">
            <Words text={session.strategy} />
          </p>
        </section>
      )}
      {session.constraints.length > 0 && (
        <section>
          <h2 className="lbl">Constraints</h2>
          <ul className="session-constraints">
            {session.constraints.map((text) => (
              <li key={text}>
                <Words text={text} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {runs.length > 0 && (
        <section>
          <h2 className="lbl">Runs bound to it</h2>
          <ul className="session-runs">
            {runs.map(({ runId, title, state }) => (
              <li key={runId} className="row">
                <Glyph state={stateOf(state ?? "")} />
                <Reference noun="run" id={runId}>
                  {title}
                </Reference>
                <span className="small muted">{statusWords(state ?? "")}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <FactList
        facts={{
          Repository: <Words text={`${session.repository} (${session.vcs})`} />,
          Project: session.projectName,
          Author: <Words text={`${session.author.name} <${session.author.email}>`} />,
          Subject: session.subject !== undefined && <Words text={session.subject} />,
          "Change scope": session.scope,
          "Relies on": session.reliesOn && <Change id={session.reliesOn.changeId} />,
          "Begun by": session.startedByName ?? session.startedBy,
        }}
      />
    </div>
  );
}
