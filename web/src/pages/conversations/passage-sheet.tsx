import type { FormEvent } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ProjectField } from "../../parts/project-field.tsx";
import { openReference } from "../../parts/reference.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { Words } from "../../parts/words.tsx";
import { toast } from "../../shell/toasts.tsx";
import type { Said } from "./talk.ts";
import type { Chosen } from "./passage-bar.tsx";

const TITLE = 120;

/** A passage becomes a task or a decision that remembers where it came from. */
export function PassageSheet({
  kind,
  message,
  chosen: { words },
  project,
  onClose,
}: {
  readonly kind: "task" | "decision";
  readonly message: Said;
  readonly chosen: Chosen;
  readonly project: string | undefined;
  readonly onClose: () => void;
}) {
  const task = useChange("task.add");
  const decision = useChange("decision.add");
  const { isBusy, problem } = kind === "task" ? task : decision;
  const source = { type: "message" as const, id: message.id, quote: words };
  const make = (form: FormData) => {
    const [title, text] = [formText(form, "title"), formText(form, "text")];
    const owner = formText(form, "project") || undefined;
    if (kind === "decision")
      return decision.run({ title, content: text, project: owner, message: message.id, source });
    return task.run({
      title,
      project: owner,
      source,
      ...(text === "" ? {} : { description: text }),
      ...(form.get("blocker") === null ? {} : { blocker: true }),
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void make(new FormData(event.currentTarget)).then((made) => {
      if (made === undefined) return;
      onClose();
      document.getSelection()?.removeAllRanges();
      toast(kind === "task" ? "Task kept" : "Decision kept");
      openReference(kind, made.id);
    });
  };
  return (
    <Sheet
      title={kind === "task" ? "A task out of this" : "A decision out of this"}
      onClose={onClose}
    >
      <blockquote className="quote small muted passage-quote">
        <Words text={words} />
      </blockquote>
      <form className="opform" onSubmit={submit}>
        <label className="field">
          <span className="lbl">{kind === "task" ? "What is to be done" : "What was decided"}</span>
          {/* biome-ignore lint: the dialog was opened to write */}
          <input
            className="inp"
            name="title"
            autoFocus
            required
            maxLength={500}
            defaultValue={firstLine(words)}
          />
        </label>
        <label className="field">
          <span className="lbl">{kind === "task" ? "More about it" : "And why"}</span>
          <textarea
            className="inp"
            name="text"
            rows={4}
            defaultValue={firstLine(words) === words ? "" : words}
          />
        </label>
        <ProjectField initial={project} />
        {kind === "task" && (
          <label className="check">
            <input type="checkbox" name="blocker" />
            <i>
              <Icon name="check" />
            </i>
            <span>Other work cannot go on before it is done</span>
          </label>
        )}
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

function firstLine(words: string): string {
  const line = (words.split("\n")[0] ?? "").replace(/^[#>*\-\s]+/, "").trim();
  return line.length <= TITLE ? line : `${line.slice(0, TITLE - 1).trimEnd()}…`;
}
