/** `c`: a thought before it is gone. */

import { type FormEvent, useState } from "react";
import { useChange } from "../data/use-change.ts";
import { Button } from "../parts/button.tsx";
import { formText } from "../parts/form-text.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ProjectField } from "../parts/project-field.tsx";
import { openReference } from "../parts/reference.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Segmented } from "../parts/tabs.tsx";
import { toast } from "./toasts.tsx";

const KINDS = [
  { name: "task", label: "Task" },
  { name: "decision", label: "Decision" },
  { name: "highlight", label: "Highlight" },
] as const;

type Kind = (typeof KINDS)[number]["name"];

export function CaptureSheet({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<Kind>("task");
  const task = useChange("task.add");
  const decision = useChange("decision.add");
  const highlight = useChange("highlight.add");
  const { isBusy, problem } = { task, decision, highlight }[kind];

  const add = async (title: string, text: string, project: string | undefined) => {
    switch (kind) {
      case "task":
        return task.run({ title, project, ...(text === "" ? {} : { description: text }) });
      case "decision":
        return decision.run({ title, content: text, project });
      case "highlight":
        return highlight.run({ content: text, project, ...(title === "" ? {} : { label: title }) });
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => formText(form, name);
    void add(text("title"), text("text"), text("project") || undefined).then((made) => {
      if (made === undefined) return;
      onClose();
      toast(`${KINDS.find(({ name }) => name === kind)?.label} kept`);
      openReference(kind, made.id);
    });
  };
  const isHighlight = kind === "highlight";
  return (
    <Sheet title="Capture" onClose={onClose}>
      <form onSubmit={submit} className="opform">
        <Segmented label="What it is" choices={KINDS} chosen={kind} onChoose={setKind} />
        <label className="field">
          <span className="lbl">{isHighlight ? "Label" : "Title"}</span>
          {/* biome-ignore lint: the dialog was opened to write */}
          <input className="inp" name="title" autoFocus required={!isHighlight} maxLength={200} />
        </label>
        <label className="field">
          <span className="lbl">
            {kind === "task"
              ? "More about it"
              : kind === "decision"
                ? "What was settled, and why"
                : "The passage"}
          </span>
          <textarea className="inp" name="text" rows={4} required={kind !== "task"} />
        </label>
        <ProjectField />
        <ProblemNote problem={problem} />
        <div className="row">
          <Button kind="primary" submits isBusy={isBusy}>
            Keep it
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Never mind
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
