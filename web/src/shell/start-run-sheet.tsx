/** `s`: choose a workflow, say what it works on, watch it. */

import { type FormEvent, useState } from "react";
import { useChange } from "../data/use-change.ts";
import { useOperation } from "../data/use-operation.ts";
import { Button } from "../parts/button.tsx";
import { type FormField, FormFields, readForm } from "../parts/form-fields.tsx";
import { formText } from "../parts/form-text.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ProjectField } from "../parts/project-field.tsx";
import { schemaFields } from "../parts/schema-fields.ts";
import { Sheet } from "../parts/sheet.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { navigate } from "../router/place.ts";

export default function StartRunSheet({ onClose }: { readonly onClose: () => void }) {
  const [chosen, choose] = useState<string>();
  return (
    <Sheet title={chosen === undefined ? "Start a run" : "What does it work on?"} onClose={onClose}>
      {chosen === undefined ? (
        <ChooseWorkflow onChoose={choose} />
      ) : (
        <GiveInput workflow={chosen} onBack={() => choose(undefined)} onClose={onClose} />
      )}
    </Sheet>
  );
}

function ChooseWorkflow({ onChoose }: { readonly onChoose: (reference: string) => void }) {
  const { data, problem, isFirst } = useOperation("workflow.list", { limit: 200 });
  const own = (data?.items ?? [])
    .filter(({ currentVersion, origin }) => currentVersion !== undefined && origin !== "library")
    .map(({ id, name, description }) => ({ reference: id, name, description }));
  const library = (data?.library ?? [])
    .filter(({ errors }) => errors === 0)
    .map(({ ref, name, description }) => ({ reference: ref, name, description }));
  return (
    <>
      <ProblemNote problem={problem} />
      {isFirst && <SkeletonRows />}
      <Choices title="Yours" choices={own} onChoose={onChoose} />
      <Choices title="Ready to run" choices={library} onChoose={onChoose} />
    </>
  );
}

interface Choice {
  readonly reference: string;
  readonly name: string;
  readonly description: string;
}

function Choices({
  title,
  choices,
  onChoose,
}: {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly onChoose: (reference: string) => void;
}) {
  if (choices.length === 0) return null;
  return (
    <section>
      <h3 className="lbl">{title}</h3>
      {choices.map(({ reference, name, description }) => (
        <button key={reference} type="button" className="item" onClick={() => onChoose(reference)}>
          <Icon name="workflow" />
          <span className="t cut">{name}</span>
          <Icon name="right" small />
          <span className="d">{description}</span>
        </button>
      ))}
    </section>
  );
}

function GiveInput({
  workflow,
  onBack,
  onClose,
}: {
  readonly workflow: string;
  readonly onBack: () => void;
  readonly onClose: () => void;
}) {
  const { data, problem } = useOperation("workflow.show", { workflowId: workflow });
  const start = useChange("workflow.run");
  const fields = schemaFields(data?.inputSchema);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const project = formText(form, "project") || undefined;
    void start.run({ workflow, input: readForm(fields, form), project }).then((started) => {
      if (started === undefined) return;
      onClose();
      navigate(`/runs/${started.runId}`);
    });
  };
  return (
    <form onSubmit={submit} className="opform">
      {data === undefined ? (
        <SkeletonRows count={3} />
      ) : (
        <p className="muted">{data.description}</p>
      )}
      <ProblemNote problem={problem ?? start.problem} />
      {data !== undefined && <InputFields fields={fields} />}
      <ProjectField />
      <div className="row">
        <Button
          kind="primary"
          icon="play"
          submits
          isBusy={start.isBusy}
          isDisabled={data === undefined}
        >
          Start
        </Button>
        <Button kind="quiet" onPress={onBack}>
          Choose another
        </Button>
      </div>
    </form>
  );
}

function InputFields({ fields }: { readonly fields: readonly FormField[] }) {
  if (fields.length > 0) return <FormFields fields={fields} problems={[]} />;
  return <p className="small muted">It needs nothing to begin with.</p>;
}
