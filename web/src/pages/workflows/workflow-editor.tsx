/** One workflow: its text, its graph and the chosen step side by side, with what is wrong below. */

import { lazy, Suspense, useMemo, useState } from "react";
import { callOperation } from "../../api/call.ts";
import type { Output } from "../../api/operation.ts";
import { performChange, useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import type { Mark } from "../../editor/code-editor.tsx";
import type { GraphEdge, GraphNode } from "../../graph/graph-model.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate, useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { ProblemList, type WorkflowProblem } from "./problem-list.tsx";
import { RunSheet } from "./run-sheet.tsx";
import { glyphShape, StepForm } from "./step-form.tsx";
import { type EditedText, useEditedText, type WorkflowGraph } from "./use-edited-text.ts";
import { workflowAddress } from "./workflow-address.ts";

const GraphCanvas = lazy(() => import("../../graph/graph-canvas.tsx"));
const CodeEditor = lazy(() => import("../../editor/code-editor.tsx"));

type Detail = Output<"workflow.show">;

export function WorkflowEditor({ id }: { readonly id: string }) {
  const first = useOperation("workflow.show", { workflowId: id });
  const newest = first.data?.workflow?.lastVersion;
  // A draft that is newer than what runs is what one wants to go on with.
  const isAhead = newest !== undefined && newest !== first.data?.shownVersion;
  const draft = useOperation(
    "workflow.show",
    isAhead ? { workflowId: id, workflowVersion: newest } : undefined,
  );
  const detail = isAhead ? draft.data : first.data;
  if (detail === undefined)
    return (
      <div className="fault">
        <ProblemNote problem={first.problem ?? draft.problem} onRetry={first.refresh} />
        {first.problem === undefined && <SkeletonRows count={8} />}
      </div>
    );
  return <Opened id={id} detail={detail} />;
}

type Shown = "source" | "graph" | "step" | "problems";

function Opened({ id, detail }: { readonly id: string; readonly detail: Detail }) {
  const mayEdit = useMay("edit");
  const isLibrary = detail.library !== undefined;
  const isReadOnly = !mayEdit || isLibrary || detail.workflow?.isArchived === true;
  const edited = useEditedText(id, detail.source);
  const { text, graph, write } = edited;
  const [asked, choose] = useQueryField("step");
  const [shown, setShown] = useState<Shown>("graph");
  const [goTo, setGoTo] = useState<{ at: number; since: number }>();
  const [cursor, setCursor] = useState({ line: 1, column: 1 });
  const chosen = graph?.steps.find((step) => step.id === asked)?.id ?? graph?.steps[0]?.id;
  const lines = useMemo(() => linesOf(graph, chosen), [graph, chosen]);
  const marks = useMemo(() => marksOf(graph, text), [graph, text]);
  const jump = (problem: WorkflowProblem) => {
    if (problem.stepId !== undefined) choose(problem.stepId);
    if (problem.line === undefined) return;
    setShown("source");
    setGoTo({ at: offsetOf(text, problem.line, problem.column ?? 1), since: performance.now() });
  };
  const fix = ({ fix: put, stepId }: WorkflowProblem) => {
    if (put === undefined) return;
    write(text.slice(0, put.start) + put.text + text.slice(put.end));
    if (stepId !== undefined) choose(stepId);
  };
  const onCursor = (line: number, column: number) => {
    setCursor({ line, column });
    const at = graph?.places.find(({ settingsAt, drawnAt }) =>
      [...drawnAt, ...(settingsAt === undefined ? [] : [settingsAt])].some(
        ({ from, to }) => line >= from && line <= to,
      ),
    );
    // On a line that draws several steps, the one that is chosen stays.
    if (at !== undefined && !lines.some(({ from, to }) => line >= from && line <= to))
      choose(at.id);
  };
  return (
    <>
      <EditorHead id={id} detail={detail} edited={edited} isReadOnly={isReadOnly} />
      <div className="only-n wf-switch">
        <Segmented<Shown>
          label="What is shown"
          choices={[
            { name: "source", label: "Source" },
            { name: "graph", label: "Graph" },
            { name: "step", label: "Step" },
            { name: "problems", label: `Problems ${graph?.problems.length ?? 0}` },
          ]}
          chosen={shown}
          onChoose={setShown}
        />
      </div>
      {edited.problem !== undefined && <ProblemNote problem={edited.problem} />}
      <div className="wf" data-shows={shown}>
        <section className="pane wf-source" aria-label="Source">
          <header>
            <h2>Source</h2>
            <span className="micro muted">{isReadOnly ? "mermaid, read only" : "mermaid"}</span>
            <span className="end micro muted num">
              line {cursor.line}, column {cursor.column}
            </span>
          </header>
          <Suspense fallback={<SkeletonRows count={12} />}>
            <CodeEditor
              label="Source of the workflow"
              kind="workflow"
              text={text}
              onChange={write}
              isReadOnly={isReadOnly}
              marks={marks}
              lines={lines}
              onCursor={onCursor}
              goTo={goTo}
            />
          </Suspense>
        </section>
        <section className="pane wf-graph" aria-label="Graph">
          <header>
            <h2>Graph</h2>
            <span className="small muted">follows the text</span>
          </header>
          <Suspense fallback={<div className="canvas" aria-busy="true" />}>
            {graph !== undefined && <EditorGraph graph={graph} chosen={chosen} onChoose={choose} />}
          </Suspense>
        </section>
        {graph !== undefined && (
          <StepForm
            workflowId={id}
            graph={graph}
            stepId={chosen}
            source={text}
            isReadOnly={isReadOnly}
            onEdit={(change) => chosen !== undefined && edited.editStep(chosen, change)}
          />
        )}
        <ProblemList
          graph={graph}
          tookMs={edited.tookMs}
          chosen={chosen}
          mayEdit={!isReadOnly}
          onChoose={jump}
          onFix={fix}
        />
      </div>
    </>
  );
}

function EditorGraph({
  graph,
  chosen,
  onChoose,
}: {
  readonly graph: WorkflowGraph;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  const nodes = useMemo(() => nodesOf(graph), [graph]);
  const edges = useMemo(
    () =>
      graph.edges.map(({ source, target, when }): GraphEdge => {
        const isNear = source === chosen || target === chosen;
        return { source, target, label: when, kind: isNear ? "taken" : "plain" };
      }),
    [graph, chosen],
  );
  return (
    <GraphCanvas
      label="Graph of the workflow"
      nodes={nodes}
      edges={edges}
      direction={graph.direction}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}

function nodesOf({ steps, problems }: WorkflowGraph): readonly GraphNode[] {
  const faults = Map.groupBy(problems, ({ stepId }) => stepId);
  return steps.map((step): GraphNode => {
    const own = faults.get(step.id) ?? [];
    const fault = own.some(({ severity }) => severity === "error")
      ? "error"
      : own.length > 0
        ? "warning"
        : undefined;
    const { id, name } = step;
    return { id, name, shape: glyphShape(step), state: undefined, fact: "", fault };
  });
}

function linesOf(graph: WorkflowGraph | undefined, chosen: string | undefined) {
  const place = graph?.places.find(({ id }) => id === chosen);
  if (place === undefined) return [];
  return [...place.drawnAt, ...(place.settingsAt === undefined ? [] : [place.settingsAt])];
}

/** The text may have gone on since it was checked: marks that lie outside of it wait for the next check. */
function marksOf(graph: WorkflowGraph | undefined, text: string): readonly Mark[] {
  return (graph?.problems ?? []).flatMap(({ line, column = 1, fix, severity, message, hint }) => {
    if (line === undefined) return [];
    const from = fix?.start ?? offsetOf(text, line, column);
    const word = /^(?:[\w.$[\]]+|"[^"\n]*"|\S)/.exec(text.slice(from, from + 200))?.[0] ?? "";
    const to = fix?.end ?? from + Math.max(1, word.length);
    if (to > text.length) return [];
    return [{ from, to, severity, message: hint === undefined ? message : `${message} ${hint}` }];
  });
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let n = 1; n < line; n += 1) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return Math.min(text.length, at + column - 1);
}

function EditorHead({
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
  const canRun = !isDirty && errors === 0 && (library !== undefined || !isDraft);
  const keep = () => {
    if (isReadOnly || !isDirty || save.isBusy || isEditing) return;
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
  const why = isDirty
    ? "Save it first"
    : errors > 0 || isDraft
      ? "Errors keep it from running"
      : undefined;
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
              isDisabled={!isDirty}
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
        saveFile(`${fileName(detail.name)}.json`, JSON.stringify(document, null, 2)),
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

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
