/** A dialog in the middle of the page: asks for one thing, and goes away by Escape or a click beside it. */

import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { giveFocusBack } from "./give-focus-back.ts";

export function Sheet({
  title,
  onClose,
  children,
  footer,
  kind = "sheet",
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly kind?: "sheet" | "palette";
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    if (current !== null && !current.open) current.showModal();
    return () => {
      giveFocusBack(before);
    };
  }, []);
  return (
    // oxlint-disable-next-line click-events-have-key-events, no-noninteractive-element-interactions -- Escape is the key
    <dialog
      ref={dialog}
      className={kind}
      aria-label={title}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
    >
      {kind === "sheet" && (
        <header>
          <h2 className="grow">{title}</h2>
          <Button kind="quiet" icon="cross" name="Close" onPress={() => dialog.current?.close()} />
        </header>
      )}
      {kind === "sheet" ? <div className="scroll">{children}</div> : children}
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  );
}
