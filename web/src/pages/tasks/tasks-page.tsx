/** What is to be done: as a board that is moved by hand, or as a list in which whole and parts hang together. */

import "./tasks.css";
import { useDelayed } from "../../data/use-delayed.ts";
import { Button } from "../../parts/button.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay } from "../../shell/session.ts";
import { FilterBar } from "./filter-bar.tsx";
import { TaskBoard } from "./task-board.tsx";
import { useSelection, useTaskFilter } from "./task-filter.ts";
import { TaskList } from "./task-list.tsx";

const VIEWS = [
  { name: "board", label: "Board" },
  { name: "list", label: "List" },
] as const;

export default function TasksPage() {
  const mayEdit = useMay("edit");
  const [asked, setView] = useQueryField("as");
  const view = asked === "list" ? "list" : "board";
  const filter = useTaskFilter();
  const text = useDelayed(filter.text, 200);
  const selection = useSelection({ ...filter, text });
  useCommands("Tasks", [
    {
      label: view === "board" ? "Show tasks as a list" : "Show tasks as a board",
      keys: "v",
      run: () => setView(view === "board" ? "list" : undefined),
    },
  ]);
  return (
    <>
      <div className="head">
        <h1>Tasks</h1>
        <Segmented
          label="How tasks are shown"
          choices={VIEWS}
          chosen={view}
          onChoose={(name) => setView(name === "board" ? undefined : name)}
        />
        {mayEdit && (
          <span className="end">
            <Button icon="plus" keys="c" onPress={() => openSheet("capture")}>
              New task
            </Button>
          </span>
        )}
      </div>
      <FilterBar filter={filter} />
      {view === "board" ? (
        <TaskBoard selection={selection} />
      ) : (
        <TaskList selection={selection} filter={{ ...filter, text }} />
      )}
    </>
  );
}
