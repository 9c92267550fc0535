/** A button with a menu under it. Arrow keys move, Escape closes. */

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";

export function Menu({
  label,
  className = "btn",
  button,
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly button: ReactNode;
  /** Gets a function that closes it. */
  readonly children: (close: () => void) => ReactNode;
}) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => document.getElementById(id)?.hidePopover();
  // What it holds is in the page only now.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const from = opener.current?.getBoundingClientRect();
    const { current } = menu;
    if (from === undefined || current === null) return;
    const right = Math.min(from.left, innerWidth - current.offsetWidth - 8);
    const above =
      from.bottom + current.offsetHeight + 8 > innerHeight && from.top > innerHeight / 2;
    current.style.left = `${Math.max(8, right)}px`;
    current.style.top = `${above ? from.top - current.offsetHeight - 4 : from.bottom + 4}px`;
    (current.querySelector<HTMLElement>("button, a") ?? current).focus();
  }, [isOpen]);
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        popoverTarget={id}
      >
        {button}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="menu"
        onToggle={({ newState }) => setOpen(newState === "open")}
        onKeyDown={(event) => {
          const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (by === 0) return;
          event.preventDefault();
          moveFocus(event.currentTarget, by);
        }}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}

function moveFocus(within: HTMLElement, by: number): void {
  const items = [...within.querySelectorAll<HTMLElement>("button, a")];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = at === -1 ? (by > 0 ? 0 : -1) : (at + by) % items.length;
  items.at(next)?.focus();
}
