/** Bringing conversations in: choose, see what would come, agree, watch. Nothing is written before the second step is agreed to. */

import { type DragEvent, type FormEvent, useRef, useState } from "react";
import { type CallProblem, toProblem } from "../../api/call-problem.ts";
import { callWithProgress, type Progress } from "../../api/call-with-progress.ts";
import type { Output } from "../../api/operation.ts";
import { forgetUpload, sendFile } from "../../api/upload.ts";
import { queries } from "../../data/queries.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { brief } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ProjectField } from "../../parts/project-field.tsx";
import { ProgressLine } from "../../parts/progress-line.tsx";
import { navigate } from "../../router/place.ts";
import { ImportList } from "./import-list.tsx";
import { ImportOutcome, ImportPlan } from "./import-outcome.tsx";

type Plan = Output<"import.start">;
type Branch = "visible" | "all";

interface Source {
  readonly file?: File;
  readonly text?: string;
  readonly project: string | undefined;
  readonly branch: Branch;
}

type Stage =
  | { readonly name: "choose" }
  | {
      readonly name: "sending" | "looking" | "importing";
      readonly source: Source;
      readonly progress: Progress;
    }
  | { readonly name: "planned"; readonly source: Source; readonly plan: Plan };

export function ImportPage({ importId }: { readonly importId: string | undefined }) {
  return (
    <>
      <div className="head">
        <a className="crumb" href="/conversations">
          Conversations
        </a>
        <span className="faint">/</span>
        <h1>Import</h1>
      </div>
      <div className="import">
        <div className="l">
          {importId === undefined ? <Wizard /> : <ImportOutcome key={importId} id={importId} />}
        </div>
        <aside className="r" aria-label="Imports">
          <ImportList current={importId} />
        </aside>
      </div>
    </>
  );
}

function Wizard() {
  const [stage, setStage] = useState<Stage>({ name: "choose" });
  const [problem, setProblem] = useState<CallProblem>();
  const stop = useRef<AbortController>(undefined);

  const look = async (source: Source) => {
    setProblem(undefined);
    const abort = new AbortController();
    stop.current = abort;
    try {
      const given = await giveTo(source, abort.signal, (progress) =>
        setStage({ name: "sending", source, progress }),
      );
      setStage({ name: "looking", source, progress: { message: "Looking what is in it" } });
      const plan = await callWithProgress("import.start", { ...given, dryRun: true }, (progress) =>
        setStage({ name: "looking", source, progress }),
      );
      if (!abort.signal.aborted) setStage({ name: "planned", source, plan });
    } catch (error) {
      setStage({ name: "choose" });
      if (!abort.signal.aborted) setProblem(toProblem(error));
    }
  };
  const bring = async (source: Source) => {
    setProblem(undefined);
    setStage({ name: "importing", source, progress: { message: "Importing" } });
    try {
      const given = await giveTo(source, new AbortController().signal, () => undefined);
      const done = await callWithProgress("import.start", given, (progress) =>
        setStage({ name: "importing", source, progress }),
      );
      if (source.file !== undefined) forgetUpload(source.file);
      queries.spoil(({ name }) => /^(?:import|conversation)\./.test(name));
      if (done.importId !== undefined)
        navigate(`/conversations/import/${done.importId}`, { replace: true });
    } catch (error) {
      setStage({ name: "choose" });
      setProblem(toProblem(error));
    }
  };
  return (
    <div className="wizard">
      <Steps at={stage.name} />
      <ProblemNote problem={problem} />
      {stage.name === "choose" && <Choose onChoose={(source) => void look(source)} />}
      {(stage.name === "sending" || stage.name === "looking" || stage.name === "importing") && (
        <div className="wizard-step" role="status" aria-live="polite">
          <h2>{TITLES[stage.name]}</h2>
          <p className="muted">
            {stage.source.file?.name ?? "The transcript"}
            {stage.source.file !== undefined && `, ${brief(stage.source.file.size)} bytes`}
          </p>
          <ProgressLine progress={stage.progress} />
          {stage.name === "sending" && (
            <>
              <p className="small muted">
                If the connection breaks or the page is closed, choose the same file again: it goes
                on where it stopped.
              </p>
              <div>
                <Button onPress={() => stop.current?.abort()}>Stop sending</Button>
              </div>
            </>
          )}
          {stage.name === "importing" && (
            <p className="small muted">
              You may leave this page; the import goes on and is listed beside.
            </p>
          )}
        </div>
      )}
      {stage.name === "planned" && (
        <ImportPlan
          plan={stage.plan}
          onAgree={() => void bring(stage.source)}
          onBack={() => setStage({ name: "choose" })}
        />
      )}
    </div>
  );
}

