/** What a run works on, in earnest or dry. A dry run asks nobody and shows every prompt as it would be sent. */

import { type FormEvent, useState } from "react";
import type { Json, Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { FormFields, readForm } from "../../parts/form-fields.tsx";
import { formText } from "../../parts/form-text.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { schemaFields } from "../../parts/schema-fields.ts";
import { Sheet } from "../../parts/sheet.tsx";
import { stateOf } from "../../parts/state.ts";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { ProjectField } from "./new-workflow.tsx";

type DryRun = Output<"workflow.dry-run">;

export function RunSheet({
  workflow,
  name,
  inputSchema,
  isDry,
  onClose,
}: {
  readonly workflow: string;
  readonly name: string;
  readonly inputSchema: Json | undefined;
  readonly isDry: boolean;
  readonly onClose: () => void;
}) {
  const start = useChange("workflow.run");
  const walk = useChange("workflow.dry-run");
  const [walked, setWalked] = useState<DryRun>();
  const fields = schemaFields(inputSchema);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const project = formText(form, "project") || undefined;
    const given = { workflow, input: readForm(fields, form), project };
    if (isDry) void walk.run(given).then(setWalked);
    else
      void start.run(given).then((started) => {
        if (started === undefined) return;
        onClose();
        navigate(`/runs/${started.runId}`);
      });
  };
  if (walked !== undefined)
    return <Walked walked={walked} onClose={onClose} onAgain={() => setWalked(undefined)} />;
  return (
    <Sheet title={isDry ? `Dry run of ${name}` : `Run ${name}`} onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <ProblemNote problem={start.problem ?? walk.problem} />
        {isDry && (
          <p className="small muted">
            The rehearsal model walks it. Nobody is asked, nothing is spent, and every prompt is
            shown.
          </p>
        )}
        {fields.length === 0 ? (
          <p className="small muted">It needs nothing to begin with.</p>
        ) : (
          <FormFields fields={fields} problems={[]} />
        )}
        <ProjectField />
        <div className="row">
          <Button kind="primary" icon="play" submits isBusy={start.isBusy || walk.isBusy}>
            {isDry ? "Walk it" : "Start"}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

function Walked({
  walked,
  onClose,
  onAgain,
}: {
  readonly walked: DryRun;
  readonly onClose: () => void;
  readonly onAgain: () => void;
}) {
  const { runId, state, reason, instructions, visits, result } = walked;
  const way = visits.map(({ step, item }) => (item === undefined ? step : `${step}[${item + 1}]`));
  return (
    <Sheet
      title="The way it went"
      onClose={onClose}
      footer={
        <>
          <a className="btn" href={`/runs/${runId}`}>
            Open it as a run
          </a>
          <Button kind="quiet" onPress={onAgain}>
            Walk it again
          </Button>
        </>
      }
    >
      <p className="row wrap">
        <Glyph state={stateOf(state)} />
        <span className="mono">{way.join(" → ")}</span>
      </p>
      {reason !== undefined && <p className="muted">{reason}</p>}
      {instructions !== undefined && (
        <Folded title="What every agent is told first" text={instructions} />
      )}
      {visits.map(({ step, title, status, item, prompt, output, problem }, n) => (
        // oxlint-disable-next-line no-array-index-key -- visits stay in their order
        <details key={n} className="walked">
          <summary>
            <Glyph state={stateOf(status)} />
            <span className="mono faint">{item === undefined ? step : `${step}[${item + 1}]`}</span>
            <span className="cut grow">
              <Words text={title} />
            </span>
          </summary>
          {problem !== undefined && <p className="fail">{problem}</p>}
          {prompt !== undefined && (
            <div className="code reply">
              <Words text={prompt} />
            </div>
          )}
          {output !== null && (
            <>
              <div className="lbl">Came to</div>
              <JsonView value={output} />
            </>
          )}
        </details>
      ))}
      <div className="lbl">Result</div>
      <JsonView value={result} />
    </Sheet>
  );
}

function Folded({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details className="walked">
      <summary>{title}</summary>
      <div className="code reply">
        <Words text={text} />
      </div>
    </details>
  );
}
