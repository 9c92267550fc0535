/** ⌘K: what this page can do, where to go, what to find, and everything the program can do. */

import { useDeferredValue, useEffect, useRef, useState } from "react";
import type { Item } from "../api/operation.ts";
import { useOperation } from "../data/use-operation.ts";
import { pages } from "../pages/pages.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Keys } from "../parts/keys.tsx";
import { openReference, Source } from "../parts/reference.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Words } from "../parts/words.tsx";
import { navigate } from "../router/place.ts";
import { useCommandGroups } from "./commands.ts";
import { useProjectId } from "./current-project.ts";
import { matchWords } from "./match-words.ts";
import { type OperationLine, useOperationLines } from "./operation-lines.ts";

interface Line {
  readonly id: string;
  readonly group: string;
  readonly icon: IconName | "task" | "decision" | "highlight" | "conversation";
  readonly text: string;
  readonly aside?: string | undefined;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

const FEW = 6;

export function Palette({
  onClose,
  onOperation,
}: {
  readonly onClose: () => void;
  readonly onOperation: (line: OperationLine) => void;
}) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const lines = useLines(typed, onOperation);
  const current = Math.min(at, lines.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });
  const choose = (line: Line | undefined) => {
    if (line === undefined) return;
    onClose();
    line.run();
  };
  return (
    <Sheet kind="palette" title="Search, open, or run a command" onClose={onClose}>
      <div className="q">
        <Icon name="search" />
        <input
          // biome-ignore lint: the dialog is there for nothing else
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-lines"
          aria-activedescendant={lines[current] && `palette-${current}`}
          aria-label="Search, open, or run a command"
          placeholder="Search, open, or run a command"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
            if (by !== 0) {
              event.preventDefault();
              setAt((current + by + lines.length) % Math.max(1, lines.length));
            }
            if (event.key === "Enter" && !event.nativeEvent.isComposing) choose(lines[current]);
          }}
        />
        <Keys keys="Escape" />
      </div>
      <div className="rows" role="listbox" id="palette-lines" aria-label="Found" ref={list}>
        {lines.map((line, n) => (
          <PaletteLine
            key={line.id}
            line={line}
            id={`palette-${n}`}
            heading={line.group === lines[n - 1]?.group ? undefined : line.group}
            isCurrent={n === current}
            onChoose={() => choose(line)}
          />
        ))}
        {lines.length === 0 && (
          <div className="muted">Nothing fits. Try fewer or shorter words.</div>
        )}
      </div>
    </Sheet>
  );
}

function PaletteLine({
  line,
  id,
  heading,
  isCurrent,
  onChoose,
}: {
  readonly line: Line;
  readonly id: string;
  readonly heading: string | undefined;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}) {
  const { icon, text, aside, keys } = line;
  const isSource =
    line.group === "Find" &&
    (icon === "task" || icon === "decision" || icon === "highlight" || icon === "conversation");
  return (
    <>
      {heading !== undefined && <h4 role="presentation">{heading}</h4>}
      <button
        type="button"
        role="option"
        id={id}
        tabIndex={-1}
        aria-selected={isCurrent}
        onClick={onChoose}
      >
        {isSource ? <Source kind={icon} /> : <Icon name={icon} small />}
        <span className="cut">
          <Words text={text} />
        </span>
        {aside !== undefined && <span className="muted small cut grow">{aside}</span>}
        {keys !== undefined && (
          <span className="end">
            <Keys keys={keys} />
          </span>
        )}
      </button>
    </>
  );
}

function useLines(typed: string, onOperation: (line: OperationLine) => void): readonly Line[] {
  const groups = useCommandGroups();
  const operations = useOperationLines();
  const found = useFound(typed);
  const here = groups
    .filter(({ title }) => title !== GO_TO)
    .flatMap(({ title, commands }) =>
      commands
        .filter(({ isKeyOnly }) => isKeyOnly !== true)
        .map(({ label, keys, icon = "right", run }): Line => {
          return { id: `${title} ${label}`, group: title, icon, text: label, keys, run };
        }),
    );
  const places = pages.map(({ title, icon, path, key }): Line => {
    const run = () => navigate(path);
    return { id: `go ${path}`, group: GO_TO, icon, text: title, keys: `g ${key}`, run };
  });
  const all = operations.map((operation): Line => {
    const { name, summary } = operation;
    const run = () => onOperation(operation);
    return { id: name, group: "Run a command", icon: "prompt", text: name, aside: summary, run };
  });
  const isTyped = typed.trim() !== "";
  const textOf = ({ text, aside = "" }: Line) => `${text} ${aside}`;
  return [
    ...matchWords(typed, here, textOf).slice(0, isTyped ? FEW : 12),
    ...matchWords(typed, places, textOf).slice(0, isTyped ? FEW : places.length),
    ...found,
    ...(isTyped ? matchWords(typed, all, textOf).slice(0, 8) : []),
  ];
}

export const GO_TO = "Go to";

/** The index is asked for what was typed a moment ago. */
function useFound(typed: string): readonly Line[] {
  const [asked, setAsked] = useState("");
  const text = useDeferredValue(asked).trim();
  const project = useProjectId();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), 150);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useOperation(
    "thinking.search",
    text.length < 2 ? undefined : { text, limit: FEW, project },
  );
  return text.length < 2 ? [] : (data?.items ?? []).map(hitLine);
}

function hitLine(hit: Item<"thinking.search">): Line {
  const { kind, id, title, snippet, projectName, conversationId } = hit;
  const noun = kind === "message" ? "conversation" : kind;
  const target = kind === "message" ? (conversationId ?? id) : id;
  return {
    id: `${kind} ${id}`,
    group: "Find",
    icon: noun === "artifact" ? "file" : noun,
    text: title === "" ? snippet.text : title,
    aside: [kind, projectName].filter(Boolean).join(", "),
    run: () => openReference(noun, target),
  };
}