const TITLES = {
  sending: "Sending the file",
  looking: "Looking what is in it",
  importing: "Importing",
} as const;

/** A file goes ahead and is named by its upload. */
async function giveTo(
  { file, text, project, branch }: Source,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<{
  readonly file?: string;
  readonly text?: string;
  readonly project?: string;
  readonly branch: Branch;
}> {
  const more = { branch, ...(project === undefined ? {} : { project }) };
  if (file === undefined) return { ...more, text: text ?? "" };
  const id = await sendFile(file, {
    signal,
    onProgress: (received) =>
      onProgress({ message: "Sending", done: received, total: file.size, unit: "bytes" }),
  });
  return { ...more, file: id };
}

function Steps({ at }: { readonly at: Stage["name"] }) {
  const steps = ["Choose", "Look", "Import"];
  const place = { choose: 0, sending: 0, looking: 1, planned: 1, importing: 2 }[at];
  return (
    <ol className="wizard-steps" aria-label="Steps">
      {steps.map((step, n) => (
        <li key={step} aria-current={n === place ? "step" : undefined} data-done={n < place}>
          {step}
        </li>
      ))}
    </ol>
  );
}

function Choose({ onChoose }: { readonly onChoose: (source: Source) => void }) {
  const [file, setFile] = useState<File>();
  const [isOver, setOver] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = formText(form, "text");
    if (file === undefined && text === "") return;
    const project = formText(form, "project") || undefined;
    const branch = formText(form, "branch") === "all" ? "all" : "visible";
    onChoose({ project, branch, ...(file === undefined ? { text } : { file }) });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    setFile(event.dataTransfer.files[0]);
  };
  return (
    <form className="wizard-step opform" onSubmit={submit}>
      <p className="brief muted">
        An export of ChatGPT or Claude (the zip as it came, or its JSON), Markdown or plain
        transcripts with role markers, JSON Lines. The same file twice adds nothing.
      </p>
      {/* oxlint-disable-next-line no-noninteractive-element-interactions -- the file field in it does the same by keyboard */}
      <label
        className={`drop ${isOver ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="file" />
        <span>
          <b className="b">{file?.name ?? "Choose a file, or drop it here"}</b>
          <span className="muted small">
            {file === undefined ? "up to 8 GB" : `${brief(file.size)} bytes`}
          </span>
        </span>
        <input
          type="file"
          className="sr"
          accept=".zip,.json,.jsonl,.ndjson,.md,.markdown,.txt,.html"
          onChange={({ target }) => setFile(target.files?.[0])}
        />
      </label>
      {file === undefined && (
        <label className="field">
          <span className="lbl">Or paste a transcript</span>
          <textarea
            className="inp mono"
            name="text"
            rows={5}
            placeholder={
              "User: How do we keep one from silently losing work?\n\nAssistant: A lease ends by itself …"
            }
          />
        </label>
      )}
      <ProjectField label="Make them part of" />
      <fieldset className="field tight">
        <legend className="lbl">Where an answer was asked for again</legend>
        <label className="radio">
          <input type="radio" name="branch" value="visible" defaultChecked />
          <i />
          <span>Only what is shown there</span>
        </label>
        <label className="radio">
          <input type="radio" name="branch" value="all" />
          <i />
          <span>Also the branches that were left, as conversations of their own</span>
        </label>
      </fieldset>
      <div>
        <Button kind="primary" submits effect="nothing is written yet">
          See what would come
        </Button>
      </div>
    </form>
  );
}
