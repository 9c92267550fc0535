/** The event log: who did what, when. Live following is a surface's business; these are its pages. */

import { z } from "zod";
import { momentInput, pastMomentOf } from "../../kernel/operation/moment-text.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  orderField,
  pageFields,
  projectField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../kernel/operation/resolve-names.ts";
import { listVisibleEvents } from "./event-rows.ts";
import { eventList } from "./run-shape.ts";
import { renderEvents } from "./run-view.ts";

const list = defineOperation({
  name: "event.list",
  summary: "Lists what happened, as far as you may see it.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only in this project."),
    stream: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("Only of this stream: a whole run id, project id, or `workspace`."),
    actor: userField.optional().describe("Only by this person or agent; `engine` for the engine."),
    types: z
      .array(z.string().regex(/^[a-z_]+(?:\.[a-z_]+)?$/, "must be like task or task.created"))
      .max(50)
      .optional()
      .describe("Only of these types (task.created) or nouns (task)."),
    since: momentInput
      .optional()
      .describe("Only since this moment, or within this time until now (2h, 7d)."),
    order: orderField,
    ...pageFields,
  }),
  output: eventList,
  surfaces: {
    cli: {
      examples: ["event list --since 24h", "event list --project Tidepool --types decision"],
      render: rendering(eventList, renderEvents),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, actor, since, ...rest }) =>
    kernel.store.read(function* () {
      const now = kernel.clock.now();
      const page = yield* listVisibleEvents(
        kernel.store.dialect,
        {
          ...rest,
          projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
          actor:
            actor === "engine"
              ? "engine"
              : yield* resolveOptional(actor, (text) => resolveUser(text, caller)),
          since: since === undefined ? undefined : pastMomentOf(since, now),
        },
        caller,
      );
      return { ...page, asOf: now };
    }),
});

export const eventOperations: readonly Operation[] = [list];
