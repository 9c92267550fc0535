/** A thought in a dialog: its words, where it belongs, and what only its kind has. */

import type { FormEvent, ReactNode } from "react";
import type { CallProblem } from "../api/call-problem.ts";
import { Button } from "../parts/button.tsx";
import { formText } from "../parts/form-text.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ProjectField } from "../parts/project-field.tsx";
import { Sheet } from "../parts/sheet.tsx";

export interface ThoughtWords {
  readonly title: string;
  readonly text: string;
  /** Empty for none. */
  readonly project: string;
  readonly form: FormData;
}

export function ThoughtForm({
  heading,
  labels,
  initial,
  isTitleNeeded = true,
  isTextNeeded = false,
  isBusy,
  problem,
  button,
  onGive,
  onClose,
  before,
  children,
}: {
  readonly heading: string;
  readonly labels: { readonly title: string; readonly text: string };
  readonly initial: {
    readonly title?: string | undefined;
    readonly text?: string | undefined;
    readonly project?: string | undefined;
  };
  readonly isTitleNeeded?: boolean;
  readonly isTextNeeded?: boolean;
  readonly isBusy: boolean;
  readonly problem: CallProblem | undefined;
  readonly button: string;
  readonly onGive: (words: ThoughtWords) => void;
  readonly onClose: () => void;
  readonly before?: ReactNode;
  readonly children?: ReactNode;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onGive({
      title: formText(form, "title"),
      text: formText(form, "text"),
      project: formText(form, "project"),
      form,
    });
  };
  return (
    <Sheet title={heading} onClose={onClose}>
      {before}
      <form className="opform" onSubmit={submit}>
        <label className="field">
          <span className="lbl">{labels.title}</span>
          {/* biome-ignore lint: the dialog was opened to write */}
          <input
            className="inp"
            name="title"
            autoFocus
            required={isTitleNeeded}
            maxLength={500}
            defaultValue={initial.title}
          />
        </label>
        <label className="field">
          <span className="lbl">{labels.text}</span>
          <textarea
            className="inp"
            name="text"
            rows={6}
            required={isTextNeeded}
            defaultValue={initial.text}
          />
        </label>
        {children}
        <ProjectField initial={initial.project ?? ""} />
        <ProblemNote problem={problem} />
        <div className="row">
          <Button kind="primary" submits isBusy={isBusy}>
            {button}
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Never mind
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
