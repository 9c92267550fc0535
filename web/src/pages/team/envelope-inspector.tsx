/** What a prompt was made of: every envelope of the mission, one in full, and what changed since the one before. */

import { useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { count } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Reference } from "../../parts/reference.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import type { Status } from "./team-run.tsx";
import { STEP_LABELS } from "./team-words.ts";

type Envelopes = Output<"team.envelope">;
type Line = Envelopes["envelopes"][number];

export function EnvelopeInspector({
  status,
  hash,
}: {
  readonly status: Status;
  readonly hash: string | undefined;
}) {
  const { runId } = status;
  const all = useOperation("team.envelope", { runId });
  const lines = all.data?.envelopes.toReversed() ?? [];
  const wanted = hash ?? lines[0]?.hash;
  const one = useOperation(
    "team.envelope",
    wanted === undefined ? undefined : { runId, hash: wanted },
  );
  return (
    <div className="split twofold" data-shows={hash === undefined ? "list" : "detail"}>
      <section className="pane team-tree" aria-label="Envelopes">
        <div className="scroll">
          <ProblemNote problem={all.problem} onRetry={all.refresh} />
          {all.isFirst && <SkeletonRows count={8} />}
          {lines.map((line) => (
            <EnvelopeLine
              key={line.artifactId}
              status={status}
              line={line}
              isChosen={line.hash === wanted}
            />
          ))}
        </div>
      </section>
      <section className="pane grow detail" aria-label="Envelope">
        <ProblemNote problem={one.problem} onRetry={one.refresh} />
        {one.data?.shown && <Shown status={status} shown={one.data.shown} />}
      </section>
    </div>
  );
}

function EnvelopeLine({
  status,
  line,
  isChosen,
}: {
  readonly status: Status;
  readonly line: Line;
  readonly isChosen: boolean;
}) {
  const { round, step, memberId, target, hash, characters, budget, dropped } = line;
  const name = status.members.find(({ id }) => id === memberId)?.name ?? memberId;
  return (
    <a
      className="item"
      href={`/teams/${status.runId}/envelopes/${hash}`}
      aria-current={isChosen ? "true" : undefined}
    >
      <span className="num micro muted">{round}</span>
      <span className="t">
        {STEP_LABELS[step]}, <Words text={name} />
        {target !== null && ` (${target})`}
      </span>
      <span className="micro muted mono">{hash.slice(0, 8)}</span>
      <span className="d row">
        <span
          className="prog"
          style={{ ["--w" as string]: `${Math.round((characters / budget) * 100)}%` }}
        >
          <i />
        </span>
        <span className="num">
          {count(characters)} of {count(budget)}
        </span>
        {dropped.length > 0 && <span>{dropped.length} left out</span>}
      </span>
    </a>
  );
}

const DIFF_CLASSES = { added: "add", removed: "del", same: "diff-name" } as const;

function Shown({
  status,
  shown,
}: {
  readonly status: Status;
  readonly shown: NonNullable<Envelopes["shown"]>;
}) {
  const [mode, setMode] = useState<"whole" | "diff">("whole");
  const { line, body, against, diff, exchangeId } = shown;
  return (
    <>
      <header>
        <a
          className="goback"
          href={`/teams/${status.runId}/envelopes`}
          aria-label="Back to the list"
        >
          ‹
        </a>
        <h2 className="cut">
          Round {line.round}, {STEP_LABELS[line.step]}, {line.memberId}
        </h2>
        <span className="mono micro muted">{line.hash.slice(0, 16)}</span>
        {exchangeId !== null && (
          <Reference noun="exchange" id={exchangeId}>
            its prompt
          </Reference>
        )}
        <span className="end">
          <Segmented
            label="How to show it"
            choices={[
              { name: "whole", label: "Whole" },
              {
                name: "diff",
                label: against === null ? "Nothing before it" : `Since round ${against.round}`,
              },
            ]}
            chosen={mode}
            onChoose={setMode}
          />
        </span>
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="scroll product-body" tabIndex={0} role="region" aria-label="The envelope">
        {line.dropped.length > 0 && (
          <div className="team-block flush">
            <h3>Left out or cut to fit</h3>
            <ul className="plain-list small">
              {line.dropped.map(({ slice, why }) => (
                <li key={slice + why}>
                  <span className="mono">{slice}</span>: {why}
                </li>
              ))}
            </ul>
          </div>
        )}
        {mode === "whole" ? (
          <pre className="code">
            <Words text={body} />
          </pre>
        ) : (
          <div className="diff code">
            {diff.map(({ change, text }, place) => (
              // biome-ignore lint: lines may be alike
              <div key={place} className={DIFF_CLASSES[change]}>
                <Words text={text === "" ? " " : text} />
              </div>
            ))}
            {diff.length === 0 && (
              <p className="muted">There is nothing to compare it with, or nothing changed.</p>
            )}
          </div>
        )}
      </div>
    </>
  );
}
