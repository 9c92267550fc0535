import { type FormEvent, useState } from "react";
import { performChange, useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { navigate } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjects } from "../../shell/current-project.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import type { Talk } from "./talk.ts";
import { RedactSheet } from "./redact-sheet.tsx";

/** Distill it, say where it belongs, rename, redact, archive. */
export function ConversationActions({ talk }: { readonly talk: Talk }) {
  const mayEdit = useMay("edit");
  const mayRun = useMay("run");
  const [sheet, setSheet] = useState<"rename" | "redact">();
  const { conversation } = talk;
  const archive = () => {
    const conversationId = conversation.id;
    const verb = conversation.isInactive ? "conversation.restore" : "conversation.archive";
    performChange(verb, { conversationId })
      .then(() => {
        if (conversation.isInactive) return toast("It is back");
        const undo = () =>
          void performChange("conversation.restore", { conversationId }).catch(reportProblem);
        toast("Archived: lists, searches and prompts leave it out", { undo });
        navigate("/conversations");
      })
      .catch(reportProblem);
  };
  if (!mayEdit) return null;
  const choices: readonly (readonly [string, "edit" | "ban" | "file", () => void])[] = [
    ["Rename", "edit", () => setSheet("rename")],
    ["Redact all of it", "ban", () => setSheet("redact")],
    [conversation.isInactive ? "Bring it back" : "Archive", "file", archive],
  ];
  return (
    <>
      {mayRun && <Distill talk={talk} />}
      <ProjectsMenu talk={talk} />
      <Menu label="More" className="btn icon" button={<Icon name="dots" small />}>
        {(close) =>
          choices.map(([label, icon, run]) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                run();
              }}
            >
              <Icon name={icon} small />
              {label}
            </button>
          ))
        }
      </Menu>
      {sheet === "rename" && <RenameSheet talk={talk} onClose={() => setSheet(undefined)} />}
      {sheet === "redact" && <RedactSheet talk={talk} onClose={() => setSheet(undefined)} />}
    </>
  );
}

/** A model proposes what is worth keeping; the proposals come to the pane beside the words. */
function Distill({ talk }: { readonly talk: Talk }) {
  const start = useChange("distill.start");
  const [runId, setRunId] = useState<string>();
  const run = useOperation("run.show", runId === undefined ? undefined : { runId }).data?.run;
  const isGoing =
    runId !== undefined && (run === undefined || ["queued", "running"].includes(run.state));
  const begin = async () => {
    const begun = await start.run({ conversationId: talk.conversation.id, wait: false });
    if (begun !== undefined) setRunId(begun.runId);
  };
  useCommands("This conversation", [
    { label: "Distill the conversation", icon: "filter", run: () => void begin() },
  ]);
  if (start.problem !== undefined) reportOnce(start.problem, start.forget);
  if (isGoing)
    return (
      <a className="btn" href={`/runs/${runId}`}>
        <Glyph state="run" />
        Reading it
      </a>
    );
  return (
    <Button icon="filter" isBusy={start.isBusy} onPress={() => void begin()}>
      Distill
    </Button>
  );
}

function reportOnce(problem: unknown, forget: () => void): void {
  queueMicrotask(() => {
    forget();
    reportProblem(problem);
  });
}

function ProjectsMenu({ talk }: { readonly talk: Talk }) {
  const { projects } = useProjects();
  const own = new Set(talk.projects.map(({ id }) => id));
  const change = (project: string, isIn: boolean) => {
    const input = { conversationId: talk.conversation.id, project };
    performChange(isIn ? "conversation.unlink" : "conversation.link", input)
      .then(() => toast(isIn ? "No longer part of the project" : "Now part of the project"))
      .catch(reportProblem);
  };
  return (
    <Menu
      label="Projects it is part of"
      button={
        <>
          {talk.projects.length === 0 ? "No project" : "Projects"}
          <Icon name="down" small />
        </>
      }
    >
      {(close) =>
        projects.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="menuitemcheckbox"
            aria-checked={own.has(id)}
            onClick={() => {
              close();
              change(id, own.has(id));
            }}
          >
            <span className="grow cut">{name}</span>
            {own.has(id) && <Icon name="check" small />}
          </button>
        ))
      }
    </Menu>
  );
}

function RenameSheet({ talk, onClose }: { readonly talk: Talk; readonly onClose: () => void }) {
  const rename = useChange("conversation.update");
  const { id, title, version } = talk.conversation;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = formText(new FormData(event.currentTarget), "title");
    void rename
      .run({ conversationId: id, title: next, expectedVersion: version })
      .then((done) => done !== undefined && onClose());
  };
  return (
    <Sheet title="Rename the conversation" onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <label className="field">
          <span className="lbl">What it was about</span>
          {/* biome-ignore lint: the dialog was opened to write */}
          <input
            className="inp"
            name="title"
            autoFocus
            required
            maxLength={500}
            defaultValue={title}
          />
        </label>
        <ProblemNote problem={rename.problem} />
        <div>
          <Button kind="primary" submits isBusy={rename.isBusy}>
            Rename
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
