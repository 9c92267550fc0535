/** Try it before you trust it: what would be left of a text once redactions and secrets are taken out. */

import { type FormEvent, useState } from "react";
import type { Input } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/empty-state.tsx";
import { formText } from "../../parts/form-text.ts";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { Words } from "../../parts/words.tsx";
import { useProjectId } from "../../shell/current-project.ts";

export function RedactionTab() {
  const current = useProjectId();
  const projects = useOperation("project.list", { limit: 100 });
  const [asked, setAsked] = useState<Input<"redaction.try">>();
  const tried = useOperation("redaction.try", asked);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const project = formText(form, "project");
    setAsked({ text: formText(form, "text"), ...(project === "" ? {} : { project }) });
  };
  return (
    <>
      <div className="settings-lead">
        <p className="muted">
          Paste what may not get out. What you see below is what a prompt would carry; nothing of it
          is kept or sent.
        </p>
      </div>
      <form className="opform settings-form" onSubmit={submit}>
        <label className="field">
          <span className="lbl">Project</span>
          <select className="inp" name="project" defaultValue={current ?? ""} key={current}>
            <option value="">All redactions there are</option>
            {projects.data?.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {markedText(name)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="lbl">Text</span>
          <textarea className="inp" name="text" rows={8} required />
        </label>
        <ProblemNote problem={tried.problem} />
        <div>
          <Button kind="primary" submits isBusy={tried.isReading}>
            Try
          </Button>
        </div>
      </form>
      {tried.data !== undefined && asked !== undefined && (
        <div className="settings-form" aria-live="polite">
          <div className={`note ${tried.data.isChanged ? "ok" : "hold"}`}>
            <Glyph state={tried.data.isChanged ? "ok" : "hold"} />
            <div>
              {tried.data.isChanged
                ? `Something is taken out${tried.data.secrets > 0 ? `, ${plural(tried.data.secrets, "secret")} among it` : ""}.`
                : "Nothing is taken out: all of it would be shown."}
            </div>
          </div>
          <pre className="code block in">
            <Words text={tried.data.text} />
          </pre>
        </div>
      )}
      <div className="settings-foot">
        <CommandLine text="redaction try < note.md" />
      </div>
    </>
  );
}
