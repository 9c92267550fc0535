/** `packet`: a project's state as a prompt to carry elsewhere, from the first preview to the answer. */

import { z } from "zod";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import {
  asOfField,
  becauseField,
  expectedVersionField,
  idField,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { getVisible, placeOf } from "./find-packet.ts";
import { intentPrompts } from "./intent-prompts.ts";
import { makePacket } from "./make-packet.ts";
import { choices } from "./packet-choices-operation.ts";
import { diff } from "./packet-diff-operation.ts";
import { toCuts, toHeadOf, toHeads, toLedger, toWishes, toWords } from "./packet-output.ts";
import { send } from "./packet-send-operation.ts";
import {
  compiledPacket,
  packetDetail,
  packetHead,
  packetList,
  packetRequest,
  previewedPacket,
} from "./packet-shape.ts";
import { PACKET_STATUSES } from "./packet-tables.ts";
import { renderCompiled, renderPacket, renderPacketList, renderPreview } from "./packet-view.ts";
import { insertPacket, listPackets, movePacket, requirePrompt } from "./packets.ts";
import { readableText, readableWords, requireShowable } from "./shown-packets.ts";

const compile = defineOperation({
  name: "packet.compile",
  summary:
    "Compiles what a project knows into one bounded prompt, from a project, a task or a decision.",
  effect: "writes",
  permission: "edit",
  input: packetRequest,
  output: compiledPacket,
  surfaces: {
    cli: {
      positionals: ["originType", "originId"],
      examples: [
        "packet compile project Tidepool --intent generate_next_actions --target-tool claude",
        "packet compile decision 0199a1b2-c3d4 --budget 5000 --ban highlight:0199a1b2-e5f6",
        'packet compile project Tidepool --intent custom --custom-intent "What would you cut?"',
      ],
      render: rendering(compiledPacket, renderCompiled),
    },
    http: { alias: { method: "POST", path: "/api/start-chat/generate" } },
    mcp: "core",
    prompts: intentPrompts,
  },
  run: async (context, request) => {
    const { kernel, caller } = context;
    const made = await makePacket(kernel, caller, request, "edit");
    const { originType, originId, originSource, projectId, title, intent, budget, wishes } = made;
    const packet = await change(context, (act) =>
      insertPacket(
        {
          id: kernel.ids.next(),
          originType,
          originId,
          originSource,
          projectId,
          title,
          intent: intent?.slug,
          customIntent: intent?.request,
          targetTool: request.targetTool,
          budget,
          wishes,
          compiled: made.compiled,
        },
        act,
      ),
    );
    return {
      ...toWords(made),
      packetId: packet.id,
      title,
      intentLabel: intent?.label,
      targetLabel: made.target.label,
      openUrl: made.target.url,
    };
  },
});

const preview = defineOperation({
  name: "packet.preview",
  summary:
    "Shows what a packet would say, with everything that is in and out and why; nothing is kept.",
  effect: "reads",
  permission: "read",
  input: packetRequest,
  output: previewedPacket,
  surfaces: {
    cli: {
      positionals: ["originType", "originId"],
      examples: ["packet preview project Tidepool --intent generate_next_actions --budget 4000"],
      render: rendering(previewedPacket, renderPreview),
    },
    mcp: "full",
  },
  run: async ({ kernel, caller }, request) => {
    const made = await makePacket(kernel, caller, request, "read");
    return {
      ...toWords(made),
      title: made.title,
      intentLabel: made.intent?.label,
      targetLabel: made.target.label,
      ledger: toLedger(made.compiled.prompt.ledger),
    };
  },
});

const list = defineOperation({
  name: "packet.list",
  summary: "Lists packets and where each stands.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    origin: z.string().min(1).max(100).optional().describe("Only those started from this id."),
    status: z.array(z.enum(PACKET_STATUSES)).optional().describe("Only in these states."),
    order: orderField,
    ...pageFields,
  }),
  output: packetList,
  surfaces: {
    cli: {
      examples: ["packet list --project Tidepool --status copied"],
      render: rendering(packetList, renderPacketList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, origin, status, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listPackets({
        ...page,
        viewer: caller,
        projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
        originId: origin,
        statuses: status,
      });
      return { items: [...(yield* toHeads(items))], nextCursor, asOf: kernel.clock.now() };
    }),
});

