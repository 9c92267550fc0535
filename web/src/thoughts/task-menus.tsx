import { type FormEvent, useMemo, useState } from "react";
import { useOperation } from "../data/use-operation.ts";
import { Button } from "../parts/button.tsx";
import { formText } from "../parts/form-text.ts";
import { initials } from "../parts/format.ts";
import { Glyph } from "../parts/glyph.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { stateOf, statusWords } from "../parts/state.ts";
import { Who } from "../parts/who.tsx";
import {
  assignTask,
  type MovedTask,
  mayBecome,
  moveTask,
  moveVerb,
  type TaskStatus,
} from "./task-moves.ts";

/** Which of those who have tasks are agents. */
export function useAgentIds(): ReadonlySet<string> {
  const { data } = useOperation("user.list", { kind: "both", limit: 200 });
  return useMemo(
    () => new Set(data?.items.filter(({ isAgent }) => isAgent).map(({ id }) => id)),
    [data],
  );
}

/** Who can be given a task; agents after people. */
export function useAssignees() {
  const people = useOperation("user.list", { kind: "both", limit: 200 }).data?.items ?? [];
  return people.toSorted((a, b) => Number(a.isAgent) - Number(b.isAgent));
}

/** Asks who there is only when it is opened: a list has one of these in every row. */
export function AssignTaskMenu({
  task,
  assigneeId,
  assigneeName,
  isAgent,
  isSmall = false,
}: {
  readonly task: MovedTask;
  readonly assigneeId: string | undefined;
  readonly assigneeName: string | undefined;
  /** Whether the one who has it is an agent. */
  readonly isAgent: boolean;
  readonly isSmall?: boolean;
}) {
  // What is seen of it comes first in its name.
  const label =
    assigneeName === undefined
      ? `Assign ${task.title}`
      : `${isSmall ? initials(assigneeName) : assigneeName} has ${task.title}; assign it to another`;
  return (
    <Menu
      label={label}
      className={isSmall ? "assign-small" : "btn"}
      button={
        assigneeName === undefined ? (
          <>
            <Icon name="person" small />
            {!isSmall && "Assign"}
          </>
        ) : (
          <>
            <Who name={assigneeName} isAgent={isAgent} small />
            {!isSmall && assigneeName}
          </>
        )
      }
    >
      {(close) => <Assignees task={task} assigneeId={assigneeId} onClose={close} />}
    </Menu>
  );
}

function Assignees({
  task,
  assigneeId,
  onClose,
}: {
  readonly task: MovedTask;
  readonly assigneeId: string | undefined;
  readonly onClose: () => void;
}) {
  const assignees = useAssignees();
  const choose = (id: string | null, name: string) => {
    onClose();
    assignTask(task, id, name);
  };
  return (
    <>
      {assignees.map(({ id, displayName, isAgent }) => (
        <button key={id} type="button" role="menuitem" onClick={() => choose(id, displayName)}>
          <Who name={displayName} isAgent={isAgent} small />
          <span className="grow cut">{displayName}</span>
          {isAgent && <span className="muted small">agent</span>}
          {id === assigneeId && <Icon name="check" small />}
        </button>
      ))}
      <button type="button" role="menuitem" onClick={() => choose(null, "")}>
        <span className="grow">Nobody</span>
        {assigneeId === undefined && <Icon name="check" small />}
      </button>
    </>
  );
}

/** Every step the table of transitions allows from here; a hold says why. */
export function MoveTaskMenu({
  task,
  className = "btn",
  onMove,
  children,
}: {
  readonly task: MovedTask;
  readonly className?: string;
  /** It is on its way. */
  readonly onMove?: (() => void) | undefined;
  readonly children: React.ReactNode;
}) {
  const [isHolding, setHolding] = useState(false);
  const choices = mayBecome(task.status);
  const move = (status: TaskStatus) => {
    if (status === "on_hold") setHolding(true);
    else moveTask(task, status);
  };
  if (choices.length === 0) return null;
  return (
    <>
      <Menu
        label={`Move ${task.title}, now ${statusWords(task.status)}`}
        className={className}
        button={children}
      >
        {(close) =>
          choices.map((status) => (
            <button
              key={status}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                onMove?.();
                move(status);
              }}
            >
              <Glyph state={stateOf(status)} />
              {moveVerb(status)}
            </button>
          ))
        }
      </Menu>
      {isHolding && <HoldSheet task={task} onClose={() => setHolding(false)} />}
    </>
  );
}

export function HoldSheet({
  task,
  onClose,
}: {
  readonly task: MovedTask;
  readonly onClose: () => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onClose();
    moveTask(task, "on_hold", formText(new FormData(event.currentTarget), "reason"));
  };
  return (
    <Sheet title="Put it on hold" onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <label className="field">
          <span className="lbl">What does “{task.title}” wait for?</span>
          {/* biome-ignore lint: the dialog asks for nothing else */}
          <input className="inp" name="reason" autoFocus required maxLength={500} />
        </label>
        <div className="row">
          <Button kind="primary" submits>
            Put on hold
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Never mind
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
