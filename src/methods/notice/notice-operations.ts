/** `notice`: other programs are told when a run has finished, waits for a person, or has reached a budget. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  asOfField,
  becauseField,
  expectedVersionField,
  idField,
  projectField,
  titleField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { onlyOne, resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { blocks, fieldLines, table } from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { latestCursor } from "../../kernel/store/events.ts";
import { resolveIdAmong } from "../../kernel/store/resolve-id.ts";
import { NOTICE_KINDS } from "./notice-message.ts";
import {
  deleteNotice,
  getNotice,
  insertNotice,
  listMessages,
  listNotices,
  sendAgain,
  updateNotice,
} from "./notice-rows.ts";
import type { NoticeMessageTable, NoticeTable } from "./notice-tables.ts";
import { type FindKey, noticeSecret } from "./sign-message.ts";

const noticeShape = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  on: z.array(z.enum(NOTICE_KINDS)).readonly(),
  projectId: z.string().optional(),
  isEnabled: z.boolean(),
  version: z.number(),
  createdAt: z.number(),
});

const messageShape = z.object({
  id: z.string().describe("What the receiver sees as `webhook-id`, however often it is sent."),
  kind: z.enum(NOTICE_KINDS),
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.number(),
  nextAt: z.number().optional(),
  lastStatus: z.number().optional(),
  lastNote: z.string().optional(),
  createdAt: z.number(),
});

const noticeSecretShape = noticeShape.extend({
  secret: z.string().describe("What messages are signed with. It is not shown again."),
});
const noticeList = z.object({ items: z.array(noticeShape), asOf: asOfField });
const noticeDetail = z.object({
  notice: noticeShape,
  messages: z.array(messageShape).describe("The newest 20."),
  asOf: asOfField,
});

const SHOWN = 20;

const urlField = z
  .url()
  .max(2000)
  .describe("Where messages are sent: https, or http on this machine.");
const onField = z
  .array(z.enum(NOTICE_KINDS))
  .min(1)
  .describe("What to tell of: run.finished, run.waiting (for a person), budget.reached.");
const noticeId = idField("notice").describe("The notice's name, id, or a unique beginning of it.");
const aimed = { noticeId, because: becauseField, expectedVersion: expectedVersionField };

export function noticeOperations(findKey: FindKey): readonly Operation[] {
  const add = defineOperation({
    name: "notice.add",
    isAnswerSecret: true,
    summary:
      "Tells another program when a run has finished, waits for a person or reached a budget.",
    effect: "writes",
    permission: "administer",
    projectScope: { project: "project" },
    input: z.object({
      url: urlField,
      on: onField.default([...NOTICE_KINDS]),
      name: titleField.max(200).optional().describe("What you call it; the address unless given."),
      project: projectField.optional().describe("Only of this project."),
    }),
    output: noticeSecretShape,
    surfaces: {
      cli: {
        positionals: ["url"],
        examples: ["notice add https://example.org/hooks/throughline --on run.waiting"],
        render: rendering(noticeSecretShape, renderSecret),
      },
      mcp: "none",
    },
    run: async (context, { url, on, name, project }) => {
      requireSafe(url);
      const { kernel, caller } = context;
      const id = kernel.ids.next();
      const secret = noticeSecret(await findKey(), id, 1);
      return change(context, function* (act) {
        const row = yield* insertNotice(
          {
            id,
            name: name ?? url,
            url,
            kinds: JSON.stringify(on),
            project_id:
              (yield* resolveOptional(project, (text) => resolveProject(text, caller))) ?? null,
            // What was before it is not told.
            cursor: yield* latestCursor(kernel.store.dialect),
          },
          act,
        );
        return { ...toShape(row), secret };
      });
    },
  });

  const rotate = defineOperation({
    name: "notice.rotate",
    isAnswerSecret: true,
    summary: "Signs a notice's messages with another secret from now on.",
    effect: "writes",
    permission: "administer",
    input: z.object(aimed),
    output: noticeSecretShape,
    surfaces: {
      cli: { positionals: ["noticeId"], render: rendering(noticeSecretShape, renderSecret) },
      mcp: "none",
    },
    run: async (context, given) => {
      const key = await findKey();
      return change(
        context,
        function* (act) {
          const before = yield* find(given.noticeId);
          const version = before.secret_version + 1;
          const told = { verb: "rotated", expectedVersion: given.expectedVersion };
          const row = yield* updateNotice(before.id, { secret_version: version }, act, told);
          return { ...toShape(row), secret: noticeSecret(key, row.id, version) };
        },
        given.because,
      );
    },
  });
  return [add, rotate, list, show, update, redeliver, remove];
}

const list = defineOperation({
  name: "notice.list",
  summary: "Lists which programs are told of what.",
  effect: "reads",
  permission: "administer",
  input: z.object({}),
  output: noticeList,
  surfaces: { cli: { render: rendering(noticeList, renderList) }, mcp: "none" },
  run: ({ kernel }) =>
    kernel.store.read(function* () {
      return { items: (yield* listNotices()).map(toShape), asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "notice.show",
  summary: "Shows a notice with its newest messages and what became of them.",
  effect: "reads",
  permission: "administer",
  input: z.object({ noticeId }),
  output: noticeDetail,
  surfaces: {
    cli: { positionals: ["noticeId"], render: rendering(noticeDetail, renderDetail) },
    mcp: "none",
  },
  run: ({ kernel }, given) =>
    kernel.store.read(function* () {
      const row = yield* find(given.noticeId);
      const messages = (yield* listMessages(row.id, SHOWN)).map(toMessage);
      return { notice: toShape(row), messages, asOf: kernel.clock.now() };
    }),
});

const update = defineOperation({
  name: "notice.update",
  summary: "Changes where a notice goes and of what, or switches it off and on.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    ...aimed,
    url: urlField.optional(),
    on: onField.optional(),
    name: titleField.max(200).optional().describe("What you call it."),
    enabled: z
      .boolean()
      .optional()
      .describe("Off, it still collects nothing; on, it goes on from then."),
  }),
  output: noticeShape,
  surfaces: {
    cli: {
      positionals: ["noticeId"],
      examples: ["notice update 0199a1b2-c3d4 --no-enabled"],
      render: rendering(noticeShape, ({ name }) => doneLine(`Changed the notice ${name}.`)),
    },
    mcp: "none",
  },
  run: async (context, { noticeId: given, url, on, name, enabled, because, expectedVersion }) => {
    if (url !== undefined) requireSafe(url);
    const { dialect } = context.kernel.store;
    return change(
      context,
      function* (act) {
        const before = yield* find(given);
        const isBack = enabled === true && before.is_enabled === 0;
        const patch = {
          ...(url === undefined ? {} : { url }),
          ...(on === undefined ? {} : { kinds: JSON.stringify(on) }),
          ...(name === undefined ? {} : { name }),
          ...(enabled === undefined ? {} : { is_enabled: enabled ? 1 : 0 }),
          ...(isBack ? { cursor: yield* latestCursor(dialect) } : {}),
        };
        return toShape(yield* updateNotice(before.id, patch, act, { expectedVersion }));
      },
      because,
    );
  },
});

const redeliver = defineOperation({
  name: "notice.redeliver",
  summary: "Sends a message again from the first try on, under the same id.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    noticeId,
    message: z.string().min(1).max(100).describe("The message's id; `notice show` lists them."),
  }),
  output: noticeDetail,
  surfaces: {
    cli: { positionals: ["noticeId", "message"], render: rendering(noticeDetail, renderDetail) },
    mcp: "none",
  },
  run: async (context, { noticeId: given, message }) =>
    change(context, function* (act) {
      const row = yield* find(given);
      yield* sendAgain(row.id, message, act.now);
      const messages = (yield* listMessages(row.id, SHOWN)).map(toMessage);
      return { notice: toShape(row), messages, asOf: act.now };
    }),
});

const remove = defineOperation({
  name: "notice.delete",
  summary: "Tells that program nothing any more, and forgets its messages.",
  effect: "destroys",
  permission: "administer",
  input: z.object(aimed),
  output: z.object({ id: z.string() }),
  surfaces: { cli: { positionals: ["noticeId"] }, mcp: "none" },
  run: async (context, { noticeId: given, because, expectedVersion }) =>
    change(
      context,
      function* (act) {
        const { id } = yield* find(given);
        yield* deleteNotice(id, act, expectedVersion);
        return { id };
      },
      because,
    ),
});

/** By its name, its id or a unique beginning of it. */
function* find(given: string): DatabaseWork<NoticeTable> {
  const named = (yield* listNotices()).filter(({ name }) => name === given);
  const byId = () => resolveIdAmong("notice", given, undefined);
  return yield* getNotice(yield* onlyOne("notice", given, named, byId));
}

