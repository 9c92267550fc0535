/** The text being edited: what it says, what is wrong with it, and whether it is saved. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { callOperation } from "../../api/call.ts";
import { type CallProblem, toProblem } from "../../api/call-problem.ts";
import type { Json, Output } from "../../api/operation.ts";

export type WorkflowGraph = Output<"workflow.graph">;

/** Unsaved text outlives a visit to another page, not the tab. */
const unsaved = new Map<string, { readonly base: string; readonly text: string }>();

export interface EditedText {
  readonly text: string;
  readonly isDirty: boolean;
  readonly graph: WorkflowGraph | undefined;
  /** How long the last check took. */
  readonly tookMs: number | undefined;
  readonly problem: CallProblem | undefined;
  readonly write: (text: string) => void;
  readonly saved: () => void;
  /** Changes one step in the text and nothing else. */
  readonly editStep: (stageId: string, change: StepChange) => void;
  readonly isEditing: boolean;
}

export interface StepChange {
  readonly label?: string;
  readonly set?: { readonly [name: string]: Json };
}

const PAUSE_MS = 120;

export function useEditedText(id: string, source: string): EditedText {
  const [text, setText] = useState(() => {
    const kept = unsaved.get(id);
    return kept?.base === source ? kept.text : source;
  });
  const [base, setBase] = useState(source);
  const newest = useRef(text);
  const [checked, setChecked] = useState<Pick<EditedText, "graph" | "tookMs" | "problem">>({
    graph: undefined,
    tookMs: undefined,
    problem: undefined,
  });
  const write = useCallback(
    (next: string) => {
      newest.current = next;
      setText(next);
      unsaved.set(id, { base: source, text: next });
    },
    [id, source],
  );
  if (source !== base) {
    // Somebody saved another version. What is unsaved here stays; what is not, follows.
    setBase(source);
    if (text === base) setText(source);
  }
  useLayoutEffect(() => {
    newest.current = text;
  }, [text]);
  useCheck(id, text, setChecked);
  const isDirty = text !== base;
  // With the paint that says so: whoever sees that all is saved may leave at once.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
  const { edit, isEditing, problem } = useStepEdits(id, newest, write);
  return {
    text,
    isDirty,
    ...checked,
    problem: problem ?? checked.problem,
    write,
    saved: useCallback(() => {
      unsaved.delete(id);
      setBase(newest.current);
    }, [id]),
    editStep: edit,
    isEditing,
  };
}

function useCheck(
  id: string,
  text: string,
  setChecked: (checked: Pick<EditedText, "graph" | "tookMs" | "problem">) => void,
): void {
  const isFirst = useRef(true);
  const last = useRef<WorkflowGraph>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        const begun = performance.now();
        callOperation("workflow.graph", { workflowId: id, source: text }, { signal: stop.signal })
          .then((graph) => {
            last.current = graph;
            setChecked({ graph, tookMs: performance.now() - begun, problem: undefined });
          })
          .catch((error: unknown) => {
            if (!stop.signal.aborted)
              setChecked({ graph: last.current, tookMs: undefined, problem: toProblem(error) });
          });
      },
      isFirst.current ? 0 : PAUSE_MS,
    );
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [id, text, setChecked]);
}

/** One after the other: each begins with what the one before it made of the text. */
function useStepEdits(
  workflowId: string,
  newest: { readonly current: string },
  write: (text: string) => void,
): {
  readonly edit: EditedText["editStep"];
  readonly isEditing: boolean;
  readonly problem: CallProblem | undefined;
} {
  const queue = useRef(Promise.resolve());
  const [open, setOpen] = useState(0);
  const [problem, setProblem] = useState<CallProblem>();
  const edit = useCallback(
    (stageId: string, { label, set }: StepChange) => {
      setOpen((count) => count + 1);
      queue.current = queue.current.then(async () => {
        const before = newest.current;
        try {
          const { source } = await callOperation("workflow.edit-step", {
            workflowId,
            stageId,
            label,
            set,
            source: before,
            dryRun: true,
          });
          setProblem(undefined);
          // Whoever typed meanwhile has the last word.
          if (newest.current === before) write(source);
        } catch (error) {
          setProblem(toProblem(error));
        } finally {
          setOpen((count) => count - 1);
        }
      });
    },
    [workflowId, newest, write],
  );
  return { edit, isEditing: open > 0, problem };
}
