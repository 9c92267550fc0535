/** One product: its criteria, versions, directives, comments and inspections; and for any sentence, where it came from. */

import { useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Reference } from "../../parts/reference.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { statusWords } from "../../parts/state.ts";
import { Segmented } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { CommentForm } from "./comment-form.tsx";
import { Coverage } from "./coverage.tsx";
import { SentenceChain } from "./sentence-chain.tsx";
import type { Status } from "./team-run.tsx";
import { collabState, teamState } from "./team-words.ts";

type Detail = Output<"team.product">;

export function ProductPane({
  status,
  productId,
}: {
  readonly status: Status;
  readonly productId: string;
}) {
  const { data, problem, refresh } = useOperation("team.product", {
    runId: status.runId,
    product: productId,
  });
  if (data === undefined)
    return (
      <section className="pane grow detail">
        <ProblemNote problem={problem} onRetry={refresh} />
        {problem === undefined && <SkeletonRows count={8} />}
      </section>
    );
  return (
    <section className="pane grow detail" aria-label={data.product.name}>
      <PaneHead status={status} detail={data} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="scroll product-body" tabIndex={0} role="region" aria-label="The product">
        <p className="muted">
          <Words text={data.product.description} />
        </p>
        <Criteria detail={data} />
        <Versions status={status} detail={data} />
        <Directives detail={data} status={status} />
        <Comments detail={data} status={status} />
        <Inspections detail={data} />
        <Actions detail={data} />
      </div>
    </section>
  );
}

function PaneHead({ status, detail }: { readonly status: Status; readonly detail: Detail }) {
  const mayRun = useMay("run");
  const { run, isBusy, problem } = useChange("team.accept");
  const { product, obstacles } = detail;
  const accept = async () => {
    const done = await run({ runId: status.runId, product: product.id });
    if (done !== undefined) toast(`Accepted: ${product.name}`);
  };
  return (
    <>
      <header>
        <a
          className="goback"
          href={`/teams/${status.runId}/products`}
          aria-label="Back to the tree"
        >
          ‹
        </a>
        <h2 className="cut">
          <span className="mono micro muted">{product.id}</span> <Words text={product.name} />
        </h2>
        <Chip state={teamState(product.status)}>{product.status}</Chip>
        <span className="end row">
          <Coverage coverage={product.coverage} />
          {mayRun && product.status !== "accepted" && (
            <Button
              size="small"
              icon="check"
              isBusy={isBusy}
              isDisabled={obstacles.length > 0}
              onPress={() => void accept()}
            >
              Accept
            </Button>
          )}
        </span>
      </header>
      <ProblemNote problem={problem} />
      {product.status !== "accepted" && obstacles.length > 0 && (
        <div className="note obstacles">
          <Glyph state="hold" />
          <div>Cannot be accepted yet: {obstacles.join("; ")}.</div>
        </div>
      )}
    </>
  );
}

