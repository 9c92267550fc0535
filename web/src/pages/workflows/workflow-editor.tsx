/** One workflow: its text, its graph and the chosen step side by side, with what is wrong below. */

import { lazy, Suspense, useMemo, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import type { Mark } from "../../editor/code-editor.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { useQueryField } from "../../router/place.ts";
import { useMay } from "../../shell/session.ts";
import { ProblemList, type WorkflowProblem } from "./problem-list.tsx";
import { EditorGraph } from "./editor-graph.tsx";
import { EditorHead } from "./editor-head.tsx";
import { StepForm } from "./step-form.tsx";
import { useEditedText, type WorkflowGraph } from "./use-edited-text.ts";

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
      <PageToCome
        problem={first.problem ?? draft.problem}
        onRetry={first.refresh}
        back={{ title: "Workflows", path: "/workflows" }}
      />
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
