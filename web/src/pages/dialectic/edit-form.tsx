/** Changing a section, or all of it, by hand. The model's version is kept; what rests on it is known before. */

import { useId, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { navigate } from "../../router/place.ts";
import { toast } from "../../shell/toasts.tsx";
import { documentAddress, type ShownDocument } from "./dialectic-words.ts";

export function EditForm({
  runId,
  document,
  section,
  initial,
  isData,
  isLines = false,
  onClose,
}: {
  readonly runId: string;
  readonly document: ShownDocument;
  /** None for all of it. */
  readonly section: { readonly key: string; readonly title: string } | undefined;
  readonly initial: string;
  readonly isData: boolean;
  readonly isLines?: boolean;
  readonly onClose: () => void;
}) {
  const { run, isBusy, problem } = useChange("dialectic.edit");
  const [text, setText] = useState(initial);
  const id = useId();
  const { dependants, place } = document;
  const save = async () => {
    const done = await run({
      document: place,
      session: runId,
      ...(section === undefined ? {} : { section: section.key }),
      text,
    });
    if (done === undefined) return;
    onClose();
    toast(
      done.stale === 0
        ? `Version ${done.version} stands`
        : `Version ${done.version} stands; ${plural(done.stale, "document")} became stale`,
    );
    navigate(documentAddress(runId, place), { replace: true });
  };
  const name = section === undefined ? "All of it" : section.title;
  return (
    <form
      className="form dx-editing"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label className="field" htmlFor={id}>
        <span className="lbl">
          {name}, as {isData ? "JSON" : isLines ? "points, one a line" : "text"}
        </span>
        <textarea
          id={id}
          className={isData ? "inp mono" : "inp"}
          rows={Math.min(24, Math.max(5, text.split("\n").length + 1))}
          spellCheck={!isData}
          // oxlint-disable-next-line no-autofocus -- it was asked for by the button before it
          autoFocus
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <ProblemNote problem={problem} />
      <div className="row wrap">
        <Button
          submits
          isBusy={isBusy}
          isDisabled={text === initial}
          effect={
            dependants === 0
              ? "nothing rests on it yet"
              : `${plural(dependants, "document")} will be stale`
          }
        >
          Keep the change
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Never mind
        </Button>
      </div>
    </form>
  );
}
