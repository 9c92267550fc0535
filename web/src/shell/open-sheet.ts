/** Which of the shell's dialogs is open; pages open them, too. */

import { createSharedState } from "../data/shared-state.ts";
import type { OperationLine } from "./operation-lines.ts";

type SheetName = "palette" | "keys" | "capture" | "start-run" | OperationLine | undefined;

export const sheets = createSharedState<SheetName>(undefined);

export function openSheet(sheet: SheetName): void {
  sheets.set(sheet);
}
