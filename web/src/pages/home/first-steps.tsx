/** The first visit: nothing has run yet. What to do first, and what lives where. */

import type { ReactNode } from "react";
import type { Output } from "../../api/operation.ts";
import { performChange, useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/empty-state.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Keys } from "../../parts/keys.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { navigate } from "../../router/place.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { pagePath } from "../pages.ts";

const SAMPLE = "library:document-review";
const SAMPLE_INPUT = {
  document:
    "A lock outlives its owner: if a device dies, nobody can write. A lease ends by itself, so the note becomes free again without anybody cleaning up. Refused writes are kept beside the note and offered to their author.",
  audience: "engineers who have not seen the project",
};

export function FirstSteps() {
  const mayAdminister = useMay("administer");
  const projects = useOperation("project.list", { limit: 10 }).data?.items ?? [];
  const sample = projects.find(({ name }) => name.includes("(sample)"));
  return (
    <>
      <div className="head">
        <h1>Home</h1>
        {sample !== undefined && mayAdminister && (
          <span className="end wide">
            <Button kind="quiet" icon="cross" onPress={removeSample}>
              Remove the sample
            </Button>
          </span>
        )}
      </div>
      <div className="home">
        <div className="l">
          <div className="first">
            <ThreadDrawing />
            <h2>Nothing to pick up yet. Start a thread.</h2>
            <p className="brief muted">
              Throughline keeps what you and your models worked out: it compiles it into the next
              prompt, runs the work, and reads the answers back. All of it stays in a folder on this
              machine.
            </p>
            <ol>
              <RunSample project={sample?.id} />
              <Offer
                icon="conversation"
                title="Bring your thinking"
                command="import start ~/Downloads/export.zip"
                action={<PageLink title="Conversations" label="Import" />}
              >
                A ChatGPT or Claude export, Markdown or JSON Lines. You see counts first, nothing is
                written before you agree.
              </Offer>
              <Offer
                icon="plus"
                title="Capture a thought"
                command={'task add "What should happen next"'}
                action={<Button onPress={() => openSheet("capture")}>Capture</Button>}
              >
                A task, a decision or a passage worth keeping. It finds its way into the next
                prompt.
              </Offer>
              <Offer
                icon="prompt"
                title="Add a model"
                command="model add"
                action={<PageLink title="Settings" label="Add model" />}
              >
                Any provider or a command on this machine. Until then every run uses the rehearsal
                model.
              </Offer>
            </ol>
          </div>
        </div>
        <aside className="r">
          {mayAdminister && <ThisMachine />}
          <WhatLivesWhere />
          <hr />
          <KeysWorthKnowing />
        </aside>
      </div>
    </>
  );
}

function removeSample(): void {
  performChange("workspace.clear-sample", {})
    .then(() => toast("The sample is gone"))
    .catch(reportProblem);
}

function RunSample({ project }: { readonly project: string | undefined }) {
  const { run, isBusy, problem } = useChange("workflow.run");
  const start = async () => {
    const started = await run({ workflow: SAMPLE, input: SAMPLE_INPUT, project });
    if (started !== undefined) navigate(`/runs/${started.runId}`);
  };
  return (
    <Offer
      icon="play"
      title="Run the sample"
      command="workflow run library:document-review --follow"
      action={
        <Button kind="primary" isBusy={isBusy} onPress={() => void start()}>
          Run sample
        </Button>
      }
    >
      Three readers review a short document side by side. It runs on the model that is set up here;
      without a key on the rehearsal model, at no cost. You will be asked one question.
      <ProblemNote problem={problem} />
    </Offer>
  );
}

function Offer({
  icon,
  title,
  command,
  action,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly command: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <li className="offer">
      <Icon name={icon} />
      <div>
        <h3>{title}</h3>
        <div className="muted offer-words">{children}</div>
        <CommandLine text={command} />
      </div>
      <div>{action}</div>
    </li>
  );
}

/** A page that is not there leaves the command beside it. */
function PageLink({ title, label }: { readonly title: string; readonly label: string }) {
  const path = pagePath(title);
  return path === undefined ? null : (
    <a className="btn" href={path}>
      {label}
    </a>
  );
}

function ThreadDrawing() {
  return (
    <svg className="thread-drawing" width="240" height="44" viewBox="0 0 240 44" aria-hidden="true">
      <path d="M2 30c30 0 38-4 50-13S76 4 88 4s20 8 20 18-8 17-18 17-16-7-16-15" />
      <path d="M96 39c30 3 48-13 76-13h24" />
      <path className="ahead" d="M204 26h30" />
    </svg>
  );
}

type Check = Output<"workspace.doctor">["checks"][number];

const MARKS = { ok: "ok", absent: "todo", warn: "stale", bad: "fail" } as const;

function ThisMachine() {
  const { data } = useOperation("workspace.doctor", { quick: true });
  const models = useOperation("model.list", { usable: true }).data;
  const checks = data?.checks ?? [];
  const bad = checks.filter(({ state }) => state === "bad");
  const shown = ["disk", "leases", "git", "jj"].map((name) =>
    checks.find((check) => check.name === name),
  );
  return (
    <>
      <section className="side-list machine">
        <h2 className="lbl">This machine</h2>
        {[...bad, ...shown.filter((check) => check !== undefined)].map((check) => (
          <MachineLine key={check.name} check={check} />
        ))}
        {models !== undefined && (
          <div className="row small">
            <Glyph state={models.items.length > 1 ? "ok" : "todo"} />
            <span>Models</span>
            <span className="end muted">
              {models.items.length > 1 ? `${models.items.length} usable` : "rehearsal only"}
            </span>
          </div>
        )}
      </section>
      <hr />
    </>
  );
}

const NAMES: Readonly<Record<string, string>> = { disk: "Workspace", leases: "Worker" };

function MachineLine({ check: { name, state, message } }: { readonly check: Check }) {
  return (
    <div className="row small" title={message}>
      <Glyph state={MARKS[state]} />
      <span>{NAMES[name] ?? name}</span>
      <span className="end muted cut">{shortMessage(name, message)}</span>
    </div>
  );
}

function shortMessage(name: string, message: string): string {
  if (name === "disk") return /uses ([\d.]+ \w+)/.exec(message)?.[1] ?? message;
  if (name === "leases") return "ready";
  return message.replace(/^git version /, "").replace(/;.*$/, "");
}

function WhatLivesWhere() {
  const groups = [
    ["Work", "what runs and what waits for you"],
    ["Think", "conversations and what they settled"],
    ["Make", "packets, workflows, debates, teams"],
    ["Prove", "each prompt and who changed what"],
  ] as const;
  return (
    <section className="side-list">
      <h2 className="lbl">What lives where</h2>
      {groups.map(([name, what]) => (
        <div key={name} className="small lives">
          <b className="b">{name}</b>
          <span className="muted">{what}</span>
        </div>
      ))}
    </section>
  );
}

function KeysWorthKnowing() {
  const known = [
    ["mod+k", "search or do anything"],
    ["g i", "go to the inbox"],
    ["c", "capture a thought"],
    ["?", "all keys on this page"],
  ] as const;
  return (
    <section className="side-list hide-n">
      <h2 className="lbl">Keys worth knowing</h2>
      {known.map(([keys, what]) => (
        <div key={keys} className="row small">
          <span className="keys">
            <Keys keys={keys} />
          </span>
          <span className="muted">{what}</span>
        </div>
      ))}
    </section>
  );
}