function Criteria({ detail }: { readonly detail: Detail }) {
  return (
    <div className="team-block flush">
      <h3>Definition of done</h3>
      <ul className="criteria">
        {detail.product.coverage.criteria.map(({ criterion, passes, evidence }) => (
          <li key={criterion}>
            <Glyph state={passes === null ? "todo" : passes ? "ok" : "fail"} />
            <div>
              <Words text={criterion} />
              {evidence !== "" && (
                <div className="micro muted">
                  <Words text={evidence} />
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Versions({ status, detail }: { readonly status: Status; readonly detail: Detail }) {
  const { versions, product } = detail;
  const [asked, choose] = useState<string>();
  const [mode, setMode] = useState<"read" | "trace">("read");
  const version =
    versions.find(({ id }) => id === asked) ??
    versions.find(({ id }) => id === product.selectedVersionId) ??
    versions.at(-1);
  if (version === undefined) return <p className="muted">Not written yet.</p>;
  const name = nameOf(status, version.authorId);
  return (
    <div className="team-block flush">
      <div className="row versions-head">
        <h3>Versions</h3>
        <Segmented
          label="Version"
          choices={versions.map(({ id }) => ({ name: id, label: id }))}
          chosen={version.id}
          onChoose={choose}
        />
        <span className="end">
          <Segmented
            label="How to show it"
            choices={[
              { name: "read", label: "Read" },
              { name: "trace", label: "Trace sentences" },
            ]}
            chosen={mode}
            onChoose={setMode}
          />
        </span>
      </div>
      <p className="small">
        <b className="b">
          <Words text={name} />
        </b>
        , round {version.round}: <Words text={version.changeSummary} />
      </p>
      <p className="micro muted">
        {version.lastDirectiveId !== null && <>for {version.lastDirectiveId}, </>}rests on{" "}
        <span className="mono">{version.trace.join(" ")}</span>
        {version.addressed.length > 0 && (
          <>
            , settles{" "}
            <span className="mono">
              {version.addressed.map(({ collabId }) => collabId).join(" ")}
            </span>
          </>
        )}{" "}
        {version.exchangeId !== null && <Reference noun="exchange" id={version.exchangeId} />}
      </p>
      <div className="block">
        <div className="in">
          {version.content === null ? (
            <p className="muted">
              The words were pruned; the hash still proves what they were:{" "}
              <span className="mono">{version.hash.slice(0, 12)}</span>
            </p>
          ) : mode === "read" ? (
            <Markdown text={version.content} />
          ) : (
            <SentenceChain
              key={version.id}
              runId={status.runId}
              productId={product.id}
              versionId={version.id}
              content={version.content}
            />
          )}
        </div>
      </div>
      <p className="small muted">
        Reflection note: <Words text={version.reflectionNote} />
      </p>
    </div>
  );
}

function Directives({ status, detail }: { readonly status: Status; readonly detail: Detail }) {
  if (detail.directives.length === 0) return null;
  return (
    <div className="team-block flush">
      <h3>Directives</h3>
      {detail.directives.toReversed().map((directive) => {
        const {
          id,
          operativeId,
          round,
          dueRound,
          importance,
          state,
          objective,
          motivationNote,
          operativeNote,
        } = directive;
        return (
          <details key={id} className="member">
            <summary>
              <Glyph state={teamState(state)} />
              <span className="mono micro muted">{id}</span>
              <span className="cut">
                <Words text={objective} />
              </span>
              <span className="micro muted num end">
                <Words text={nameOf(status, operativeId)} />, importance {importance}, due in round{" "}
                {dueRound}, {statusWords(state)}
              </span>
            </summary>
            <div className="small">
              <p>
                <Words text={motivationNote} />
              </p>
              <dl className="note-list">
                <dt>Specialties</dt>
                <dd>{operativeNote.specialties.join("; ")}</dd>
                <dt>What is left</dt>
                <dd>{operativeNote.whatIsLeft.join("; ")}</dd>
                <dt>On track</dt>
                <dd>{statusWords(operativeNote.onTrack)}</dd>
                <dt>Satisfaction</dt>
                <dd>
                  {operativeNote.satisfaction.level} of 5, {operativeNote.satisfaction.because}
                </dd>
                <dt>Bigger picture</dt>
                <dd>{operativeNote.biggerPicture}</dd>
                <dt>Component importance</dt>
                <dd>{operativeNote.componentImportance}</dd>
              </dl>
              <p className="micro muted mono">
                round {round}, rests on {directive.trace.join(" ")}
              </p>
            </div>
          </details>
        );
      })}
    </div>
  );
}

function Comments({ status, detail }: { readonly status: Status; readonly detail: Detail }) {
  const mayEdit = useMay("edit");
  return (
    <div className="team-block flush">
      <h3>Comments</h3>
      <ul className="refusals">
        {detail.collabs
          .toReversed()
          .map(
            ({
              id,
              authorId,
              kind,
              importance,
              age,
              state,
              content,
              answer,
              round,
              respondsTo,
            }) => (
              <li key={id}>
                <Glyph state={collabState(state)} />
                <div>
                  <span className="mono micro muted">{id}</span>{" "}
                  <b className="b">
                    <Words text={nameOf(status, authorId)} />
                  </b>{" "}
                  <span className="micro muted">
                    {kind}, importance {importance}
                    {age > 0 && ` + ${age} unanswered`}, {statusWords(state)}, round {round}
                    {respondsTo.length > 0 && `, to ${respondsTo.join(" ")}`}
                  </span>
                  <div>
                    <Words text={content} />
                  </div>
                  {answer !== null && (
                    <div className="small muted">
                      Answer: <Words text={answer} />
                    </div>
                  )}
                </div>
              </li>
            ),
          )}
      </ul>
      {mayEdit && <CommentForm runId={status.runId} productId={detail.product.id} />}
    </div>
  );
}

function Inspections({ detail }: { readonly detail: Detail }) {
  if (detail.inspections.length === 0) return null;
  return (
    <div className="team-block flush">
      <h3>Inspections</h3>
      <ul className="refusals">
        {detail.inspections.toReversed().map(({ id, versionId, verdict, summary, findings }) => (
          <li key={id}>
            <Glyph state={teamState(verdict)} />
            <div>
              <span className="mono micro muted">{versionId}</span>{" "}
              <b className="b">{statusWords(verdict)}</b> <Words text={summary} />
              {findings.map(({ category, severity, issue, recommendation }) => (
                <div key={issue} className="small muted">
                  {category}, severity {severity}: <Words text={`${issue} ${recommendation}`} />
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Actions({ detail }: { readonly detail: Detail }) {
  if (detail.actions.length === 0) return null;
  return (
    <div className="team-block flush">
      <h3>What was done</h3>
      <ul className="plain-list">
        {detail.actions.map(({ id, action, productId, round, reason, decisionId }) => (
          <li key={id} className="small">
            <span className="mono micro muted">{id}</span> {statusWords(action)} {productId}, round{" "}
            {round}
            {decisionId !== null && `, decided in ${decisionId}`}: <Words text={reason} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function nameOf(status: Status, id: string): string {
  return id === "user" ? "You" : (status.members.find((member) => member.id === id)?.name ?? id);
}
