/** `harvest`: an answer brought home. It is read, compared with the project, reviewed, and can be taken back. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  idField,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { getVisible, placeOf } from "../packet/find-packet.ts";
import { findPacketByName, type Packet } from "../packet/packets.ts";
import { getVisibleHarvest, placeOfHarvest, toDetail, toHead, toHeads } from "./harvest-output.ts";
import { acceptAll, review, reviewHint } from "./harvest-review-operations.ts";
import { harvestDetail, harvestList, readHarvest, undoneHarvest } from "./harvest-shape.ts";
import { HARVEST_STATES } from "./harvest-tables.ts";
import { renderHarvest, renderHarvestList, renderRead, renderUndone } from "./harvest-view.ts";
import { listHarvests, lockHarvest } from "./harvests.ts";
import { type GivenAnswer, proposeHarvest, readMatchingContext } from "./propose-harvest.ts";
import { readBlock } from "./reading/read-block.ts";
import { reviewHarvest } from "./review-harvest.ts";
import { undoHarvest } from "./undo-harvest.ts";

const read = defineOperation({
  name: "harvest.read",
  summary:
    "Reads an answer to a packet and proposes what to take from it: tasks, decisions, highlights.",
  effect: "writes",
  permission: "edit",
  projectScope: { packetId: placeOf },
  input: z.object({
    packetId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("The packet's id or name; what the answer's closing block names unless given."),
    answer: z
      .string()
      .max(1_000_000)
      .optional()
      .describe("The answer, as it was copied; that of the model it was sent to unless given."),
    acceptAll: z
      .boolean()
      .default(false)
      .describe("Accept everything at once, but for what contradicts a decision."),
  }),
  output: readHarvest,
  surfaces: {
    cli: {
      words: ["harvest"],
      positionals: ["packetId"],
      stdin: "answer",
      paste: ["harvest_no_answer", "harvest_packet_missing"],
      examples: [
        "harvest 0199a1b2-c3d4 < answer.md",
        "harvest 0199a1b2-c3d4 --accept-all < answer.md",
        "harvest < answer.md",
        "harvest 0199a1b2-c3d4",
      ],
      render: rendering(readHarvest, renderRead),
      review: reviewHint,
    },
    mcp: "core",
  },
  run: async (context, { packetId, answer, acceptAll: wantsAll }) => {
    const { kernel, caller } = context;
    const { packet, given } = await findAnswer(context, packetId, answer);
    await kernel.store.read(() => requireRight(caller, packet.projectId, "edit"));
    const { harvest, isNew } = await proposeHarvest(context, packet, given);
    const matching = readMatchingContext(kernel.library);
    const asOf = kernel.clock.now();
    if (!wantsAll) {
      const detail = await kernel.store.read(() => toDetail(harvest, { context: matching, asOf }));
      return { ...detail, isNew };
    }
    return change(context, function* (act) {
      const locked = yield* lockHarvest(harvest.id, caller);
      const done = yield* reviewHarvest(
        { harvest: locked, choices: "all", context: matching, nextId: () => kernel.ids.next() },
        act,
      );
      const accepted = done.accepted.map(({ number, made }) => ({ ...made, number }));
      const detail = yield* toDetail(done.harvest, { context: matching, asOf });
      return { ...detail, isNew, review: { accepted, lookAgain: [...done.lookAgain] } };
    });
  },
});

/** The words that were given, else those of the model that the packet was sent to. */
async function findAnswer(
  { kernel, caller }: OperationContext,
  packetId: string | undefined,
  answer: string | undefined,
): Promise<{ readonly packet: Packet; readonly given: GivenAnswer }> {
  const given = answer === undefined || answer.trim() === "" ? undefined : answer;
  const packet = await findPacket({ kernel, caller }, packetId, given);
  if (given !== undefined) return { packet, given: { text: given } };
  const { answer: text, runId, exchangeId } = packet;
  if (text !== undefined) return { packet, given: { text, runId, exchangeId } };
  throw new ProductError("harvest_no_answer", "There is no answer to read.", {
    hint: "Paste it: `harvest PACKET < answer.md`; or let a model answer: `packet send PACKET`.",
    details: { packetId: packet.id },
  });
}

