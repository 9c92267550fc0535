/** A field to find one task or decision by its words. Arrow keys move, Enter takes, Escape leaves things as they are. */

import { useId, useState } from "react";
import { useDelayed } from "../data/use-delayed.ts";
import { useOperation } from "../data/use-operation.ts";
import { Glyph } from "../parts/glyph.tsx";
import { stateOf } from "../parts/state.ts";
import { Words } from "../parts/words.tsx";

interface Found {
  readonly id: string;
  readonly title: string;
  readonly status?: string;
}

const FEW = 12;
const PAUSE_MS = 150;

export function PickThought({
  kind,
  label,
  chosen,
  project,
  onChoose,
}: {
  readonly kind: "task" | "decision";
  readonly label: string;
  readonly chosen: string | undefined;
  readonly project: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [at, setAt] = useState(0);
  const title = useTitle(kind, chosen);
  const found = useFound(kind, typed, project);
  const isOpen = typed !== undefined;
  const take = (one: Found | undefined) => {
    if (one === undefined) return;
    setTyped(undefined);
    onChoose(one.id);
  };
  return (
    <div className="pick">
      <input
        className="inp"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-activedescendant={isOpen && found[at] ? `${id}-${at}` : undefined}
        placeholder={`Find a ${kind}`}
        value={typed ?? title ?? ""}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onClick={() => setTyped((now) => now ?? "")}
        onBlur={() => setTyped(undefined)}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (by !== 0) {
            event.preventDefault();
            if (typed === undefined) setTyped("");
            else setAt((at + by + found.length) % Math.max(1, found.length));
          }
          if (event.key === "Enter" && isOpen) {
            event.preventDefault();
            take(found[at]);
          }
          if (event.key === "Escape" && isOpen) {
            event.stopPropagation();
            setTyped(undefined);
          }
        }}
      />
      {isOpen && (
        <div className="pick-list" role="listbox" id={id} aria-label={label}>
          {found.map((one, n) => (
            <button
              key={one.id}
              type="button"
              role="option"
              id={`${id}-${n}`}
              tabIndex={-1}
              aria-selected={n === at}
              // The field would lose the focus, and with it this list, before the click came.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(one)}
            >
              {one.status !== undefined && <Glyph state={stateOf(one.status)} />}
              <span className="cut">
                <Words text={one.title} />
              </span>
            </button>
          ))}
          {found.length === 0 && (
            <div className="muted small pick-none">Nothing fits these words.</div>
          )}
        </div>
      )}
    </div>
  );
}

function useTitle(kind: "task" | "decision", id: string | undefined): string | undefined {
  const task = useOperation(
    "task.show",
    kind === "task" && id !== undefined ? { taskId: id } : undefined,
  );
  const decision = useOperation(
    "decision.show",
    kind === "decision" && id !== undefined ? { decisionId: id } : undefined,
  );
  if (id === undefined) return undefined;
  return kind === "task" ? task.data?.task.title : decision.data?.decision.title;
}

function useFound(
  kind: "task" | "decision",
  typed: string | undefined,
  project: string | undefined,
): readonly Found[] {
  const text = useDelayed(typed?.trim() ?? "", PAUSE_MS);
  const isAsked = typed !== undefined;
  const words = text === "" ? {} : { text };
  const tasks = useOperation(
    "task.list",
    isAsked && kind === "task" ? { project, ...words, order: "urgent", limit: FEW } : undefined,
  );
  const decisions = useOperation(
    "decision.list",
    isAsked && kind === "decision" && text === "" ? { project, limit: FEW } : undefined,
  );
  const hits = useOperation(
    "thinking.search",
    isAsked && kind === "decision" && text !== ""
      ? { project, text, kinds: ["decision"], limit: FEW }
      : undefined,
  );
  if (!isAsked) return [];
  if (kind === "task") return tasks.data?.items ?? [];
  return (text === "" ? decisions.data?.items : hits.data?.items) ?? [];
}
