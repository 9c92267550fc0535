/**
 * What can be done here by key, by menu and by palette: one list for all three. A page says what it offers with
 * `useCommands`; the shell's own are there always.
 */

import { useEffect } from "react";
import { createSharedState } from "../data/shared-state.ts";
import { useNewest } from "../data/use-newest.ts";
import type { IconName } from "../parts/icon.tsx";

export interface Command {
  /** Verb first, as a button would say it. */
  readonly label: string;
  /** `c`, `g i` (one after the other), `mod+k`, `shift+?`. */
  readonly keys?: string;
  readonly icon?: IconName;
  /** Works also while somebody writes in a field. */
  readonly isGlobal?: boolean;
  /** Only a key: not worth a line in the palette. */
  readonly isKeyOnly?: boolean;
  readonly run: () => void;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

const groups = createSharedState<readonly { readonly id: number; readonly group: CommandGroup }[]>(
  [],
);
let lastId = 0;

/** While the component is there. The newest group comes first and its keys win. */
export function useCommands(title: string, commands: readonly Command[]): void {
  const current = useNewest(commands);
  const shape = commands.map(({ label, keys = "" }) => `${label} ${keys}`).join("\n");
  useEffect(() => {
    lastId += 1;
    const id = lastId;
    const group: CommandGroup = {
      title,
      // What is run is what the newest rendering says, without registering anew each time.
      commands: current.current.map((command, n) => ({
        ...command,
        run: () => current.current[n]?.run(),
      })),
    };
    if (shape !== "") groups.set([{ id, group }, ...groups.get()]);
    return () => groups.set(groups.get().filter((each) => each.id !== id));
  }, [title, shape, current]);
}

export function useCommandGroups(): readonly CommandGroup[] {
  return groups.use().map(({ group }) => group);
}

export function allCommands(): readonly Command[] {
  return groups.get().flatMap(({ group }) => group.commands);
}
