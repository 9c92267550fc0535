/** What can be done with a decision, wherever it is shown in full. */

import { useState } from "react";
import type { Output } from "../api/operation.ts";
import { performChange, useChange } from "../data/use-change.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { openReference } from "../parts/reference.tsx";
import { Words } from "../parts/words.tsx";
import { reportProblem } from "../shell/problems.ts";
import { useMay } from "../shell/session.ts";
import { toast } from "../shell/toasts.tsx";
import { ThoughtForm } from "./thought-form.tsx";

type Decision = Output<"decision.show">["decision"];

const LABELS = { title: "What was decided", text: "And why" };

export function DecisionActions({ decision }: { readonly decision: Decision }) {
  const mayEdit = useMay("edit");
  const [sheet, setSheet] = useState<"edit" | "supersede">();
  const close = () => setSheet(undefined);
  if (!mayEdit) return null;
  return (
    <div className="row wrap thought-acts">
      <a className="btn" href={`/packets/new?origin=decision:${decision.id}`}>
        <Icon name="packet" small />
        Packet
      </a>
      {!decision.isInactive && (
        <Button icon="arrow" onPress={() => setSheet("supersede")}>
          Supersede
        </Button>
      )}
      <Button kind="quiet" icon="edit" onPress={() => setSheet("edit")}>
        Edit
      </Button>
      <Button kind="quiet" onPress={() => archive(decision)}>
        {decision.isInactive ? "Bring it back" : "Archive"}
      </Button>
      {sheet === "edit" && <EditDecision decision={decision} onClose={close} />}
      {sheet === "supersede" && <Supersede decision={decision} onClose={close} />}
    </div>
  );
}

function archive({ id: decisionId, isInactive }: Decision): void {
  performChange(isInactive ? "decision.restore" : "decision.archive", { decisionId })
    .then(() => {
      const undo = () =>
        void performChange("decision.restore", { decisionId }).catch(reportProblem);
      toast(isInactive ? "It stands again" : "Archived", isInactive ? {} : { undo });
    })
    .catch(reportProblem);
}

function EditDecision({
  decision,
  onClose,
}: {
  readonly decision: Decision;
  readonly onClose: () => void;
}) {
  const update = useChange("decision.update");
  const { id, title, content, projectId, version } = decision;
  return (
    <ThoughtForm
      heading="Correct its words"
      labels={LABELS}
      initial={{ title, text: content, project: projectId }}
      isBusy={update.isBusy}
      problem={update.problem}
      button="Save"
      onClose={onClose}
      before={
        <p className="small muted">
          To change what was decided, supersede it: both stay, and what follows is seen.
        </p>
      }
      onGive={(given) =>
        void update
          .run({
            decisionId: id,
            expectedVersion: version,
            title: given.title,
            content: given.text,
            project: given.project === "" ? null : given.project,
          })
          .then((done) => done !== undefined && onClose())
      }
    />
  );
}

function Supersede({
  decision,
  onClose,
}: {
  readonly decision: Decision;
  readonly onClose: () => void;
}) {
  const add = useChange("decision.add");
  return (
    <ThoughtForm
      heading="What holds instead?"
      labels={LABELS}
      initial={{ project: decision.projectId }}
      isBusy={add.isBusy}
      problem={add.problem}
      button="Supersede"
      onClose={onClose}
      before={
        <blockquote className="quote small muted">
          <Words text={decision.title} />
        </blockquote>
      }
      onGive={(given) =>
        void add
          .run({
            title: given.title,
            content: given.text,
            supersedes: decision.id,
            ...(given.project === "" ? {} : { project: given.project }),
          })
          .then((made) => {
            if (made === undefined) return;
            onClose();
            toast("Superseded: the earlier one keeps its history");
            openReference("decision", made.id);
          })
      }
    />
  );
}
