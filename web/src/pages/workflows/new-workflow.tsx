/** A workflow from scratch, and one from elsewhere. */

import { type FormEvent, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { navigate } from "../../router/place.ts";
import { useProjects } from "../../shell/current-project.ts";
import { toast } from "../../shell/toasts.tsx";
import { workflowAddress } from "./workflow-address.ts";

/** Something that runs: an agent drafts, a person decides, and a no leads back. */
const FIRST_DRAWING = `flowchart TD
    draft[Write a Draft] --> look(Look at It)
    look --> good{Good?}
    good -->|"output.verdict === 'good'"| done[Finish It]
    good -->|default| draft

%% === WORKFLOW_CONFIG ===
%% workflow: {
%%   "inputSchema": {
%%     "type": "object",
%%     "properties": { "topic": { "type": "string", "description": "What it is about." } },
%%     "required": ["topic"]
%%   }
%% }
%% @draft: {
%%   "prompt": "Write a short text about {{run.input.topic}}. Heed this, if anything is said: {{input.advice}}",
%%   "maxIterations": 5,
%%   "outputSchema": { "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }
%% }
%% @look: {
%%   "execution": "manual",
%%   "maxIterations": 5,
%%   "prompt": "Is this good?\\n\\n{{output.text}}",
%%   "outputSchema": {
%%     "type": "object",
%%     "properties": { "verdict": { "enum": ["good", "again"] }, "advice": { "type": "string" } },
%%     "required": ["verdict"]
%%   }
%% }
%% @good: { "stepType": "decision" }
%% @done: { "prompt": "Give this its final form: {{steps.draft.output.text}}" }
%% === END_CONFIG ===
`;

export function NewSheet({ onClose }: { readonly onClose: () => void }) {
  const create = useChange("workflow.create");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = {
      name: formText(form, "name"),
      description: formText(form, "description"),
      project: formText(form, "project") || undefined,
      source: FIRST_DRAWING,
      summary: "Drawn from scratch.",
    };
    void create.run(input).then((made) => {
      if (made === undefined) return;
      onClose();
      navigate(workflowAddress(made.id));
    });
  };
  return (
    <Sheet title="New workflow" onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <ProblemNote problem={create.problem} />
        <label className="field">
          <span className="lbl">Name</span>
          <input className="inp" name="name" required maxLength={100} autoComplete="off" />
        </label>
        <label className="field">
          <span className="lbl">What it is for</span>
          <input className="inp" name="description" maxLength={500} autoComplete="off" />
        </label>
        <ProjectField />
        <p className="small muted">
          It begins as a small drawing that runs: an agent writes, a person looks, and a no leads
          back. Change it into yours.
        </p>
        <div className="row">
          <Button kind="primary" icon="plus" submits isBusy={create.isBusy}>
            Draw it
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

export function ProjectField() {
  const { projects, current } = useProjects();
  return (
    <label className="field">
      <span className="lbl">Project</span>
      <select className="inp" name="project" defaultValue={current?.id ?? ""}>
        <option value="">The whole workspace</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {markedText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function ImportSheet({ onClose }: { readonly onClose: () => void }) {
  const bring = useChange("workflow.import");
  const [text, setText] = useState("");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = {
      document: text,
      name: formText(form, "name") || undefined,
      project: formText(form, "project") || undefined,
      asVersion: form.has("asVersion"),
      agents: form.has("agents") ? ("create" as const) : ("skip" as const),
      draft: form.has("draft"),
    };
    void bring.run(input).then((made) => {
      if (made === undefined) return;
      onClose();
      const agents = made.agents.filter(({ outcome }) => outcome === "created").length;
      toast(`Imported “${made.name}”${agents === 0 ? "" : ` and ${agents} agents`}`);
      navigate(workflowAddress(made.id));
    });
  };
  return (
    <Sheet title="Import a workflow" onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <ProblemNote problem={bring.problem} />
        <label className="field">
          <span className="lbl">A file that was exported</span>
          <input
            className="inp"
            type="file"
            accept=".json,application/json"
            onChange={({ target }) => {
              void target.files?.[0]?.text().then(setText);
            }}
          />
        </label>
        <label className="field">
          <span className="lbl">Or its text</span>
          <textarea
            className="inp mono"
            rows={6}
            spellCheck={false}
            required
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <label className="field">
          <span className="lbl">Name here, if another</span>
          <input className="inp" name="name" maxLength={100} autoComplete="off" />
        </label>
        <ProjectField />
        <Check name="agents" label="Make the agents that are unknown here" isOn />
        <Check name="asVersion" label="Where one has that name, make this its next version" />
        <Check name="draft" label="Keep it as a draft, whatever is wrong with it" />
        <div className="row">
          <Button kind="primary" submits isBusy={bring.isBusy}>
            Import
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

function Check({
  name,
  label,
  isOn = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly isOn?: boolean;
}) {
  return (
    <label className="check">
      <input type="checkbox" name={name} defaultChecked={isOn} />
      <i>
        <Icon name="check" />
      </i>
      <span>{label}</span>
    </label>
  );
}
