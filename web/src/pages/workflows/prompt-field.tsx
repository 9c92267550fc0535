/** The prompt of a step, with what it may name offered between braces. */

import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { callOperation } from "../../api/call.ts";
import type { Suggestion } from "../../editor/code-editor.tsx";
import { Words } from "../../parts/words.tsx";
import { Field, type PartProps } from "./step-fields.tsx";
import { textOf } from "./step-settings.ts";
import type { WorkflowGraph } from "./use-edited-text.ts";

const CodeEditor = lazy(() => import("../../editor/code-editor.tsx"));

const TYPING_MS = 350;

export function PromptField({
  workflowId,
  graph,
  source,
  step,
  isReadOnly,
  set,
}: PartProps & {
  readonly workflowId: string;
  readonly graph: WorkflowGraph;
  readonly source: string;
}) {
  const said = textOf(step, "prompt");
  const [text, setText] = useState(said);
  const [last, setLast] = useState(said);
  if (said !== last) {
    // It was changed elsewhere, in the text or by undoing.
    setLast(said);
    setText(said);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setLast(next);
      set({ prompt: next === "" ? null : next });
    }, TYPING_MS);
  };
  const faults = graph.problems.filter(
    ({ stepId, code }) => stepId === step.id && code.startsWith("path_"),
  );
  const suggest = useSuggestions(workflowId, source, step.id);
  const fault = faults[0];
  return (
    <Field
      label="Prompt"
      note={
        fault === undefined ? (
          <span className="muted">type {"{{"} for what is known here</span>
        ) : (
          <span className={`b ${fault.severity === "error" ? "fail" : "wait"}`}>unknown path</span>
        )
      }
    >
      <div className={`prompt-box ${fault?.severity ?? ""}`}>
        <Suspense fallback={<div className="code-editor" aria-busy="true" />}>
          <CodeEditor
            label="Prompt"
            kind="prompt"
            text={text}
            onChange={write}
            isReadOnly={isReadOnly}
            suggest={suggest}
          />
        </Suspense>
      </div>
      {fault !== undefined && (
        <span className="micro muted">
          <Words text={`${fault.message} ${fault.hint ?? ""}`} />
        </span>
      )}
    </Field>
  );
}

/** Asked for once per step and text; examples come from the newest run. */
function useSuggestions(
  workflowId: string,
  source: string,
  stageId: string,
): () => Promise<readonly Suggestion[]> {
  const known = useRef<{ key: string; found: Promise<readonly Suggestion[]> }>(undefined);
  return useCallback(() => {
    const key = `${stageId} ${source}`;
    if (known.current?.key !== key) {
      const found = callOperation("workflow.paths", { workflowId, source, stageId }).then(
        ({ paths, runId }) =>
          paths.map(({ path, kind = "", from, example }) => ({
            path,
            detail: example ?? kind,
            info: `${kind === "" ? "" : `${kind}, `}from ${from}${example === undefined || runId === undefined ? "" : ", as in the newest run"}`,
          })),
        // Without them one types without help; the check says what is wrong.
        () => [],
      );
      known.current = { key, found };
    }
    return known.current.found;
  }, [workflowId, source, stageId]);
}
