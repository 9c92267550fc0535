/** Fields of a step's form: each says what was written when one leaves it. */

import { type ReactNode, useState } from "react";
import type { Json } from "../../api/operation.ts";
import { readSetting, type StepSettings, textOf } from "./step-settings.ts";

export interface PartProps {
  readonly step: StepSettings;
  readonly isReadOnly: boolean;
  readonly set: (settings: { readonly [name: string]: Json }) => void;
}

export function Field({
  label,
  note,
  children,
}: {
  readonly label: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="field">
      <span className="row">
        <span className="lbl">{label}</span>
        {note !== undefined && <span className="end micro">{note}</span>}
      </span>
      {children}
    </div>
  );
}

/** Says what was written when one leaves it, or presses Enter. */
export function CommitInput({
  label,
  initial,
  isReadOnly,
  hint,
  kind = "text",
  rows,
  onCommit,
}: {
  readonly label: string;
  readonly initial: string;
  readonly isReadOnly: boolean;
  readonly hint?: string | undefined;
  readonly kind?: "text" | "number" | "json";
  readonly rows?: number;
  readonly onCommit: (text: string) => void;
}) {
  const commit = (text: string) => {
    if (text !== initial) onCommit(text);
  };
  const common = {
    "aria-label": label,
    className: `inp${kind === "json" ? " mono" : kind === "number" ? " num" : ""}`,
    defaultValue: initial,
    readOnly: isReadOnly,
    placeholder: hint,
    spellCheck: kind === "text",
  };
  if (rows !== undefined)
    return <textarea {...common} rows={rows} onBlur={({ target }) => commit(target.value)} />;
  return (
    <input
      {...common}
      inputMode={kind === "number" ? "decimal" : undefined}
      autoComplete="off"
      onBlur={({ target }) => commit(target.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") commit(currentTarget.value);
      }}
    />
  );
}

export function Setting({
  step,
  isReadOnly,
  set,
  name,
  label,
  kind = "text",
  hint,
  rows,
}: PartProps & {
  readonly name: string;
  readonly label: string;
  readonly kind?: "text" | "number" | "json";
  readonly hint?: string;
  readonly rows?: number;
}) {
  const initial = textOf(step, name);
  const [isBroken, setBroken] = useState(false);
  return (
    <Field label={label} note={isBroken && <span className="fail b">not JSON</span>}>
      <CommitInput
        key={initial}
        label={label}
        initial={initial}
        isReadOnly={isReadOnly}
        hint={hint}
        kind={kind}
        {...(rows === undefined ? {} : { rows })}
        onCommit={(text) => {
          const value = readSetting(text, kind);
          setBroken(value === undefined);
          if (value !== undefined) set({ [name]: value });
        }}
      />
    </Field>
  );
}
