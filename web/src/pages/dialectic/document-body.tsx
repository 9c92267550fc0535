/** The document to be read, section by section; what changed since the version before; the same as data. */

import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import {
  documentAddress,
  type Placed,
  type ShownDocument,
  type Status,
  isStanding,
  type View,
} from "./dialectic-words.ts";
import { DocumentDiff } from "./document-diff.tsx";
import { DocumentSection } from "./document-section.tsx";
import { EditForm } from "./edit-form.tsx";
import { GrowingReply } from "./not-written.tsx";
import { RemarkForm } from "./remark-form.tsx";
import { RemarkItem } from "./remark.tsx";
import { StaleNote } from "./stale-note.tsx";

export function DocumentBody({
  status,
  placed,
  document,
  view,
  onView,
}: {
  readonly status: Status;
  readonly placed: Placed;
  readonly document: ShownDocument;
  readonly view: View;
  readonly onView: (view: View) => void;
}) {
  const { version, versions } = document;
  const before = versions.filter((each) => each.version < version).at(-1);
  const choices = [
    { name: "read", label: "Read" },
    { name: "changes", label: before === undefined ? "No changes" : `Since v${before.version}` },
    { name: "data", label: "Data" },
  ] as const;
  return (
    <>
      <header>
        <h2 className="cut">
          Version {version}
          <span className="muted small"> {authorWords(document)}</span>
        </h2>
        <span className="end">
          <Segmented label="How to show it" choices={choices} chosen={view} onChoose={onView} />
        </span>
      </header>
      <StandingNotes status={status} placed={placed} document={document} />
      <Scroll label="The document">
        {view === "read" && <Sections status={status} document={document} />}
        {view === "changes" && <DocumentDiff document={document} />}
        {view === "data" && <DataView status={status} document={document} />}
      </Scroll>
    </>
  );
}

function authorWords({ versions, version }: ShownDocument): string {
  const here = versions.find((each) => each.version === version);
  if (here === undefined) return "";
  if (here.isEdited) return `edited by ${here.authorName}`;
  return `${here.isRevised ? "revised by" : "written by"} ${here.authorName}`;
}

/** What is to be known before reading: replaced, stale, with gaps, being written anew. */
function StandingNotes({
  status,
  placed,
  document,
}: {
  readonly status: Status;
  readonly placed: Placed;
  readonly document: ShownDocument;
}) {
  const { state, inputs, gaps, place, isPruned, hash } = document;
  const { cell } = placed;
  const moved = inputs.filter(({ isCurrent, state: now }) => !isCurrent || now === "stale").length;
  const isOpen = cell.state === "working" || cell.state === "queued";
  return (
    <>
      {!isStanding(document) && (
        <div className="note dx-note">
          <Glyph state="skip" />
          <div className="grow">
            This version has been replaced.{" "}
            <a className="link" href={documentAddress(status.runId, place)}>
              Read the one that stands
            </a>
          </div>
        </div>
      )}
      {isPruned && (
        <div className="note dx-note">
          <Glyph state="skip" />
          <div className="grow">
            <b className="b">The words were pruned.</b> Their hash still proves what they were:{" "}
            <span className="mono small">{hash.slice(0, 12)}</span>
          </div>
        </div>
      )}
      {isOpen && isStanding(document) && <BeingWritten status={status} placed={placed} />}
      {state === "stale" && !isOpen && (
        <>
          <div className="note dx-note">
            <Glyph state="stale" />
            <div className="grow">
              <b className="b">Stale.</b>{" "}
              {moved > 0
                ? `${plural(moved, "input")} of ${inputs.length} ${moved === 1 ? "has" : "have"} changed since it was written.`
                : "What it was built on has changed since it was written."}
            </div>
          </div>
          <StaleNote status={status} />
        </>
      )}
      {gaps.length > 0 && (
        <div className="note dx-note">
          <Glyph state="part" />
          <div className="grow">
            <b className="b">{plural(gaps.length, "gap")}.</b> Missing:{" "}
            <span className="mono small">
              <Words text={gaps.join(", ")} />
            </span>
          </div>
        </div>
      )}
    </>
  );
}

function BeingWritten({ status, placed }: { readonly status: Status; readonly placed: Placed }) {
  const [isShown, show] = useState(false);
  const { exchangeId, state } = placed.cell;
  if (isShown && exchangeId !== undefined)
    return (
      <div className="dx-beside">
        <GrowingReply status={status} placed={placed} exchangeId={exchangeId} />
      </div>
    );
  return (
    <div className="note run dx-note" role="status">
      <Glyph state="run" />
      <div className="grow">
        {state === "queued" ? "A new version is queued." : "A new version is being written."}
      </div>
      {exchangeId !== undefined && (
        <Button size="small" kind="quiet" onPress={() => show(true)}>
          Watch
        </Button>
      )}
    </div>
  );
}

function Sections({
  status,
  document,
}: {
  readonly status: Status;
  readonly document: ShownDocument;
}) {
  const mayEdit = useMay("edit") && isStanding(document);
  const whole = document.feedback.filter(({ section }) => section === "");
  return (
    <article className="dx-article">
      <p className="muted dx-about">
        <Words text={document.description} />
      </p>
      {document.sections.map((section) => (
        <DocumentSection
          key={section.key}
          runId={status.runId}
          document={document}
          section={section}
          mayEdit={mayEdit}
        />
      ))}
      <section className="dx-section" aria-label="All of it">
        <header>
          <h3>On all of it</h3>
        </header>
        {whole.map((remark) => (
          <RemarkItem key={remark.id} runId={status.runId} remark={remark} />
        ))}
        {mayEdit && <RemarkForm runId={status.runId} document={document} section="" />}
        {!mayEdit && whole.length === 0 && <p className="small muted">Nothing was said.</p>}
      </section>
    </article>
  );
}

function DataView({
  status,
  document,
}: {
  readonly status: Status;
  readonly document: ShownDocument;
}) {
  const mayEdit = useMay("edit") && isStanding(document);
  const [isEditing, setEditing] = useState(false);
  const text = JSON.stringify(document.value, null, 2);
  return (
    <div className="dx-article">
      {isEditing ? (
        <EditForm
          runId={status.runId}
          document={document}
          section={undefined}
          initial={text}
          isData
          onClose={() => setEditing(false)}
        />
      ) : (
        <>
          {mayEdit && (
            <div>
              <Button size="small" icon="edit" onPress={() => setEditing(true)}>
                Edit all of it as data
              </Button>
            </div>
          )}
          <pre className="code dx-data">
            <Words text={text} />
          </pre>
        </>
      )}
    </div>
  );
}
