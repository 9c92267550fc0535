import { type FormEvent, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { words } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { markedText } from "../../parts/visible-text.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import { useAssignees } from "../../thoughts/task-menus.tsx";
import { changeFilter, isNarrowed, type TaskFilter, type Urgency } from "./task-filter.ts";

const URGENCIES: readonly Urgency[] = ["urgent", "high", "normal", "low"];

export function FilterBar({ filter }: { readonly filter: TaskFilter }) {
  const assignees = useAssignees();
  const views = useOperation("view.list", {}).data?.items ?? [];
  const mayEdit = useMay("edit");
  const [isSaving, setSaving] = useState(false);
  useCommands("Filter", [
    {
      label: "Filter tasks by words",
      keys: "f",
      icon: "filter",
      run: () => document.getElementById("task-words")?.focus(),
    },
  ]);
  return (
    <div className="filter-bar">
      <input
        id="task-words"
        className="inp filter-words"
        type="search"
        aria-label="Words in the task"
        placeholder="Words in the task"
        value={filter.text}
        onChange={({ target }) => changeFilter({ text: target.value })}
      />
      <select
        className="inp"
        aria-label="Whose"
        value={filter.assignee ?? ""}
        onChange={({ target }) => changeFilter({ assignee: target.value || undefined })}
      >
        <option value="">Anyone’s</option>
        <option value="me">Mine</option>
        <option value="nobody">Nobody’s</option>
        {assignees.map(({ id, displayName, isAgent }) => (
          <option key={id} value={id}>
            {markedText(displayName)}
            {isAgent ? " (agent)" : ""}
          </option>
        ))}
      </select>
      <select
        className="inp"
        aria-label="Urgency"
        value={filter.urgency ?? ""}
        onChange={({ target }) =>
          changeFilter({ urgency: URGENCIES.find((each) => each === target.value) })
        }
      >
        <option value="">Any urgency</option>
        {URGENCIES.map((each) => (
          <option key={each} value={each}>
            {words(each)}
          </option>
        ))}
      </select>
      <Check
        label="Blockers"
        isOn={filter.isBlocker}
        onChange={(isBlocker) => changeFilter({ isBlocker })}
      />
      <Check
        label="Steps of workflows"
        isOn={filter.hasSteps}
        onChange={(hasSteps) => changeFilter({ hasSteps })}
      />
      {(views.length > 0 || filter.view !== undefined) && (
        <select
          className="inp"
          aria-label="Saved view"
          value={filter.view ?? ""}
          onChange={({ target }) => changeFilter({ view: target.value || undefined })}
        >
          <option value="">No saved view</option>
          {views.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {mayEdit && isNarrowed(filter) && filter.view === undefined && (
        <Button kind="quiet" size="small" onPress={() => setSaving(true)}>
          Save this view
        </Button>
      )}
      {isSaving && <SaveSheet filter={filter} onClose={() => setSaving(false)} />}
    </div>
  );
}

function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="check small">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <i>
        <Icon name="check" />
      </i>
      <span>{label}</span>
    </label>
  );
}

/** `What blocks?` → `what-blocks` */
function viewName(typed: string): string {
  return typed
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function SaveSheet({
  filter,
  onClose,
}: {
  readonly filter: TaskFilter;
  readonly onClose: () => void;
}) {
  const save = useChange("view.save");
  const project = useProjectId();
  const { text, assignee, urgency, isBlocker } = filter;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = viewName(formText(new FormData(event.currentTarget), "name"));
    void save
      .run({
        name,
        order: "urgent",
        ...(project === undefined ? {} : { project }),
        ...(text.trim() === "" ? {} : { text: text.trim() }),
        ...(assignee === undefined ? {} : { assignee }),
        ...(urgency === undefined ? {} : { urgency: [urgency] }),
        ...(isBlocker ? { blocker: true } : {}),
      })
      .then((saved) => {
        if (saved === undefined) return;
        onClose();
        changeFilter({
          view: saved.name,
          text: "",
          assignee: undefined,
          urgency: undefined,
          isBlocker: false,
        });
        toast(`Saved as ${saved.name}; agents and commands know it, too`);
      });
  };
  return (
    <Sheet title="Save this view" onClose={onClose}>
      <form className="opform" onSubmit={submit}>
        <label className="field">
          <span className="lbl">Its name</span>
          {/* biome-ignore lint: the dialog asks for nothing else */}
          <input className="inp" name="name" autoFocus required maxLength={60} />
          <span className="micro muted">
            Commands call it by this name, so it is written small and with dashes: what-blocks.
          </span>
        </label>
        <ProblemNote problem={save.problem} />
        <div>
          <Button kind="primary" submits isBusy={save.isBusy}>
            Save
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
