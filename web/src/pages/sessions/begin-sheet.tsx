import type { FormEvent } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { navigate } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";

/** The prompt as it was given, and what is made of it. */
export function BeginSheet({ onClose }: { readonly onClose: () => void }) {
  const project = useProjectId();
  const { run, isBusy, problem } = useChange("session.start");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const constraints = formText(form, "constraints")
      .split("\n")
      .filter((line) => line.trim() !== "");
    void run({
      prompt: formText(form, "prompt"),
      interpretation: formText(form, "interpretation"),
      strategy: formText(form, "strategy"),
      constraints,
      project,
      commitExisting: form.get("commitExisting") !== null,
    }).then((begun) => {
      if (begun !== undefined) navigate(`/sessions/${begun.session.id}`);
    });
  };
  return (
    <Sheet title="Begin a session" onClose={onClose}>
      <form onSubmit={submit} className="opform">
        <label className="field">
          <span className="lbl">Prompt, as it was given</span>
          <textarea className="inp mono" name="prompt" rows={6} required />
        </label>
        <label className="field">
          <span className="lbl">How you understand it</span>
          <textarea className="inp" name="interpretation" rows={3} required />
        </label>
        <label className="field">
          <span className="lbl">How you mean to go about it</span>
          <textarea className="inp" name="strategy" rows={2} />
        </label>
        <label className="field">
          <span className="lbl">
            What must be kept to <span className="faint">one per line</span>
          </span>
          <textarea className="inp" name="constraints" rows={2} />
        </label>
        <label className="row small">
          <input type="checkbox" name="commitExisting" />
          Record what is changed already first, a commit for each group
        </label>
        <ProblemNote problem={problem} />
        <div>
          <Button kind="primary" submits isBusy={isBusy}>
            Begin
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
