/** Nothing here yet: what belongs here, what to do first, the same as a command. */

import type { ReactNode } from "react";

export function EmptyState({
  title,
  children,
  action,
  command,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
  readonly command?: string;
}) {
  return (
    <div className="empty">
      <div className="b">{title}</div>
      <div className="muted">{children}</div>
      {(action !== undefined || command !== undefined) && (
        <div className="row empty-acts">
          {action}
          {command !== undefined && <CommandLine text={command} />}
        </div>
      )}
    </div>
  );
}

/** A line for the terminal. */
export function CommandLine({ text }: { readonly text: string }) {
  return (
    <code className="code muted command">
      <span className="faint">$</span> throughline {text}
    </code>
  );
}