function findPacket(
  { kernel, caller }: Pick<OperationContext, "kernel" | "caller">,
  packetId: string | undefined,
  answer: string | undefined,
): Promise<Packet> {
  return kernel.store.read(function* () {
    if (packetId !== undefined) return yield* getVisible(packetId, caller);
    const { packetName } = readBlock(answer ?? "", readMatchingContext(kernel.library).groups);
    const named = packetName && (yield* findPacketByName(packetName, caller));
    if (named) return named;
    throw new ProductError(
      "harvest_packet_missing",
      "The answer does not say which packet it answers.",
      {
        hint: "Name the packet: `harvest PACKET < answer.md`; `packet list` shows them.",
      },
    );
  });
}

const list = defineOperation({
  name: "harvest.list",
  summary: "Lists harvests, and what of each is still to be reviewed.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    packet: z.string().min(1).max(100).optional().describe("Only out of answers to this packet."),
    conversation: idField("conversation").optional().describe("Only out of this conversation."),
    state: z.enum(HARVEST_STATES).optional().describe("Only in this state."),
    order: orderField,
    ...pageFields,
  }),
  output: harvestList,
  surfaces: {
    cli: {
      examples: ["harvest list --state open"],
      render: rendering(harvestList, renderHarvestList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, packet, conversation, state, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listHarvests({
        ...page,
        viewer: caller,
        projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
        packetId: packet === undefined ? undefined : (yield* getVisible(packet, caller)).id,
        conversationId: yield* resolveOptional(conversation, (text) =>
          resolveId("conversation", text, caller),
        ),
        state,
      });
      return { items: [...(yield* toHeads(items))], nextCursor, asOf: kernel.clock.now() };
    }),
});

const harvestId = idField("harvest");

const show = defineOperation({
  name: "harvest.show",
  summary:
    "Shows a harvest: each candidate with its quote, what it is matched with and why, and what came of it.",
  effect: "reads",
  permission: "read",
  input: z.object({
    harvestId,
    number: z.int().min(1).optional().describe("Only this candidate."),
  }),
  output: harvestDetail,
  surfaces: {
    cli: {
      positionals: ["harvestId", "number"],
      examples: ["harvest show 0199a1b2-c3d4", "harvest show 0199a1b2-c3d4 3"],
      render: rendering(harvestDetail, renderHarvest),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const harvest = yield* getVisibleHarvest(input.harvestId, caller);
      return yield* toDetail(harvest, {
        context: readMatchingContext(kernel.library),
        asOf: kernel.clock.now(),
        number: input.number,
      });
    }),
});

const undo = defineOperation({
  name: "harvest.undo",
  summary:
    "Takes a whole harvest back: what it made goes, what it changed says again what it said. Refused where that has changed since.",
  effect: "writes",
  permission: "edit",
  projectScope: { harvestId: placeOfHarvest },
  input: z.object({ harvestId, because: becauseField, expectedVersion: expectedVersionField }),
  output: undoneHarvest,
  surfaces: {
    cli: {
      positionals: ["harvestId"],
      examples: ["harvest undo 0199a1b2-c3d4"],
      render: rendering(undoneHarvest, renderUndone),
    },
    mcp: "full",
  },
  run: (context, { because, expectedVersion, ...input }) =>
    change(
      context,
      function* (act) {
        const { id } = yield* getVisibleHarvest(input.harvestId, context.caller);
        const harvest = yield* lockHarvest(id, context.caller, expectedVersion);
        const { takenBack, gone, packetStatus, harvest: after } = yield* undoHarvest(harvest, act);
        return {
          harvestId: id,
          harvest: yield* toHead(after),
          takenBack: [...takenBack],
          gone: [...gone],
          packetStatus,
          asOf: act.now,
        };
      },
      because,
    ),
});

export const harvestOperations: readonly Operation[] = [read, list, show, review, acceptAll, undo];
