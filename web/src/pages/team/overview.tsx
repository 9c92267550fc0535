/** The charter, what is asked of you, rounds by steps, what the envoy said, and what the gates refused. */

import { Glyph } from "../../parts/glyph.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Words } from "../../parts/words.tsx";
import { HaltForm } from "./halt-form.tsx";
import type { Status } from "./team-run.tsx";
import { ROUND_STEPS, STEP_LABELS, teamState } from "./team-words.ts";

export function Overview({ status }: { readonly status: Status }) {
  return (
    <div className="split team-overview">
      <section className="pane grow" aria-label="Rounds">
        {/* A scrolling region must be reachable by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className="scroll" tabIndex={0} role="region" aria-label="Rounds and messages">
          {status.waits.map((wait) => (
            <HaltForm key={wait.id} runId={status.runId} wait={wait} />
          ))}
          <RoundGrid status={status} />
          <Messages status={status} />
          <Refusals status={status} />
        </div>
      </section>
      <aside className="pane team-side" aria-label="Charter and members">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className="scroll" tabIndex={0} role="region" aria-label="Charter">
          <Charter status={status} />
          <Members status={status} />
        </div>
      </aside>
    </div>
  );
}

function RoundGrid({ status }: { readonly status: Status }) {
  const rounds = Array.from({ length: status.round }, (_, place) => place + 1);
  const bootstrap = status.steps.find(({ step }) => step === "bootstrap");
  return (
    <div className="team-block">
      <h2>Rounds</h2>
      <table className="tbl round-grid">
        <thead>
          <tr>
            <th scope="col">Round</th>
            {ROUND_STEPS.map((step) => (
              <th key={step} scope="col">
                {STEP_LABELS[step]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bootstrap !== undefined && (
            <tr>
              <th scope="row">0</th>
              <td colSpan={ROUND_STEPS.length}>
                <span className="row">
                  <Glyph state={teamState(bootstrap.state)} />
                  Bootstrap{bootstrap.note === "" ? "" : `, ${bootstrap.note}`}
                </span>
              </td>
            </tr>
          )}
          {rounds.map((round) => (
            <tr key={round}>
              <th scope="row">{round}</th>
              {ROUND_STEPS.map((step) => (
                <StepCell key={step} status={status} round={round} step={step} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function StepCell({
  status,
  round,
  step,
}: {
  readonly status: Status;
  readonly round: number;
  readonly step: string;
}) {
  const found = status.steps.find((each) => each.round === round && each.step === step);
  if (found === undefined) return <td className="faint">–</td>;
  const isSkipped = found.state === "skipped";
  return (
    <td>
      <span className="row" title={found.note === "" ? undefined : found.note}>
        <Glyph state={teamState(found.state)} />
        {isSkipped ? (
          <span className="muted hide-n">skipped</span>
        ) : (
          <span className="num">
            {found.calls}
            <span className="hide-n">{found.calls === 1 ? " call" : " calls"}</span>
          </span>
        )}
      </span>
      {found.note !== "" && <span className="micro muted hide-n">{found.note}</span>}
    </td>
  );
}

function Messages({ status }: { readonly status: Status }) {
  if (status.messages.length === 0) return null;
  const name = (id: string) => status.members.find((member) => member.id === id)?.name ?? id;
  return (
    <div className="team-block">
      <h2>Said to you</h2>
      <ol className="thread">
        {status.messages.toReversed().map(({ id, round, speakerId, text, deltaIds }) => (
          <li key={id}>
            <b className="b">
              <Words text={name(speakerId)} />
            </b>{" "}
            <span className="micro muted">round {round}</span>
            <div>
              <Words text={text} />
            </div>
            <div className="micro muted mono">{deltaIds.join(" ")}</div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Refusals({ status }: { readonly status: Status }) {
  if (status.refusals.length === 0) return null;
  return (
    <div className="team-block">
      <h2>Refused by the gates</h2>
      <ul className="refusals">
        {status.refusals
          .toReversed()
          .map(({ id, round, step, memberId, place, code, message, exchangeId }) => (
            <li key={id}>
              <Glyph state="skip" />
              <div>
                <span className="mono small">{place === "" ? "reply" : place}</span>{" "}
                <Words text={message} />
                <div className="micro muted">
                  round {round}, {STEP_LABELS[step]}, {memberId},{" "}
                  <span className="mono">{code}</span>
                  {exchangeId !== null && (
                    <>
                      {" "}
                      <Reference noun="exchange" id={exchangeId} />
                    </>
                  )}
                </div>
              </div>
            </li>
          ))}
      </ul>
    </div>
  );
}

function Charter({ status: { mission, prompt } }: { readonly status: Status }) {
  return (
    <div className="team-block">
      <h2>Your words</h2>
      <p className="brief plain">
        <Words text={prompt} />
      </p>
      {mission === null ? (
        <p className="muted">The chair is writing the mission.</p>
      ) : (
        <>
          <h2>
            Mission charter <span className="mono micro muted">{mission.id}</span>
          </h2>
          <p className="b">
            <Words text={mission.statement} />
          </p>
          <Markdown text={mission.charter} />
          <Listed title="Objectives" items={mission.objectives} />
          <Listed title="Constraints" items={mission.constraints} />
          <Listed
            title="Not known"
            items={mission.missingDetails.map(({ question, answer }) =>
              answer === null ? question : `${question} ${answer}`,
            )}
          />
        </>
      )}
    </div>
  );
}

function Listed({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="plain-list">
        {items.map((item) => (
          <li key={item}>
            <Words text={item} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Members({ status }: { readonly status: Status }) {
  return (
    <div className="team-block">
      <h2>Members</h2>
      {status.members.map((member) => (
        <details key={member.id} className="member">
          <summary>
            <span className={member.isPerson ? "who person" : "who agent"} aria-hidden="true">
              <Words text={member.name.slice(0, 1)} />
            </span>
            <span className="b">
              <Words text={member.name} />
            </span>
            <span className="muted small cut">
              {member.role}, <Words text={member.teamRole} />
            </span>
            {member.role === "operative" && (
              <span className="micro muted num end">
                {member.ownedProductsCount} owned, {member.ownedPendingProductsCount} pending
              </span>
            )}
          </summary>
          <div className="small">
            <p className="muted">
              Skills: <Words text={member.skills.join("; ")} />.{" "}
              <Words text={member.characteristics.join(", ")} />.
            </p>
            {member.persona !== null && <Markdown text={member.persona} />}
            {member.motivation !== null && (
              <p>
                <Words text={member.motivation} />
              </p>
            )}
            {member.chairNote !== null && (
              <p className="muted">
                Last chair note: <Words text={member.chairNote} />
              </p>
            )}
            <p className="micro muted mono">{member.model}</p>
          </div>
        </details>
      ))}
    </div>
  );
}
