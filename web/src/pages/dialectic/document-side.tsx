/** Where a document comes from and what rests on it, its versions, the calls that brought it. */

import { brief, count, plural, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { spentWords } from "./cost-words.ts";
import {
  cellState,
  documentAddress,
  findCell,
  placeWords,
  type ShownDocument,
  type Status,
  stateWords,
} from "./dialectic-words.ts";

export function DocumentSide({
  status,
  document,
}: {
  readonly status: Status;
  readonly document: ShownDocument;
}) {
  const { use } = document;
  return (
    <Scroll label="Lineage, versions and calls">
      <dl className="facts">
        <div>
          <dt>Calls</dt>
          <dd>{count(use.calls)}</dd>
        </div>
        <div>
          <dt>Tokens in</dt>
          <dd>{brief(use.inputTokens)}</dd>
        </div>
        <div>
          <dt>Tokens out</dt>
          <dd>{brief(use.outputTokens)}</dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>{spentWords(use)}</dd>
        </div>
      </dl>
      <Lineage status={status} document={document} />
      <Versions status={status} document={document} />
      <Calls document={document} />
      <SetAside document={document} />
      <div className="dx-block micro muted">
        <div>
          {document.place}, iteration {document.iteration}
        </div>
        <div className="mono">
          <Reference noun="artifact" id={document.id} /> {document.hash.slice(0, 16)}
        </div>
      </div>
    </Scroll>
  );
}

interface Related {
  readonly id: string;
  readonly document: string;
  readonly state: string;
  readonly isMoved: boolean;
}

function Lineage({
  status,
  document,
}: {
  readonly status: Status;
  readonly document: ShownDocument;
}) {
  const { inputs, usedBy, dependants } = document;
  const read = inputs.filter(({ type }) => DOCUMENT_TYPES.includes(type));
  // The request itself is the line they all stand on.
  const others = inputs.filter(
    ({ type, id }) => !DOCUMENT_TYPES.includes(type) && !id.startsWith("request:"),
  );
  return (
    <div className="dx-block">
      <h2>Lineage</h2>
      <ol className="thread dx-thread">
        <li>
          Your request
          {others.map(({ type, id, document: name }) => (
            <span key={id}>
              {", "}
              {type === "feedback" ? (
                `a remark on ${words(name.split("/").at(-1) ?? name)}`
              ) : type === "seed_prompt" ? (
                <Reference noun="artifact" id={id}>
                  seed prompt
                </Reference>
              ) : (
                words(type)
              )}
            </span>
          ))}
        </li>
        {groupsOf(
          status,
          read.map(({ id, document: name, isCurrent, state = "" }) => ({
            id,
            document: name,
            state,
            isMoved: !isCurrent,
          })),
        ).map((group) => (
          <RelatedLine key={group.key} status={status} group={group} />
        ))}
        <li className="now">
          <b className="b">{document.title}</b>{" "}
          <span className="muted">version {document.version}</span>
        </li>
        {groupsOf(
          status,
          usedBy.map((each) => ({ ...each, isMoved: false })),
        ).map((group) => (
          <RelatedLine key={group.key} status={status} group={group} />
        ))}
      </ol>
      <p className="micro muted">
        {usedBy.length === 0
          ? "Nothing rests on it yet."
          : `${plural(usedBy.length, "document")} read it${dependants > usedBy.length ? `, ${dependants} rest on it in all` : ""}.`}
      </p>
    </div>
  );
}

const DOCUMENT_TYPES = ["document", "contribution", "header_context"];

interface Group {
  readonly key: string;
  readonly title: string;
  readonly stage: string;
  readonly items: readonly Related[];
}

/** The same document of several slots is one line. */
function groupsOf(status: Status, items: readonly Related[]): readonly Group[] {
  const byKey = Map.groupBy(items, ({ document }) => document.split("/").slice(0, 2).join("/"));
  return [...byKey].map(([key, group]) => {
    const found = findCell(status, group[0]?.document ?? "");
    return {
      key,
      title: found?.step.title ?? words(key.split("/")[1] ?? key),
      stage: found?.stage.title ?? words(key.split("/")[0] ?? ""),
      items: group.toSorted((a, b) =>
        a.document.localeCompare(b.document, "en", { numeric: true }),
      ),
    };
  });
}

function RelatedLine({
  status,
  group: { title, stage, items },
}: {
  readonly status: Status;
  readonly group: Group;
}) {
  return (
    <li>
      {title} <span className="muted">{stage}</span>
      <span className="dx-dots">
        {items.map(({ id, document, state, isMoved }) => {
          const cell = findCell(status, document)?.cell;
          const place = cell === undefined ? (document.split("/").at(-1) ?? "") : placeWords(cell);
          const label = `${title}, ${place}: ${isMoved ? "has changed since" : stateWords(state)}`;
          const version = isMoved ? `?version=${id}` : "";
          return (
            <a key={id} href={documentAddress(status.runId, document) + version} title={label}>
              <span className="sr">{label}</span>
              <Glyph state={isMoved ? "skip" : cellState(state)} />
              <span className="micro mono" aria-hidden="true">
                {document.split("/").at(-1)}
              </span>
            </a>
          );
        })}
      </span>
    </li>
  );
}

function Versions({
  status,
  document,
}: {
  readonly status: Status;
  readonly document: ShownDocument;
}) {
  const address = documentAddress(status.runId, document.place);
  return (
    <div className="dx-block">
      <h2>Versions</h2>
      <ul className="dx-versions">
        {document.versions
          .toReversed()
          .map(({ id, version, state, authorName, isEdited, isRevised, createdAt }) => (
            <li key={id}>
              <a
                href={state === "superseded" ? `${address}?version=${id}` : address}
                aria-current={id === document.id ? "true" : undefined}
              >
                <Glyph state={cellState(state)} />
                <span className="num b">v{version}</span>
                <span className="cut grow">
                  {isEdited ? "edited by " : isRevised ? "revised by " : "written by "}
                  <Words text={authorName} />
                </span>
                <span className="micro muted">
                  <Ago at={createdAt} />
                </span>
              </a>
            </li>
          ))}
      </ul>
    </div>
  );
}

function Calls({ document: { calls } }: { readonly document: ShownDocument }) {
  if (calls.length === 0)
    return (
      <div className="dx-block">
        <h2>Calls</h2>
        <p className="small muted">None: this version was written by hand.</p>
      </div>
    );
  return (
    <div className="dx-block">
      <h2>Calls</h2>
      <ul className="dx-list">
        {calls.map(({ exchangeId, model, continuation, outcome, inputTokens, outputTokens }) => (
          <li key={exchangeId}>
            <Glyph state={outcome === "answered" ? "ok" : "fail"} />
            <a className="link" href={`/prompts/${exchangeId}`}>
              {continuation === 0 ? "Prompt and reply" : `Continuation ${continuation}`}
            </a>
            <span className="micro muted mono cut grow">{model}</span>
            <span className="micro muted num">
              {brief(inputTokens)} + {brief(outputTokens)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function SetAside({ document: { setAside } }: { readonly document: ShownDocument }) {
  if (setAside.length === 0) return null;
  return (
    <div className="dx-block">
      <h2>Received and not taken</h2>
      {setAside.map(({ call, path, why, received }, n) => (
        // oxlint-disable-next-line no-array-index-key -- what was received stays as it is
        <details key={n} className="dx-more">
          <summary className="small">
            Reply {call + 1}
            {path !== "" && <span className="mono"> {path}</span>}: {why}
          </summary>
          <JsonView value={received} />
        </details>
      ))}
    </div>
  );
}
