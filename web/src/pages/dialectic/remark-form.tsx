/** Saying what should change, and why. */

import { useId, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { ShownDocument } from "./dialectic-words.ts";

export function RemarkForm({
  runId,
  document,
  section,
  title,
  onClose,
}: {
  readonly runId: string;
  readonly document: ShownDocument;
  /** Empty for all of it. */
  readonly section: string;
  readonly title?: string;
  /** A form that stays has none. */
  readonly onClose?: () => void;
}) {
  const { run, isBusy, problem } = useChange("dialectic.feedback");
  const [text, setText] = useState("");
  const id = useId();
  const say = async () => {
    const done = await run({ session: runId, document: document.id, section, text });
    if (done === undefined) return;
    setText("");
    onClose?.();
  };
  return (
    <form
      className="form dx-saying"
      onSubmit={(event) => {
        event.preventDefault();
        void say();
      }}
    >
      <label className="field" htmlFor={id}>
        <span className="lbl">
          {title === undefined ? "What should change" : `What should change in ${title}`}
        </span>
        <textarea
          id={id}
          className="inp"
          rows={3}
          required
          // oxlint-disable-next-line no-autofocus -- it was asked for by the button before it
          autoFocus={onClose !== undefined}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => {
            if (key === "Escape") onClose?.();
          }}
        />
      </label>
      <ProblemNote problem={problem} />
      <div className="row">
        <Button
          submits
          isBusy={isBusy}
          isDisabled={text.trim() === ""}
          effect="it reaches the next stage, or a revision"
        >
          Say it
        </Button>
        {onClose !== undefined && (
          <Button kind="quiet" onPress={onClose}>
            Never mind
          </Button>
        )}
      </div>
    </form>
  );
}
