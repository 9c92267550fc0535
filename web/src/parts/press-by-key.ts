import type { KeyboardEvent } from "react";

/** For what acts as a button without being one: Enter and Space press it. */
export function pressByKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.currentTarget.click();
}
