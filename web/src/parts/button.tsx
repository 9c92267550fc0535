import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { Keys } from "./keys.tsx";

export interface ButtonProps {
  /** Ink, once in a view; outlined; without an edge; red words. */
  readonly kind?: "primary" | "default" | "quiet" | "danger";
  readonly size?: "normal" | "small";
  readonly icon?: IconName;
  /** What follows from it, in regular weight after the verb. */
  readonly effect?: string | undefined;
  readonly keys?: string | undefined;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly submits?: boolean;
  /** For a button that is only an icon. */
  readonly name?: string;
  readonly onPress?: (() => void) | undefined;
  readonly children?: ReactNode;
}

const KINDS = { primary: "pri", default: "", quiet: "quiet", danger: "danger" } as const;

export function Button({
  kind = "default",
  size = "normal",
  icon,
  effect,
  keys,
  isBusy = false,
  isDisabled = false,
  submits = false,
  name,
  onPress,
  children,
}: ButtonProps) {
  const isIcon = children === undefined;
  const classes = ["btn", KINDS[kind], size === "small" ? "sm" : "", isIcon ? "icon" : ""];
  return (
    <button
      type={submits ? "submit" : "button"}
      className={classes.filter(Boolean).join(" ")}
      aria-label={name}
      title={isIcon ? name : undefined}
      aria-busy={isBusy}
      // One that is busy keeps the focus; disabled, it would lose it.
      aria-disabled={isBusy}
      disabled={isDisabled || (isBusy && submits)}
      onClick={isBusy ? undefined : onPress}
    >
      {icon !== undefined && <Icon name={icon} small />}
      {children}
      {effect !== undefined && (
        <span className={kind === "primary" ? "to" : "to muted"}>{effect}</span>
      )}
      {keys !== undefined && <Keys keys={keys} />}
    </button>
  );
}
