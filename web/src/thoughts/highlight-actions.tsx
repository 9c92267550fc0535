/** What can be done with a highlight, wherever it is shown in full. */

import { useState } from "react";
import type { Output } from "../api/operation.ts";
import { performChange, useChange } from "../data/use-change.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { openReference } from "../parts/reference.tsx";
import { reportProblem } from "../shell/problems.ts";
import { useMay } from "../shell/session.ts";
import { toast } from "../shell/toasts.tsx";
import { ThoughtForm } from "./thought-form.tsx";

type Highlight = Output<"highlight.show">["highlight"];

export function HighlightActions({ highlight }: { readonly highlight: Highlight }) {
  const mayEdit = useMay("edit");
  const [sheet, setSheet] = useState<"edit" | "task" | "decision">();
  const close = () => setSheet(undefined);
  const { conversationId, messageId } = highlight;
  return (
    <div className="row wrap thought-acts">
      {conversationId !== undefined && (
        <a
          className="btn"
          href={`/conversations/${conversationId}${messageId === undefined ? "" : `?message=${messageId}`}`}
        >
          <Icon name="conversation" small />
          Where it was said
        </a>
      )}
      {mayEdit && (
        <>
          <Button icon="task" onPress={() => setSheet("task")}>
            Make a task
          </Button>
          <Button icon="decision" onPress={() => setSheet("decision")}>
            Make a decision
          </Button>
          <Button kind="quiet" icon="edit" onPress={() => setSheet("edit")}>
            Edit
          </Button>
          <Button kind="quiet" onPress={() => archive(highlight)}>
            {highlight.isInactive ? "Bring it back" : "Archive"}
          </Button>
        </>
      )}
      {sheet === "edit" && <EditHighlight highlight={highlight} onClose={close} />}
      {(sheet === "task" || sheet === "decision") && (
        <MakeOf highlight={highlight} kind={sheet} onClose={close} />
      )}
    </div>
  );
}

function archive({ id: highlightId, isInactive }: Highlight): void {
  performChange(isInactive ? "highlight.restore" : "highlight.archive", { highlightId })
    .then(() => {
      const undo = () =>
        void performChange("highlight.restore", { highlightId }).catch(reportProblem);
      toast(isInactive ? "It is back" : "Archived", isInactive ? {} : { undo });
    })
    .catch(reportProblem);
}

function EditHighlight({
  highlight,
  onClose,
}: {
  readonly highlight: Highlight;
  readonly onClose: () => void;
}) {
  const update = useChange("highlight.update");
  const { id, label, content, projectId, version } = highlight;
  return (
    <ThoughtForm
      heading="Edit the highlight"
      labels={{ title: "What it is about, in a word or two", text: "The passage" }}
      initial={{ title: label, text: content, project: projectId }}
      isTitleNeeded={false}
      isTextNeeded
      isBusy={update.isBusy}
      problem={update.problem}
      button="Save"
      onClose={onClose}
      onGive={(given) =>
        void update
          .run({
            highlightId: id,
            expectedVersion: version,
            content: given.text,
            label: given.title === "" ? null : given.title,
            project: given.project === "" ? null : given.project,
          })
          .then((done) => done !== undefined && onClose())
      }
    />
  );
}

const TITLE = 120;

/** A highlight cannot start a packet; what is made of it can, and remembers it. */
function MakeOf({
  highlight,
  kind,
  onClose,
}: {
  readonly highlight: Highlight;
  readonly kind: "task" | "decision";
  readonly onClose: () => void;
}) {
  const task = useChange("task.add");
  const decision = useChange("decision.add");
  const { isBusy, problem } = kind === "task" ? task : decision;
  const { id, label, content, projectId } = highlight;
  const source = { type: "highlight" as const, id, quote: content };
  return (
    <ThoughtForm
      heading={kind === "task" ? "A task out of this" : "A decision out of this"}
      labels={
        kind === "task"
          ? { title: "What is to be done", text: "More about it" }
          : { title: "What was decided", text: "And why" }
      }
      initial={{
        title: label ?? content.slice(0, TITLE),
        text: content,
        project: projectId,
      }}
      isBusy={isBusy}
      problem={problem}
      button="Keep it"
      onClose={onClose}
      onGive={({ title, text, project }) => {
        const own = { title, source, ...(project === "" ? {} : { project }) };
        const made =
          kind === "task"
            ? task.run({ ...own, ...(text === "" ? {} : { description: text }) })
            : decision.run({ ...own, content: text });
        void made.then((done) => {
          if (done === undefined) return;
          onClose();
          openReference(kind, done.id);
        });
      }}
    />
  );
}
