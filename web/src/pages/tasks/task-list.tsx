import { useState } from "react";
import type { Input } from "../../api/operation.ts";
import { useLongList } from "../../data/use-long-list.ts";
import { useOperations } from "../../data/use-operations.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { count } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { openReference } from "../../parts/reference.tsx";
import { ReferenceName } from "../../parts/reference-name.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { useNarrow } from "../../parts/use-narrow.ts";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay } from "../../shell/session.ts";
import { AssignTaskMenu, MoveTaskMenu, useAgentIds } from "../../thoughts/task-menus.tsx";
import type { TaskLine } from "../../thoughts/task-moves.ts";
import { isNarrowed, type TaskFilter } from "./task-filter.ts";
import { TaskTags } from "./task-tags.tsx";

type Selection = Omit<Input<"task.list">, "limit" | "cursor">;

const ORDERS = [
  { name: "urgent", label: "Urgent first" },
  { name: "newest", label: "Newest" },
  { name: "oldest", label: "Oldest" },
] as const;

const SHOWN = [
  { name: "open", label: "Open" },
  { name: "all", label: "All" },
] as const;

const PAGE = 200;

/** Whole tasks with their parts folded below them; narrowed by a filter, whatever fits, with what it is part of. */
export function TaskList({
  selection,
  filter,
}: {
  readonly selection: Selection;
  readonly filter: TaskFilter;
}) {
  const isTree = !isNarrowed(filter);
  const [askedOrder, setOrder] = useQueryField("order");
  const [askedClosed, setClosed] = useQueryField("closed");
  const order = ORDERS.find(({ name }) => name === askedOrder)?.name ?? "urgent";
  const closed = askedClosed === "all";
  const list = useLongList(
    "task.list",
    { ...selection, order, closed, ...(isTree ? { top: true } : {}) },
    PAGE,
  );
  const { rows, toggle } = useRows(list.items, isTree, closed);
  const [at, setAt] = useState<number>();
  const agents = useAgentIds();
  const mayEdit = useMay("edit");
  const rowHeight = useNarrow() ? 56 : 36;
  useListKeys(rows, at, setAt, toggle);
  return (
    <>
      <div className="sub list-sub">
        <Segmented
          label="Which"
          choices={SHOWN}
          chosen={closed ? "all" : "open"}
          onChoose={(name) => setClosed(name === "all" ? "all" : undefined)}
        />
        <Segmented
          label="Order"
          choices={ORDERS}
          chosen={order}
          onChoose={(name) => setOrder(name === "urgent" ? undefined : name)}
        />
        <span className="small muted num end" role="status">
          {list.items.length > 0 &&
            `${count(list.items.length)}${list.hasMore ? "+" : ""} ${isTree ? "whole tasks" : "tasks"}`}
        </span>
      </div>
      <div className="pane grow" aria-busy={list.isOld}>
        <ProblemNote problem={list.problem} onRetry={list.refresh} />
        {list.isFirst && <SkeletonRows count={12} />}
        {!list.isFirst && rows.length === 0 && <NoTasks isNarrow={!isTree} />}
        {rows.length > 0 && (
          <VirtualList
            label="Tasks"
            count={rows.length}
            rowHeight={rowHeight}
            current={at}
            onSee={list.see}
            renderRow={(n) => (
              <TaskRow
                row={rows[n]}
                isCurrent={n === at}
                isTree={isTree}
                agents={agents}
                mayEdit={mayEdit}
                onToggle={toggle}
                onEnter={() => setAt(n)}
              />
            )}
          />
        )}
      </div>
    </>
  );
}

export interface Row {
  readonly task: TaskLine;
  readonly depth: number;
  readonly isOpen: boolean;
}

function useRows(
  items: readonly TaskLine[],
  isTree: boolean,
  closed: boolean,
): { readonly rows: readonly Row[]; readonly toggle: (id: string) => void } {
  const [open, setOpen] = useState<readonly string[]>([]);
  const wanted = isTree ? open : [];
  const answers = useOperations(
    "task.list",
    wanted.map((parent) => ({ parent, closed, order: "oldest" as const, limit: PAGE })),
  );
  const parts = new Map(wanted.map((id, n) => [id, answers[n]?.items ?? []]));
  const toggle = (id: string) =>
    setOpen(open.includes(id) ? open.filter((each) => each !== id) : [...open, id]);
  const rowsOf = (tasks: readonly TaskLine[], depth: number): readonly Row[] =>
    tasks.flatMap((task) => {
      const below = parts.get(task.id);
      const row = { task, depth, isOpen: below !== undefined };
      return below === undefined ? [row] : [row, ...rowsOf(below, depth + 1)];
    });
  // Nothing is unfolded: ten thousand rows are not copied for nothing to change.
  const rows = rowsOf(items, 0);
  return { rows, toggle };
}

