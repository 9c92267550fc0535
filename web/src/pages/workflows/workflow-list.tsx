import { useState } from "react";
import type { Item, Output } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import { ImportSheet, NewSheet } from "./new-workflow.tsx";
import { workflowAddress } from "./workflow-address.ts";

type Library = Output<"workflow.list">["library"][number];

export function WorkflowList() {
  const project = useProjectId();
  const mayEdit = useMay("edit");
  const [archived, setArchived] = useQueryField("archived");
  const [sheet, setSheet] = useState<"new" | "import">();
  const isArchive = archived === "only";
  const list = useList("workflow.list", {
    project,
    archived: isArchive ? "only" : "no",
    limit: 60,
  });
  const own = list.items.filter(({ origin }) => origin !== "library");
  const library = list.data?.library ?? [];
  const make = () => setSheet("new");
  const bring = () => setSheet("import");
  useCommands(
    "Workflows",
    mayEdit
      ? [
          { label: "Draw a new workflow", keys: "n", icon: "plus", run: make },
          { label: "Import a workflow", icon: "file", run: bring },
        ]
      : [],
  );
  return (
    <>
      <div className="head">
        <h1>Workflows</h1>
        <Segmented
          label="Which"
          choices={[
            { name: "no", label: "In use" },
            { name: "only", label: "Archived" },
          ]}
          chosen={isArchive ? "only" : "no"}
          onChoose={(name) => setArchived(name === "only" ? "only" : undefined)}
        />
        {mayEdit && (
          <span className="end row">
            <Button onPress={bring}>Import</Button>
            <Button kind="primary" icon="plus" keys="n" onPress={make}>
              New workflow
            </Button>
          </span>
        )}
      </div>
      <div className="pane grow workflow-list" aria-busy={list.isReading}>
        <div className="scroll">
          <ProblemNote problem={list.problem} onRetry={list.refresh} />
          {list.isFirst && <SkeletonRows count={8} />}
          {list.data !== undefined && own.length === 0 && (
            <EmptyState
              title={isArchive ? "Nothing is archived" : "No workflow of your own yet"}
              command="workflow create NAME < drawing.mmd"
              action={
                mayEdit &&
                !isArchive && (
                  <Button kind="primary" icon="plus" onPress={make}>
                    Draw the first
                  </Button>
                )
              }
            >
              A workflow is a drawing of steps for agents and people. Start from scratch, or open
              one of the library and make it your own.
            </EmptyState>
          )}
          <div className="rows">
            {own.map((workflow) => (
              <OwnLine key={workflow.id} workflow={workflow} />
            ))}
          </div>
          <MoreButton list={list} />
          {!isArchive && library.length > 0 && (
            <section>
              <h2 className="group">Library, ready to run</h2>
              <div className="rows">
                {library.map((workflow) => (
                  <LibraryLine key={workflow.ref} workflow={workflow} />
                ))}
              </div>
            </section>
          )}
        </div>
      </div>
      {sheet === "new" && <NewSheet onClose={() => setSheet(undefined)} />}
      {sheet === "import" && <ImportSheet onClose={() => setSheet(undefined)} />}
    </>
  );
}

function OwnLine({ workflow }: { readonly workflow: Item<"workflow.list"> }) {
  const { id, name, description, currentVersion, lastVersion, projectName, updatedAt } = workflow;
  const isAhead = currentVersion !== undefined && lastVersion > currentVersion;
  return (
    <a className="workflow-line" href={workflowAddress(id)}>
      <Icon name="workflow" />
      <span className="b cut">
        <Words text={name} />
      </span>
      <span className="muted cut">
        <Words text={description} />
      </span>
      <span className="small muted r hide-n">{projectName}</span>
      <span className="small r">
        {currentVersion === undefined ? "draft" : `v${currentVersion}`}
        {isAhead && <span className="muted">, draft v{lastVersion}</span>}
      </span>
      <span className="small muted num r">
        <Ago at={updatedAt} />
      </span>
    </a>
  );
}

function LibraryLine({ workflow }: { readonly workflow: Library }) {
  const { ref, name, description, steps, errors, layer } = workflow;
  return (
    <a className="workflow-line" href={workflowAddress(ref)}>
      <Icon name="workflow" />
      <span className="b cut">
        <Words text={name} />
      </span>
      <span className="muted cut">
        <Words text={description} />
      </span>
      <span className="small muted r hide-n">{layer === "built-in" ? "" : layer}</span>
      <span className="small muted r">{plural(steps, "step")}</span>
      <span className="small r fail">{errors === 0 ? "" : plural(errors, "error")}</span>
    </a>
  );
}
