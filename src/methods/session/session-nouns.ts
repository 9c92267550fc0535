/** What sessions add to the program, by noun. Nothing is loaded before it is asked for. */

import type { IndexedNoun } from "../../kernel/operation/noun-index.ts";
import type { SessionPorts } from "./session-desk.ts";

export function sessionNouns(ports: () => Promise<SessionPorts>): readonly IndexedNoun[] {
  return [
    {
      name: "session",
      summary: "Prompts to agents, each with a checked trail in jj or git.",
      group: "Prove",
      load: async () => {
        const [{ sessionOperations }, { sessionReadOperations }] = await Promise.all([
          import("./session-operations.ts"),
          import("./session-read-operations.ts"),
        ]);
        const given = await ports();
        return [...sessionOperations(given), ...sessionReadOperations(given)];
      },
    },
    {
      name: "subject",
      summary: "What reports and strategies are about.",
      group: "Prove",
      load: async () => {
        const { subjectOperations } = await import("./subject-operations.ts");
        return subjectOperations(await ports());
      },
    },
  ];
}
