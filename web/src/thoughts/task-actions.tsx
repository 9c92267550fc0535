/** What can be done with a task, wherever it is shown in full. */

import { useState } from "react";
import type { Output } from "../api/operation.ts";
import { performChange, useChange } from "../data/use-change.ts";
import { Button } from "../parts/button.tsx";
import { formText } from "../parts/form-text.ts";
import { words } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { navigate } from "../router/place.ts";
import { reportProblem } from "../shell/problems.ts";
import { useMay } from "../shell/session.ts";
import { toast } from "../shell/toasts.tsx";
import { AssignTaskMenu, MoveTaskMenu, useAssignees } from "./task-menus.tsx";
import { ThoughtForm } from "./thought-form.tsx";

type Task = Output<"task.show">["task"];

export function TaskActions({ task }: { readonly task: Task }) {
  const mayEdit = useMay("edit");
  const mayRun = useMay("run");
  const assignees = useAssignees();
  const [isEditing, setEditing] = useState(false);
  const run = useChange("task.run");
  const agent = assignees.find(({ id, isAgent }) => isAgent && id === task.assigneeId);
  const start = async () => {
    const started = await run.run({ taskId: task.id });
    if (started !== undefined) navigate(`/runs/${started.runId}`);
  };
  if (run.problem !== undefined) {
    const { problem, forget } = run;
    queueMicrotask(() => {
      forget();
      reportProblem(problem);
    });
  }
  if (!mayEdit) return null;
  const isOfRun = task.runId !== undefined;
  return (
    <div className="row wrap thought-acts">
      {!isOfRun && (
        <MoveTaskMenu task={task}>
          Move
          <Icon name="down" small />
        </MoveTaskMenu>
      )}
      <AssignTaskMenu
        task={task}
        assigneeId={task.assigneeId}
        assigneeName={task.assigneeName}
        isAgent={agent !== undefined}
      />
      {agent !== undefined && mayRun && !isOfRun && task.status === "pending" && (
        <Button icon="play" isBusy={run.isBusy} onPress={() => void start()}>
          Have it done now
        </Button>
      )}
      <a className="btn" href={`/packets/new?origin=task:${task.id}`}>
        <Icon name="packet" small />
        Packet
      </a>
      <Menu label="More" className="btn icon" button={<Icon name="dots" small />}>
        {(close) => (
          <>
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                setEditing(true);
              }}
            >
              <Icon name="edit" small />
              Edit
            </button>
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                archive(task);
              }}
            >
              <Icon name="file" small />
              {task.isInactive ? "Bring it back" : "Archive"}
            </button>
          </>
        )}
      </Menu>
      {isEditing && <EditTask task={task} onClose={() => setEditing(false)} />}
    </div>
  );
}

function archive({ id: taskId, isInactive }: Task): void {
  performChange(isInactive ? "task.restore" : "task.archive", { taskId })
    .then(() => {
      const undo = () => void performChange("task.restore", { taskId }).catch(reportProblem);
      toast(isInactive ? "It is back" : "Archived", isInactive ? {} : { undo });
    })
    .catch(reportProblem);
}

const URGENCIES = ["low", "normal", "high", "urgent"] as const;

function EditTask({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const update = useChange("task.update");
  const { id, title, description, projectId, urgency, tags, isBlocker, isOpenLoop, version } = task;
  return (
    <ThoughtForm
      heading="Edit the task"
      labels={{ title: "What is to be done", text: "More about it" }}
      initial={{ title, text: description, project: projectId }}
      isBusy={update.isBusy}
      problem={update.problem}
      button="Save"
      onClose={onClose}
      onGive={(given) =>
        void update
          .run({
            taskId: id,
            expectedVersion: version,
            title: given.title,
            description: given.text === "" ? null : given.text,
            project: given.project === "" ? null : given.project,
            urgency: URGENCIES.find((each) => each === formText(given.form, "urgency")) ?? urgency,
            tags: formText(given.form, "tags")
              .split(",")
              .map((tag) => tag.trim())
              .filter(Boolean),
            blocker: given.form.get("blocker") !== null,
            openLoop: given.form.get("openLoop") !== null,
          })
          .then((done) => done !== undefined && onClose())
      }
    >
      <label className="field">
        <span className="lbl">Urgency</span>
        <select className="inp" name="urgency" defaultValue={urgency}>
          {URGENCIES.map((each) => (
            <option key={each} value={each}>
              {words(each)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span className="lbl">
          Tags <span className="faint">(with commas between)</span>
        </span>
        <input className="inp" name="tags" defaultValue={tags.join(", ")} />
      </label>
      <Flag name="blocker" label="Other work cannot go on before it is done" isOn={isBlocker} />
      <Flag
        name="openLoop"
        label="Something unresolved that must not be forgotten"
        isOn={isOpenLoop}
      />
    </ThoughtForm>
  );
}

function Flag({
  name,
  label,
  isOn,
}: {
  readonly name: string;
  readonly label: string;
  readonly isOn: boolean;
}) {
  return (
    <label className="check">
      <input type="checkbox" name={name} defaultChecked={isOn} />
      <i>
        <Icon name="check" />
      </i>
      <span>{label}</span>
    </label>
  );
}