/** What is signed can still be read on the way; and nobody is to be sent to odd places. */
function requireSafe(text: string): void {
  const { protocol, hostname, username, password } = new URL(text);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const isPlain = username === "" && password === "";
  if (isPlain && (protocol === "https:" || (protocol === "http:" && isHere))) return;
  throw new ProductError("notice_url_refused", "Messages are not sent to such an address.", {
    hint: "Use https (http only on this machine), without a name and password in it.",
  });
}

function toShape(row: NoticeTable): z.input<typeof noticeShape> {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    on: JSON.parse(row.kinds) as z.input<typeof noticeShape>["on"],
    projectId: row.project_id ?? undefined,
    isEnabled: row.is_enabled === 1,
    version: row.version,
    createdAt: row.created_at,
  };
}

function toMessage(row: NoticeMessageTable): z.input<typeof messageShape> {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    attempts: row.attempts,
    nextAt: row.next_at ?? undefined,
    lastStatus: row.last_status ?? undefined,
    lastNote: row.last_note ?? undefined,
    createdAt: row.created_at,
  };
}

function renderSecret({ name, secret, on }: z.output<typeof noticeSecretShape>): string {
  return blocks(
    doneLine(`${name} is told of ${on.join(", ")}.`),
    `Secret ${secret}\nIt is not shown again: messages are signed with it as Standard Webhooks has it.`,
  );
}

function renderList({ items }: z.output<typeof noticeList>): string {
  if (items.length === 0) return "No program is told of anything. Add one with `notice add URL`.";
  const ids = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID" },
    { title: "NAME", width: 40 },
    { title: "TOLD OF" },
    { title: "STATE" },
  ];
  return table(
    columns,
    items.map(({ id, name, on, isEnabled }) => [
      ids(id),
      name,
      on.join(", "),
      isEnabled ? "on" : "off",
    ]),
  );
}

function renderDetail({ notice, messages, asOf }: z.output<typeof noticeDetail>): string {
  const head = fieldLines([
    ["Name", notice.name],
    ["Address", notice.url],
    ["Told of", notice.on.join(", ")],
    ["State", notice.isEnabled ? "on" : "off"],
  ]);
  const columns = [
    { title: "MESSAGE" },
    { title: "KIND" },
    { title: "STATE" },
    { title: "TRIES" },
    { title: "MADE" },
    { title: "NOTE", width: 40 },
  ];
  const rows = messages.map((message) => [
    message.id,
    message.kind,
    message.state,
    String(message.attempts),
    timeAgo(message.createdAt, asOf),
    message.lastNote ?? "",
  ]);
  return blocks(head, messages.length === 0 ? "No messages yet." : table(columns, rows));
}
