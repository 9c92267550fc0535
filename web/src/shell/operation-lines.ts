/** Everything the server can do, as it describes itself. */

import { useEffect, useState } from "react";
import { requestJson } from "../api/call.ts";
import { useMayAll } from "./session.ts";

export interface OperationLine {
  readonly name: string;
  readonly effect: "reads" | "writes" | "destroys";
  readonly permission: "read" | "answer" | "edit" | "run" | "administer";
  readonly summary: string;
  /** Under which the server describes its input. */
  readonly word: string;
}

let known: Promise<readonly OperationLine[]> | undefined;

/** Only what the person's role allows. */
export function useOperationLines(): readonly OperationLine[] {
  const may = useMayAll();
  const [lines, setLines] = useState<readonly OperationLine[]>([]);
  useEffect(() => {
    known ??= requestJson("/api/v1/commands").then(
      (given) => (given as { commands: readonly OperationLine[] }).commands,
    );
    known.then(setLines).catch(() => {
      // Without them the palette still finds and goes; the next time it is opened they are asked for again.
      known = undefined;
    });
  }, []);
  return lines.filter(({ permission }) => may(permission));
}
