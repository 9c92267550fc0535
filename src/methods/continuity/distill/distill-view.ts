/** What came out of a conversation, on a terminal. */

import type { z } from "zod";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { blocks, count, section } from "../../../kernel/operation/terminal-text.ts";
import { candidateTable, nextLines } from "../harvest/harvest-view.ts";
import type { distilled } from "./distill-operations.ts";

export function renderDistilled(result: z.output<typeof distilled>): string {
  const { runId, state, reason, harvest, candidates, windows, dropped } = result;
  if (state !== "completed") {
    const why = reason === undefined ? "" : `: ${reason}`;
    return blocks(
      `The run is ${state}${why}`,
      `See what it needs: throughline inbox list\nLook at it:        throughline run show ${shortId(runId)}`,
    );
  }
  const parts = windows === 1 ? "" : `, read in ${windows} parts`;
  if (harvest === undefined) {
    const why = dropped === 0 ? "" : ` ${count(dropped, "proposal")} quoted what was not said.`;
    return `Nothing in this conversation was found worth keeping${parts}.${why}`;
  }
  const { notes } = harvest;
  const open = candidates.filter(({ status }) => status === "proposed");
  return blocks(
    doneLine(`Harvest ${shortId(harvest.id)}: ${count(candidates.length, "candidate")}${parts}.`),
    section("About the reading:", notes.length === 0 ? undefined : notes.join("\n")),
    candidateTable(candidates),
    open.length === 0 ? undefined : nextLines(harvest, open),
  );
}
