/** A join without a prompt: its output is what it brings together, written where it is kept and nowhere else. */

import * as z from "zod";
import type { EffectKind, MoveHandler } from "../../../kernel/run/handler.ts";
import { execute } from "../../../kernel/store/database-work.ts";
import { aggregatedOf } from "./aggregate.ts";
import { COLLECT } from "./begin-job.ts";
import { isOpen, loadVisit } from "./load-visit.ts";
import { moveTask } from "./move-task.ts";
import { nextLook } from "./next-look.ts";
import { running } from "./run-tables.ts";

const COLLECTED = "pipeline.collected";
const visitInput = z.object({ visitId: z.string() });

export const collectHandler: MoveHandler = {
  kind: "move",
  name: COLLECT,
  *decide(job) {
    const { visitId } = visitInput.parse(job.input);
    if (!isOpen(yield* loadVisit(visitId))) return {};
    return {
      effects: [{ key: `collected:${visitId}`, kind: COLLECTED, data: { visitId } }],
      jobs: [yield* nextLook(job.runId)],
    };
  },
};

export const collectedEffect: EffectKind = {
  kind: COLLECTED,
  *apply({ data, now }) {
    const { visitId } = visitInput.parse(data);
    const { run, row } = yield* loadVisit(visitId);
    const output = yield* aggregatedOf(run, row);
    yield* execute(
      running.updateTable("step_visit").set({ outcome: "completed" }).where("id", "=", visitId),
    );
    yield* moveTask({ id: visitId, status: "in_progress", output }, now);
  },
};
