/** What an import would bring, brings, or has brought. */

import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { brief, count, plural } from "../../parts/format.ts";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ProgressLine } from "../../parts/progress-line.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";

type Plan = Output<"import.start">;
type Detail = Output<"import.show">;

export function ImportPlan({
  plan,
  onAgree,
  onBack,
}: {
  readonly plan: Plan;
  readonly onAgree: () => void;
  readonly onBack: () => void;
}) {
  const { totals } = plan;
  const comes = totals.added + totals.extended;
  return (
    <div className="wizard-step">
      <h2>{comes === 0 ? "Nothing new in it" : "This is what would come"}</h2>
      <p className="muted">
        <Words text={plan.name} />, {brief(plan.bytes)} bytes. Nothing is written yet.
      </p>
      <Totals totals={totals} progress={plan.progress} />
      <Files progress={plan.progress} />
      <Problems problems={plan.problems} all={plan.progress.problems} />
      <div className="row">
        <Button
          kind={comes === 0 ? "default" : "primary"}
          isDisabled={comes === 0}
          onPress={onAgree}
        >
          Import {plural(comes, "conversation")}
        </Button>
        <Button kind="quiet" onPress={onBack}>
          Choose something else
        </Button>
      </div>
    </div>
  );
}

function Totals({
  totals,
  progress,
}: {
  readonly totals: Plan["totals"];
  readonly progress: Plan["progress"];
}) {
  const facts: readonly (readonly [string, number])[] = [
    ["New conversations", totals.added],
    ["Go on with more", totals.extended],
    ["Known already", progress.unchanged],
    ["New messages", totals.messagesAdded],
    ["Could not be read", progress.problems],
  ];
  return (
    <dl className="facts import-facts">
      {facts.map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count(amount)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Files({ progress }: { readonly progress: Plan["progress"] }) {
  const { files, moreFiles, skipped, moreSkipped, notes } = progress;
  const told = Object.entries(notes);
  return (
    <>
      {files.length > 0 && (
        <table className="tbl">
          <thead>
            <tr>
              <th>File</th>
              <th>Read as</th>
              <th className="r">Conversations</th>
            </tr>
          </thead>
          <tbody>
            {files.map(({ name, format, conversations }) => (
              <tr key={name}>
                <td>
                  <Words text={name} />
                </td>
                <td>{format}</td>
                <td className="r">{count(conversations)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {moreFiles > 0 && <p className="small muted">and {plural(moreFiles, "file")} more</p>}
      {skipped.length > 0 && (
        <details className="small">
          <summary>{plural(skipped.length + moreSkipped, "file")} without conversations</summary>
          <ul className="bullets">
            {skipped.map(({ name, reason }) => (
              <li key={name}>
                <Words text={name} /> <span className="muted">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {told.length > 0 && (
        <p className="small muted">
          On the way:{" "}
          {told.map(([what, n]) => `${what.replaceAll("_", " ")} ${count(n)}`).join(", ")}.
        </p>
      )}
    </>
  );
}

function Problems({
  problems,
  all,
}: {
  readonly problems: Plan["problems"];
  readonly all: number;
}) {
  if (all === 0) return null;
  return (
    <details className="note wait import-problems" open={all <= 5}>
      <summary>
        <Glyph state="warn" /> {plural(all, "record")} could not be read; the rest is not affected
      </summary>
      <ul className="bullets small">
        {problems.map(({ file, offset, line, message, code }) => (
          <li key={`${file} ${offset ?? line ?? 0} ${code}`}>
            <Words text={message} />{" "}
            <span className="muted mono">
              <Words text={file} />
              {line !== undefined
                ? `, line ${line}`
                : offset === undefined
                  ? ""
                  : `, byte ${offset}`}
            </span>
          </li>
        ))}
      </ul>
      {all > problems.length && (
        <p className="small muted">The first {problems.length} are shown.</p>
      )}
    </details>
  );
}

const LIVE_MS = 1000;

export function ImportOutcome({ id }: { readonly id: string }) {
  const shown = useOperation("import.show", { importId: id }, { everyMs: LIVE_MS });
  const { data, problem, refresh } = shown;
  if (data === undefined)
    return (
      <div className="wizard">
        <ProblemNote problem={problem} onRetry={refresh} />
        {problem === undefined && <SkeletonRows count={6} />}
      </div>
    );
  return <Outcome detail={data} />;
}

const HEADINGS: Readonly<Record<Detail["import"]["state"], string>> = {
  running: "Coming in",
  interrupted: "Interrupted, nothing lost",
  completed: "It is in",
  stopped: "Stopped; what came in stays",
  failed: "It did not go to the end",
};

function Outcome({ detail }: { readonly detail: Detail }) {
  const { import: own, problems, changed } = detail;
  const { state, progress, totals, bytes } = own;
  const mayEdit = useMay("edit");
  const stop = useChange("import.stop");
  const resume = useChange("import.resume");
  return (
    <div className="wizard">
      <div className="wizard-step">
        <div className="row">
          <h2>{HEADINGS[state]}</h2>
          <Chip state={stateOf(state)}>{state}</Chip>
        </div>
        <p className="muted">
          <Words text={own.name} />, {brief(bytes)} bytes
        </p>
        {state === "running" && (
          <ProgressLine
            progress={{ message: "Reading", done: progress.bytesRead, total: bytes, unit: "bytes" }}
          />
        )}
        {own.reason !== undefined && (
          <div className="note fail">
            <Glyph state="fail" />
            <div>
              <Words text={own.reason} />
            </div>
          </div>
        )}
        <ProblemNote problem={stop.problem ?? resume.problem} />
        {mayEdit && (
          <div className="row">
            {state === "running" && (
              <Button isBusy={stop.isBusy} onPress={() => void stop.run({ importId: own.id })}>
                Stop
              </Button>
            )}
            {["interrupted", "stopped", "failed"].includes(state) && (
              <Button
                kind="primary"
                isBusy={resume.isBusy}
                onPress={() => void resume.run({ importId: own.id })}
              >
                Go on where it stopped
              </Button>
            )}
          </div>
        )}
        <Totals totals={totals} progress={progress} />
        <Files progress={progress} />
        <Problems problems={problems} all={progress.problems} />
        {changed.length > 0 && (
          <section className="block">
            <header>Conversations it touched</header>
            <div className="rows">
              {changed.map(({ conversationId, title, outcome, messagesAdded }) => (
                <a key={conversationId} href={`/conversations/${conversationId}`}>
                  <span className="b cut">
                    <Words text={title} />
                  </span>
                  <span className="muted small end">
                    {outcome}, {plural(messagesAdded, "new message")}
                  </span>
                </a>
              ))}
            </div>
          </section>
        )}
      </div>
    </div>
  );
}
