import type { FormEvent } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { toast } from "../../shell/toasts.tsx";
import type { SessionDetail } from "./session-view.tsx";
import { intentWords, pushWords } from "./session-words.ts";

/** What was achieved, and the answer that the report will hold. */
export function FinishSheet({
  session,
  onClose,
}: {
  readonly session: SessionDetail["session"];
  readonly onClose: () => void;
}) {
  const { run, isBusy, problem } = useChange("session.finish");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const subject = formText(form, "subject").trim();
    const answer = formText(form, "answer");
    void run({
      session: session.id,
      summary: formText(form, "summary"),
      ...(answer.trim() === "" ? {} : { answer }),
      ...(subject === "" ? {} : { subject, newSubject: form.get("newSubject") !== null }),
      ...(form.get("push") === null ? { push: false } : {}),
    }).then((ended) => {
      if (ended === undefined) return;
      toast(ended.session.state === "finished" ? "Finished" : pushWords(ended.session));
      onClose();
    });
  };
  return (
    <Sheet title="Finish this session" onClose={onClose}>
      <p className="muted">
        {session.intents === 0
          ? "One commit holds the report; no file was changed."
          : `${session.intents === 1 ? "Its intent becomes" : `Its ${intentWords(session)} become`} one commit, with the report in it.`}{" "}
        All of it happens, or nothing.
      </p>
      <form onSubmit={submit} className="opform">
        <label className="field">
          <span className="lbl">What was achieved, in one line</span>
          <input
            className="inp"
            name="summary"
            required
            maxLength={300}
            defaultValue={session.summary}
          />
        </label>
        <label className="field">
          <span className="lbl">The answer, for the report</span>
          <textarea className="inp" name="answer" rows={6} defaultValue={session.answer} />
        </label>
        <label className="field">
          <span className="lbl">Subject</span>
          <input className="inp" name="subject" defaultValue={session.subject} />
        </label>
        <label className="row small">
          <input type="checkbox" name="newSubject" /> It may be a new subject
        </label>
        <label className="row small">
          <input type="checkbox" name="push" defaultChecked /> Push it and verify that
        </label>
        <ProblemNote problem={problem} />
        <div>
          <Button kind="primary" submits isBusy={isBusy}>
            Finish
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
