/** What can be done with the workflow as a whole: save, run, walk it dry, export, archive. */

import { useState } from "react";
import { callOperation } from "../../api/call.ts";
import type { Output } from "../../api/operation.ts";
import { performChange, useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { RunSheet } from "./run-sheet.tsx";
import type { EditedText } from "./use-edited-text.ts";
import { workflowAddress } from "./workflow-address.ts";

type Detail = Output<"workflow.show">;

export function EditorHead({
  id,
  detail,
  edited,
  isReadOnly,
}: {
  readonly id: string;
  readonly detail: Detail;
  readonly edited: EditedText;
  readonly isReadOnly: boolean;
}) {
  const { workflow, library, shownVersion, isDraft, inputSchema } = detail;
  const { graph, isDirty, isEditing, text } = edited;
  const mayRun = useMay("run");
  const mayEdit = useMay("edit");
  const save = useChange("workflow.save");
  const [sheet, setSheet] = useState<"run" | "dry">();
  const errors = graph?.errors ?? 0;
  // A draft without errors becomes what runs by being saved as a version.
  const canSave = isDirty || (isDraft && errors === 0 && graph !== undefined);
  const canRun = !isDirty && errors === 0 && (library !== undefined || !isDraft);
  const keep = () => {
    if (isReadOnly || !canSave || save.isBusy || isEditing) return;
    const isUnfinished = errors > 0;
    void save
      .run({
        workflowId: id,
        source: text,
        draft: isUnfinished,
        expectedVersion: workflow?.version,
      })
      .then((saved) => {
        if (saved === undefined) return;
        edited.saved();
        toast(
          saved.isNew
            ? `Saved as ${isUnfinished ? "draft" : "version"} ${saved.savedVersion}`
            : "That is what it says already",
        );
      });
  };
  const run = () => canRun && setSheet("run");
  const walk = () => canRun && setSheet("dry");
  useCommands("This workflow", [
    ...(isReadOnly
      ? []
      : [
          {
            label: "Save a version",
            keys: "mod+s",
            isGlobal: true,
            icon: "check" as const,
            run: keep,
          },
        ]),
    ...(mayRun
      ? [
          { label: "Run it", icon: "play" as const, run },
          { label: "Dry run", run: walk },
        ]
      : []),
  ]);
  const version = isDirty
    ? `v${(workflow?.lastVersion ?? 0) + 1} unsaved`
    : shownVersion === undefined
      ? "library"
      : `v${shownVersion}${isDraft ? " draft" : ""}`;
  const why =
    errors > 0 ? "Errors keep it from running" : canSave ? "Save it as a version first" : undefined;
  return (
    <>
      <div className="head">
        <a className="crumb" href="/workflows">
          Workflows
        </a>
        <span className="faint">/</span>
        <h1 className="cut">
          <Words text={detail.name} />
        </h1>
        <span className="tag">{version}</span>
        {errors > 0 && <Chip state="fail">{plural(errors, "error")}</Chip>}
        {(graph?.warnings ?? 0) > 0 && (
          <Chip state="warn">{plural(graph?.warnings ?? 0, "warning")}</Chip>
        )}
        <span className="small muted wide wf-size">
          {graph !== undefined &&
            `${plural(graph.steps.length, "step")}, ${plural(graph.edges.length, "edge")}`}
          {workflow !== undefined && (
            <>
              , saved <Ago at={workflow.updatedAt} />
            </>
          )}
        </span>
        <span className="end row">
          {workflow !== undefined && (
            <a className="btn quiet hide-n" href={workflowAddress(id, "versions")}>
              <Icon name="clock" small />
              Versions
            </a>
          )}
          {mayRun && (
            <span title={why} className="hide-n">
              <Button isDisabled={!canRun} onPress={walk}>
                Dry run
              </Button>
            </span>
          )}
          {!isReadOnly && (
            <Button
              keys="mod+s"
              isDisabled={!canSave}
              isBusy={save.isBusy || isEditing}
              onPress={keep}
            >
              {errors > 0 ? "Save draft" : "Save version"}
            </Button>
          )}
          {library !== undefined && mayEdit && <CopyButton detail={detail} />}
          {mayRun && (
            <span title={why}>
              <Button kind="primary" icon="play" isDisabled={!canRun} onPress={run}>
                Run
              </Button>
            </span>
          )}
          <MoreMenu
            id={id}
            detail={detail}
            mayEdit={mayEdit}
            onWalk={canRun && mayRun ? walk : undefined}
          />
        </span>
      </div>
      {save.problem !== undefined && <ProblemNote problem={save.problem} />}
      {sheet !== undefined && (
        <RunSheet
          workflow={id}
          name={detail.name}
          inputSchema={inputSchema}
          isDry={sheet === "dry"}
          onClose={() => setSheet(undefined)}
        />
      )}
    </>
  );
}

/** What the library brings is changed by its file, or copied first. */
function CopyButton({ detail }: { readonly detail: Detail }) {
  const copy = useChange("workflow.copy");
  const make = () => {
    const workflowId = detail.library?.ref ?? "";
    void copy.run({ workflowId }).then((made) => {
      if (made === undefined) return;
      toast(`“${made.name}” is yours now`);
      navigate(workflowAddress(made.id));
    });
  };
  return (
    <>
      {copy.problem !== undefined && <ProblemNote problem={copy.problem} />}
      <Button icon="copy" isBusy={copy.isBusy} onPress={make}>
        Make it your own
      </Button>
    </>
  );
}

function MoreMenu({
  id,
  detail,
  mayEdit,
  onWalk,
}: {
  readonly id: string;
  readonly detail: Detail;
  readonly mayEdit: boolean;
  readonly onWalk: (() => void) | undefined;
}) {
  const { workflow } = detail;
  const steer = (verb: "workflow.archive" | "workflow.restore", told: string) => {
    performChange(verb, { workflowId: id })
      .then(() => {
        toast(told);
        navigate("/workflows");
      })
      .catch(reportProblem);
  };
  const download = () => {
    callOperation("workflow.export", { workflowId: id, workflowVersion: detail.shownVersion })
      .then((document) =>
        saveFile(
          `${fileName(detail.name)}.json`,
          new Blob([JSON.stringify(document, null, 2)], { type: "application/json" }),
        ),
      )
      .catch(reportProblem);
  };
  const item = (
    label: string,
    icon: "copy" | "file" | "clock" | "ban" | "play",
    act: () => void,
  ) => (
    <button type="button" role="menuitem" onClick={act}>
      <Icon name={icon} small />
      {label}
    </button>
  );
  return (
    <Menu label="More" className="btn icon" button={<Icon name="dots" small />}>
      {(close) => {
        const then = (act: () => void) => () => {
          close();
          act();
        };
        return (
          <>
            {item("Export with its agents", "file", then(download))}
            {workflow !== undefined &&
              item(
                "Versions and diff",
                "clock",
                then(() => navigate(workflowAddress(id, "versions"))),
              )}
            {onWalk !== undefined && item("Dry run", "play", then(onWalk))}
            {mayEdit &&
              workflow !== undefined &&
              detail.library === undefined &&
              (workflow.isArchived
                ? item(
                    "Restore",
                    "copy",
                    then(() => steer("workflow.restore", "In use again")),
                  )
                : item(
                    "Archive",
                    "ban",
                    then(() => steer("workflow.archive", "Archived: nobody starts it any more")),
                  ))}
          </>
        );
      }}
    </Menu>
  );
}

function fileName(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "") || "workflow"
  );
}
