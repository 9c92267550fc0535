import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
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
  // Whoever moves a card by its menu goes with it.
  const [followed, setFollowed] = useState<TaskLine>();
  const move = (task: TaskLine, status: TaskStatus) => {
    if (status === "on_hold") setHeld(task);
    else moveTask(task, status);
  };
  return (
    // oxlint-disable-next-line no-static-element-interactions -- the cards inside are the buttons
    <div className="board" onKeyDown={walk}>
      {COLUMNS.map((column) => (
        <Column
          key={column.status}
          column={column}
          selection={selection}
          dragged={dragged}
          onDrag={setDragged}
          onMove={move}
          followed={followed}
          onFollow={setFollowed}
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
  followed,
  onFollow,
}: {
  readonly column: (typeof COLUMNS)[number];
  readonly selection: Selection;
  readonly dragged: TaskLine | undefined;
  readonly onDrag: (task: TaskLine | undefined) => void;
  readonly onMove: (task: TaskLine, status: TaskStatus) => void;
} & Following) {
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
          renderRow={(n) => (
            <Card
              task={list.items[n]}
              agents={agents}
              onDrag={onDrag}
              followed={followed}
              onFollow={onFollow}
            />
          )}
        />
      )}
    </section>
  );
}

/** The task as it was before it was sent on its way. */
interface Following {
  readonly followed: TaskLine | undefined;
  readonly onFollow: (task: TaskLine | undefined) => void;
}

/** By arrow keys from card to card: up and down in a column, left and right to the next that has any. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const card = event.target instanceof HTMLElement ? event.target.closest(".card") : null;
  const isElsewhere = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (card === null || isElsewhere || event.defaultPrevented) return;
  const columns = [...event.currentTarget.querySelectorAll(".board-column")]
    .map((column) => [...column.querySelectorAll(".card")])
    .filter((cards) => cards.length > 0);
  const column = columns.findIndex((cards) => cards.includes(card));
  const place = columns[column]?.indexOf(card) ?? -1;
  const across = (by: number) =>
    columns[column + by]?.[Math.min(place, (columns[column + by]?.length ?? 1) - 1)];
  const next = {
    ArrowUp: columns[column]?.[place - 1],
    ArrowDown: columns[column]?.[place + 1],
    ArrowLeft: across(-1),
    ArrowRight: across(1),
  }[event.key];
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  next?.querySelector<HTMLElement>(".card-name")?.focus();
}

function Card({
  task,
  agents,
  onDrag,
  followed,
  onFollow,
}: {
  readonly task: TaskLine | undefined;
  readonly agents: ReadonlySet<string>;
  readonly onDrag: (task: TaskLine | undefined) => void;
} & Following) {
  const mayEdit = useMay("edit");
  const name = useRef<HTMLButtonElement>(null);
  const hasArrived =
    followed !== undefined && followed.id === task?.id && followed.status !== task.status;
  useEffect(() => {
    if (!hasArrived) return;
    name.current?.focus();
    onFollow(undefined);
  }, [hasArrived, onFollow]);
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
      <button
        ref={name}
        type="button"
        className="card-name"
        onClick={() => openReference("task", id)}
      >
        <Words text={title} />
      </button>
      <div className="card-foot">
        <TaskTags task={task} />
        <span className="small muted cut grow" title={holdReason ?? projectName}>
          {holdReason ?? ""}
        </span>
        {mayMove && (
          <MoveTaskMenu task={task} className="glyph-button" onMove={() => onFollow(task)}>
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
