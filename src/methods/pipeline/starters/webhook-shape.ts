/** Webhooks as operations take and give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { showStarters, starterShape } from "./starter-shape.ts";
import type { WebhookTable } from "./starter-tables.ts";

export const webhookField = z
  .string()
  .min(1)
  .max(100)
  .describe("A webhook: its name, its id or a unique beginning of it.");

export const webhookShape = starterShape.extend({
  path: z.string().describe("Where deliveries are sent to, below the server's address."),
  secretPrint: z.string().describe("By which its secrets are told apart."),
  oldSecretUntil: z.number().optional().describe("Until then the secret before is good, too."),
  lastDeliveryAt: z.number().optional(),
  lastNote: z.string().optional().describe("Why the last delivery started nothing."),
});

export const webhookList = pageOf(webhookShape);

export const webhookDetail = webhookShape.extend({
  isKeyHere: z
    .boolean()
    .describe("False where the key that its secret was made with is not: nothing is let in then."),
  deliveries: z
    .array(z.object({ deliveryId: z.string(), runId: z.string(), receivedAt: z.number() }))
    .describe("The latest first."),
  asOf: asOfField,
});

export const webhookSecret = webhookShape.extend({
  secret: z.string().describe("The secret. It is not shown again."),
});

export const deliveredShape = z.object({
  runId: z.string(),
  isNew: z.boolean().describe("False when this delivery came before: nothing was started again."),
});

export const HOOKS = "/hooks/";

export function* showWebhooks(
  rows: readonly WebhookTable[],
): DatabaseWork<z.input<typeof webhookShape>[]> {
  return (yield* showStarters(rows)).map(({ row, ...shown }) => ({
    ...shown,
    path: HOOKS + row.id,
    secretPrint: row.secret_print,
    oldSecretUntil: row.old_secret_until ?? undefined,
    lastDeliveryAt: row.last_delivery_at ?? undefined,
    lastNote: row.last_note ?? undefined,
  }));
}