function useListKeys(
  rows: readonly Row[],
  at: number | undefined,
  setAt: (at: number) => void,
  toggle: (id: string) => void,
): void {
  const row = at === undefined ? undefined : rows[at];
  const move = (by: number) =>
    setAt(Math.max(0, Math.min(rows.length - 1, at === undefined ? 0 : at + by)));
  const fold = (isOpen: boolean) => {
    if (row !== undefined && row.isOpen !== isOpen && (row.task.parts ?? 0) > 0)
      toggle(row.task.id);
  };
  useCommands("List", [
    { label: "Next task", keys: "j", isKeyOnly: true, run: () => move(1) },
    { label: "Task before", keys: "k", isKeyOnly: true, run: () => move(-1) },
    { label: "Unfold its parts", keys: "l", isKeyOnly: true, run: () => fold(true) },
    { label: "Fold its parts", keys: "h", isKeyOnly: true, run: () => fold(false) },
    ...(row === undefined
      ? []
      : [
          {
            label: "Open the task",
            keys: "o",
            isKeyOnly: true,
            run: () => openReference("task", row.task.id),
          },
        ]),
  ]);
}

function TaskRow({
  row,
  isCurrent,
  isTree,
  agents,
  mayEdit,
  onToggle,
  onEnter,
}: {
  readonly row: Row | undefined;
  readonly isCurrent: boolean;
  readonly isTree: boolean;
  readonly agents: ReadonlySet<string>;
  readonly mayEdit: boolean;
  readonly onToggle: (id: string) => void;
  readonly onEnter: () => void;
}) {
  if (row === undefined) return null;
  const { task, depth, isOpen } = row;
  const { id, title, status, parts = 0, parentId, projectName, runId } = task;
  const open = () => {
    onEnter();
    openReference("task", id);
  };
  return (
    <div
      className="task-row"
      aria-current={isCurrent ? "true" : undefined}
      style={{ "--depth": depth } as object}
    >
      {isTree && parts > 0 ? (
        <Button
          kind="quiet"
          size="small"
          icon={isOpen ? "down" : "right"}
          name={`${isOpen ? "Fold" : "Unfold"} the ${parts} parts of ${title}`}
          onPress={() => onToggle(id)}
        />
      ) : (
        <span className="fold" />
      )}
      {mayEdit && runId === undefined ? (
        <MoveTaskMenu task={task} className="glyph-button">
          <Glyph state={stateOf(status)} />
        </MoveTaskMenu>
      ) : (
        <Glyph state={stateOf(status)} />
      )}
      <button type="button" className="task-name cut" onClick={open}>
        <Words text={title} />
      </button>
      <TaskTags task={task} />
      {!isTree && parentId !== undefined && (
        <span className="small muted cut task-of">
          part of <ReferenceName noun="task" id={parentId} />
        </span>
      )}
      <span className="small muted cut end hide-n">{projectName}</span>
      <span className="small muted num when hide-n">
        <Ago at={task.createdAt} />
      </span>
      {mayEdit ? (
        <AssignTaskMenu
          task={task}
          assigneeId={task.assigneeId}
          assigneeName={task.assigneeName}
          isAgent={agents.has(task.assigneeId ?? "")}
          isSmall
        />
      ) : (
        <Icon name="person" small />
      )}
    </div>
  );
}

export function NoTasks({ isNarrow }: { readonly isNarrow: boolean }) {
  if (isNarrow)
    return (
      <EmptyState title="No such task" command="task list --closed">
        Nothing fits the filter. Fewer words, or somebody else’s tasks, may show more.
      </EmptyState>
    );
  return (
    <EmptyState
      title="Nothing is to be done"
      command={'task add "What should happen next"'}
      action={
        <Button kind="primary" icon="plus" onPress={() => openSheet("capture")}>
          New task
        </Button>
      }
    >
      Tasks come from you, from conversations, from answers to packets and from runs. Open ones,
      blockers first, stand in every packet of their project.
    </EmptyState>
  );
}
