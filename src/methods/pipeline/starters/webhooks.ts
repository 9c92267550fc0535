/** Webhooks as rows, and what they have let in. */

import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import {
  type Act,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  touchRow,
  updateAudited,
} from "../../../kernel/store/audited-rows.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import type { ChosenWorkflow } from "./started-workflow.ts";
import { WEBHOOKS } from "./starter-migration.ts";
import { starters, type WebhookDeliveryTable, type WebhookTable } from "./starter-tables.ts";

export interface NewWebhook extends ChosenWorkflow {
  readonly id: string;
  readonly name: string;
  readonly secret_print: string;
}

export function* insertWebhook(webhook: NewWebhook, act: Act): DatabaseWork<WebhookTable> {
  const row = {
    ...webhook,
    is_enabled: 1,
    secret_version: 1,
    old_secret_until: null,
    last_delivery_at: null,
    last_note: null,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return yield* insertAudited(WEBHOOKS, row, act, { projectId: row.project_id });
}

export type WebhookPatch = Partial<
  Pick<WebhookTable, "is_enabled" | "secret_version" | "secret_print" | "old_secret_until"> &
    Omit<NewWebhook, "id">
>;

export function* updateWebhook(
  id: string,
  patch: WebhookPatch,
  act: Act,
  { verb, expectedVersion }: { verb?: string; expectedVersion?: number | undefined } = {},
): DatabaseWork<WebhookTable> {
  const before = yield* getForChange(WEBHOOKS, id);
  checkVersion("webhook", before, expectedVersion);
  const projectId = patch.project_id === undefined ? before.project_id : patch.project_id;
  return yield* updateAudited(WEBHOOKS, before, patch, act, { projectId, verb });
}

/** Takes along what it remembers of its deliveries; the runs stay. */
export function* deleteWebhook(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const before = yield* getForChange(WEBHOOKS, id);
  checkVersion("webhook", before, expectedVersion);
  yield* deleteAudited(WEBHOOKS, before, act, { projectId: before.project_id });
}

export function* findWebhook(id: string): DatabaseWork<WebhookTable | undefined> {
  return yield* queryFirst(starters.selectFrom("webhook").selectAll().where("id", "=", id));
}

export function* getWebhook(id: string): DatabaseWork<WebhookTable> {
  const row = yield* findWebhook(id);
  if (row === undefined) throw notFound("webhook", id);
  return row;
}

export function* listDeliveries(
  webhookId: string,
  limit: number,
): DatabaseWork<readonly WebhookDeliveryTable[]> {
  return yield* query(
    starters
      .selectFrom("webhook_delivery")
      .selectAll()
      .where("webhook_id", "=", webhookId)
      .orderBy("received_at", "desc")
      .orderBy("key", "desc")
      .limit(limit),
  );
}

/** The run that this delivery has started before. Something else under the same name is refused. */
export function* findDelivery(
  webhookId: string,
  key: string,
  bodyHash: string,
): DatabaseWork<string | undefined> {
  const known = yield* queryFirst(
    starters
      .selectFrom("webhook_delivery")
      .select(["run_id", "body_hash"])
      .where("webhook_id", "=", webhookId)
      .where("key", "=", key),
  );
  if (known === undefined || known.body_hash === bodyHash) return known?.run_id;
  throw new ProductError(
    "delivery_id_reused",
    `The delivery "${key}" came before and was another.`,
    {
      kind: "conflict",
      hint: "Every delivery needs an id of its own.",
    },
  );
}

export function* insertDelivery(delivery: WebhookDeliveryTable): DatabaseWork<void> {
  yield* execute(starters.insertInto("webhook_delivery").values(delivery));
  const { webhook_id, received_at } = delivery;
  yield* touchRow(WEBHOOKS, webhook_id, { last_delivery_at: received_at, last_note: null });
}

export function* noteRefusal(id: string, note: string): DatabaseWork<void> {
  yield* touchRow(WEBHOOKS, id, { last_note: note });
}
