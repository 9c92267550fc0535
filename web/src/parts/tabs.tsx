/** Views of the same thing; the chosen one stands in the address. */

import { type ReactNode, useEffect, useId, useRef } from "react";

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly count?: number | string | undefined;
}

export function Tabs<Name extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  end,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** What stands at the right end. */
  readonly end?: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  // On a phone the row is longer than the page.
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-tab="${chosen}"]`);
    tab?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  const step = (by: number) => {
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div className="tabs" ref={list}>
      <div role="tablist" aria-label={label} className="tablist">
        {tabs.map(({ name, label: words, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            onKeyDown={({ key }) => {
              if (key === "ArrowRight") step(1);
              if (key === "ArrowLeft") step(-1);
            }}
          >
            <Steady words={words} />
            {count !== undefined && <span className="c">{count}</span>}
          </button>
        ))}
      </div>
      {end !== undefined && <span className="end row small muted">{end}</span>}
    </div>
  );
}

/** Modes of the same content. */
export function Segmented<Name extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly choices: readonly { readonly name: Name; readonly label: string }[];
  readonly chosen: Name | undefined;
  readonly onChoose: (name: Name) => void;
}) {
  return (
    <div className="seg" role="group" aria-label={label}>
      {choices.map(({ name, label: words }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          <Steady words={words} />
        </button>
      ))}
    </div>
  );
}

/** As wide as it is when chosen, so that nothing moves when it is. */
function Steady({ words }: { readonly words: string }) {
  return (
    <span className="steady" data-words={words}>
      {words}
    </span>
  );
}
