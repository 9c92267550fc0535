import { initials } from "./format.ts";

/** A person round, an agent square. */
export function Who({
  name,
  isAgent = false,
  small = false,
}: {
  readonly name: string;
  readonly isAgent?: boolean;
  readonly small?: boolean;
}) {
  const classes = ["who", isAgent ? "a" : "", small ? "s" : ""].filter(Boolean).join(" ");
  return (
    <span className={classes} title={name} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