const packetId = idField("packet");

const show = defineOperation({
  name: "packet.show",
  summary:
    "Shows a packet: its text, what it shows and why, what was cut, and the answer if one came.",
  effect: "reads",
  permission: "read",
  input: z.object({ packetId }),
  output: packetDetail,
  surfaces: {
    cli: {
      positionals: ["packetId"],
      examples: ["packet show 0199a1b2-c3d4"],
      render: rendering(packetDetail, renderPacket),
    },
    mcp: "full",
    resource: {
      title: "Packets",
      key: "packetId",
      text: "promptText",
      list: { operation: "packet.list", name: "title" },
    },
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const packet = yield* getVisible(input.packetId, caller);
      const { projectId, prompt, answer } = packet;
      const words = prompt && (yield* readableWords(projectId, prompt));
      return {
        packet: yield* toHeadOf(packet),
        promptText: words?.text,
        contextRefs: words?.contextRefs ?? [],
        isTruncated: prompt?.marker === "shown",
        cuts: toCuts(words?.cuts ?? [], words?.ledger ?? []),
        ledger: toLedger(words?.ledger ?? []),
        answer: answer === undefined ? undefined : yield* readableText(projectId, answer),
        isMasked: words?.isMasked ?? false,
        pin: toWishes(packet.wishes.pins),
        ban: toWishes(packet.wishes.bans),
        asOf: kernel.clock.now(),
      };
    }),
});

const copied = z.object({ promptText: z.string(), packet: packetHead });

const copy = defineOperation({
  name: "packet.copy",
  summary: "Gives a packet's text to carry it elsewhere, and notes that it was copied.",
  effect: "writes",
  permission: "edit",
  projectScope: { packetId: placeOf },
  input: z.object({ packetId }),
  output: copied,
  surfaces: {
    cli: {
      positionals: ["packetId"],
      examples: ["packet copy 0199a1b2-c3d4 | pbcopy"],
      render: rendering(copied, ({ promptText }) => promptText),
    },
    mcp: "full",
  },
  run: (context, input) =>
    change(context, function* (act) {
      const packet = yield* getVisible(input.packetId, context.caller);
      const { text } = yield* requireShowable(packet, requirePrompt(packet));
      // Whatever came of it since, it may be copied again.
      const after =
        packet.status === "drafted" ? yield* movePacket(packet.id, "copied", act) : packet;
      return { promptText: text, packet: yield* toHeadOf(after) };
    }),
});

const abandoned = z.object({ packet: packetHead, asOf: asOfField });

const abandon = defineOperation({
  name: "packet.abandon",
  summary: "Notes that no answer to a packet will be taken back.",
  effect: "writes",
  permission: "edit",
  projectScope: { packetId: placeOf },
  input: z.object({ packetId, because: becauseField, expectedVersion: expectedVersionField }),
  output: abandoned,
  surfaces: {
    cli: {
      positionals: ["packetId"],
      render: rendering(abandoned, ({ packet }) =>
        doneLine(`Abandoned packet ${shortId(packet.id)} "${packet.title}".`),
      ),
    },
    mcp: "full",
  },
  run: (context, { because, expectedVersion, ...input }) =>
    change(
      context,
      function* (act) {
        const { id } = yield* getVisible(input.packetId, context.caller);
        const packet = yield* movePacket(id, "abandoned", act, { expectedVersion });
        return { packet: yield* toHeadOf(packet), asOf: act.now };
      },
      because,
    ),
});

export const packetOperations: readonly Operation[] = [
  choices,
  compile,
  preview,
  list,
  show,
  diff,
  copy,
  send,
  abandon,
];
