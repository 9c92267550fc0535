import { type DragEvent, useState } from "react";
import type { Input } from "../../api/operation.ts";
import { useLongList } from "../../data/use-long-list.ts";
import { count } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { openReference } from "../../parts/reference.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { useNarrow } from "../../parts/use-narrow.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { Words } from "../../parts/words.tsx";
import { useMay } from "../../shell/session.ts";
import {
  AssignTaskMenu,
  HoldSheet,
  MoveTaskMenu,
  useAgentIds,
} from "../../thoughts/task-menus.tsx";
import { mayBecome, moveTask, type TaskLine, type TaskStatus } from "../../thoughts/task-moves.ts";
import { TaskTags } from "./task-tags.tsx";

type Selection = Omit<Input<"task.list">, "limit" | "cursor">;

const COLUMNS: readonly {
  readonly status: TaskStatus;
  readonly title: string;
  readonly hint: string;
}[] = [
  { status: "pending", title: "To do", hint: "What nobody has begun." },
  { status: "in_progress", title: "In progress", hint: "Drag a task here to start it." },
  { status: "waiting", title: "Waiting", hint: "For an answer or an event." },
  { status: "on_hold", title: "On hold", hint: "Stopped, with the reason why." },
  { status: "completed", title: "Done", hint: "Finished tasks stay out of packets." },
];

const CARD = 84;
const CARD_NARROW = 100;

/** Tasks by where they stand. What may go where is the server's table; other columns do not take them. */
export function TaskBoard({ selection }: { readonly selection: Selection }) {
  const [dragged, setDragged] = useState<TaskLine>();
  const [held, setHeld] = useState<TaskLine>();
  const move = (task: TaskLine, status: TaskStatus) => {
    if (status === "on_hold") setHeld(task);
    else moveTask(task, status);
  };
  return (
    <div className="board">
      {COLUMNS.map((column) => (
        <Column
          key={column.status}
          column={column}
          selection={selection}
          dragged={dragged}
          onDrag={setDragged}
          onMove={move}
        />
      ))}
      {held !== undefined && <HoldSheet task={held} onClose={() => setHeld(undefined)} />}
    </div>
  );
}

function Column({
  column: { status, title, hint },
  selection,
  dragged,
  onDrag,
  onMove,
}: {
  readonly column: (typeof COLUMNS)[number];
  readonly selection: Selection;
  readonly dragged: TaskLine | undefined;
  readonly onDrag: (task: TaskLine | undefined) => void;
  readonly onMove: (task: TaskLine, status: TaskStatus) => void;
}) {
  const order = status === "completed" ? "newest" : "urgent";
  const list = useLongList("task.list", { ...selection, status: [status], order }, 60);
  const agents = useAgentIds();
  const isNarrow = useNarrow();
  const [isOver, setOver] = useState(false);
  const takes = dragged !== undefined && mayBecome(dragged.status).includes(status);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (takes) onMove(dragged, status);
    onDrag(undefined);
  };
  const classes = [
    "board-column",
    dragged !== undefined && !takes && dragged.status !== status ? "closed" : "",
    isOver && takes ? "over" : "",
  ];
  return (
    // oxlint-disable-next-line no-noninteractive-element-interactions -- the card's menu does the same by keyboard
    <section
      className={classes.filter(Boolean).join(" ")}
      aria-label={title}
      aria-busy={list.isOld}
      onDragOver={(event) => {
        if (!takes) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2>
        <Glyph state={stateOf(status)} />
        {title}
        <span className="num muted">
          {count(list.items.length)}
          {list.hasMore && "+"}
        </span>
      </h2>
      <ProblemNote problem={list.problem} onRetry={list.refresh} />
      {list.isFirst && <SkeletonRows count={3} />}
      {!list.isFirst && list.items.length === 0 && <p className="small muted board-none">{hint}</p>}
      {list.items.length > 0 && (
        <VirtualList
          label={title}
          count={list.items.length}
          rowHeight={isNarrow ? CARD_NARROW : CARD}
          onSee={list.see}
          renderRow={(n) => <Card task={list.items[n]} agents={agents} onDrag={onDrag} />}
        />
      )}
    </section>
  );
}

function Card({
  task,
  agents,
  onDrag,
}: {
  readonly task: TaskLine | undefined;
  readonly agents: ReadonlySet<string>;
  readonly onDrag: (task: TaskLine | undefined) => void;
}) {
  const mayEdit = useMay("edit");
  if (task === undefined) return null;
  const { id, title, projectName, holdReason, runId, assigneeId, assigneeName } = task;
  // What belongs to a run is moved by the run.
  const mayMove = mayEdit && runId === undefined;
  return (
    // oxlint-disable-next-line no-static-element-interactions -- its menu does the same by keyboard
    <div
      className="card"
      draggable={mayMove}
      onDragStart={(event) => {
        event.dataTransfer.setData("text/plain", title);
        event.dataTransfer.effectAllowed = "move";
        onDrag(task);
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <button type="button" className="card-name" onClick={() => openReference("task", id)}>
        <Words text={title} />
      </button>
      <div className="card-foot">
        <TaskTags task={task} />
        <span className="small muted cut grow" title={holdReason ?? projectName}>
          {holdReason ?? ""}
        </span>
        {mayMove && (
          <MoveTaskMenu task={task} className="glyph-button">
            <Icon name="dots" small />
          </MoveTaskMenu>
        )}
        {mayEdit && (
          <AssignTaskMenu
            task={task}
            assigneeId={assigneeId}
            assigneeName={assigneeName}
            isAgent={agents.has(assigneeId ?? "")}
            isSmall
          />
        )}
      </div>
    </div>
  );
}
