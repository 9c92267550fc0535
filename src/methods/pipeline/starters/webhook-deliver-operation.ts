/** One delivery of a webhook: what it starts, once. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { hashJson } from "../../../kernel/base/hash.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { lockName } from "../../../kernel/store/lock-name.ts";
import { RUN_FOLLOWED } from "../running/run-followed.ts";
import { startFrom } from "./started-workflow.ts";
import { placeOfStarter, resolveStarter } from "./starter-rows.ts";
import type { WebhookTable } from "./starter-tables.ts";
import { deliveredShape, webhookField } from "./webhook-shape.ts";
import { findDelivery, getWebhook, insertDelivery } from "./webhooks.ts";

/** What comes in through the door is carried out by this; by hand it tries a webhook out. */
export const deliverWebhook: Operation = defineOperation({
  name: "webhook.deliver",
  summary:
    "Starts what a webhook starts, as if this body had come in signed; the same delivery once.",
  effect: "writes",
  permission: "run",
  projectScope: { webhookId: placeOfStarter("webhook") },
  input: z.object({
    webhookId: webhookField,
    body: jsonValue.describe("What is sent: a JSON object; anything else becomes its `body`."),
    deliveryId: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe("The same id starts nothing twice; a fresh one unless given."),
    event: z
      .string()
      .max(100)
      .optional()
      .describe("What it is about: `webhookEvent` in the input."),
  }),
  output: deliveredShape,
  surfaces: {
    cli: {
      positionals: ["webhookId"],
      stdin: "body",
      follow: RUN_FOLLOWED,
      examples: ['webhook deliver "GitHub pushes" --body \'{"prNumber": 7}\' --follow'],
      render: rendering(deliveredShape, ({ runId, isNew }) =>
        isNew
          ? doneLine(`Started run ${shortId(runId)}.`)
          : `This delivery came before and has started run ${shortId(runId)}.`,
      ),
    },
    mcp: "full",
  },
  run: async (context, { webhookId, body, event, deliveryId = context.kernel.ids.next() }) => {
    const { kernel, caller } = context;
    const model = await kernel.models.defaultModel();
    const tools = { engine: kernel.engine, library: kernel.library, model };
    const given = typeof body === "string" ? tryJson(body) : body;
    const delivered = await change(context, function* ({ now }) {
      const row = yield* getWebhook(yield* resolveStarter("webhook", webhookId, caller));
      if (row.is_enabled === 0) throw disabled(row);
      // Two of the same at the same moment: the second finds what the first has started.
      yield* lockName(`webhook ${row.id} ${deliveryId}`);
      const bodyHash = hashJson(given);
      const before = yield* findDelivery(row.id, deliveryId, bodyHash);
      if (before !== undefined) return { runId: before, isNew: false };
      const acting = { ...row, runs_as: caller.userId };
      const runId = yield* startFrom(tools, acting, inputOf(row, given, event), now);
      yield* insertDelivery({
        webhook_id: row.id,
        key: deliveryId,
        body_hash: bodyHash,
        run_id: runId,
        received_at: now,
      });
      return { runId, isNew: true };
    });
    kernel.wake();
    return delivered;
  },
});

function inputOf({ input }: WebhookTable, body: Json, event: string | undefined): JsonObject {
  return {
    ...(JSON.parse(input) as JsonObject),
    ...(event === undefined ? {} : { webhookEvent: event }),
    ...(isJsonObject(body) ? body : { body }),
  };
}

/** A terminal gives text; text that is no JSON stands for itself. */
function tryJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function disabled({ name }: WebhookTable): ProductError {
  return new ProductError("webhook_disabled", `The webhook "${name}" lets nothing in.`, {
    kind: "conflict",
    hint: "`webhook enable` opens it.",
  });
}
