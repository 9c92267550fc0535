/** Sending a packet straight to a model: the same path as the clipboard, without it. */

import { z } from "zod";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type OperationContext } from "../../../kernel/operation/operation.ts";
import { idField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { waitForRun } from "../../../kernel/operation/wait-for-run.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import { getVisible, placeOf } from "./find-packet.ts";
import { renderSent } from "./packet-view.ts";
import { getPacket, movePacket, rememberSending, requirePrompt } from "./packets.ts";
import { SEND_TURN, type SendInput } from "./send-packet.ts";
import { readableText, requireShowable } from "./shown-packets.ts";

export const sentPacket = z.object({
  packetId: z.string(),
  runId: z.string(),
  state: z.string(),
  exchangeId: z.string().optional(),
  answer: z.string().optional().describe("The whole reply, ready to be harvested."),
  reason: z.string().optional().describe("Why there is none."),
});

export const send = defineOperation({
  name: "packet.send",
  summary: "Sends a packet to a model and keeps its answer with it.",
  effect: "writes",
  permission: "run",
  projectScope: { packetId: placeOf },
  input: z.object({
    packetId: idField("packet"),
    model: z
      .string()
      .max(200)
      .optional()
      .describe("`provider/model`; the workspace's default unless given."),
    wait: z
      .boolean()
      .default(true)
      .describe(
        "Whether to wait for the answer; without, it comes back as soon as the run has started.",
      ),
  }),
  output: sentPacket,
  surfaces: {
    cli: {
      positionals: ["packetId"],
      examples: ["packet send 0199a1b2-c3d4", "packet send 0199a1b2-c3d4 --model openai/gpt-5"],
      render: rendering(sentPacket, renderSent),
      outcome: (output) => outcomeOf(sentPacket.parse(output).state),
      follow: {
        stream: "runId",
        until: { "run.completed": "ok", "run.held": "waiting", "run.failed": "internal" },
      },
    },
    mcp: "full",
  },
  run: async (context, { packetId, model, wait }) => {
    const { kernel, signal, report, caller } = context;
    const started = await start(context, packetId, model);
    if (!wait) return { ...started, state: "queued" };
    report({ message: "Sent. Waiting for the answer…" });
    const { state, reason } = await waitForRun(kernel, started.runId, signal);
    const answered = await kernel.store.read(function* () {
      const { runId, exchangeId, answer, projectId } = yield* getPacket(started.packetId, caller);
      if (runId !== started.runId || answer === undefined) return {};
      return { exchangeId, answer: yield* readableText(projectId, answer) };
    });
    return { ...started, state, ...answered, reason };
  },
});

async function start(
  context: OperationContext,
  given: string,
  wanted: string | undefined,
): Promise<{ readonly packetId: string; readonly runId: string }> {
  const { kernel, caller } = context;
  const model = wanted ?? (await kernel.models.defaultModel());
  // Unknown models are refused here, before anything is written.
  await kernel.models.find(model);
  const started = await change(context, function* (act) {
    const packet = yield* getVisible(given, caller);
    yield* requireShowable(packet, requirePrompt(packet));
    if (packet.status === "drafted") yield* movePacket(packet.id, "copied", act);
    const input: SendInput = { packetId: packet.id, model };
    const runId = yield* startRun(
      kernel.engine,
      {
        method: "continuity",
        title: `Packet ${packet.name} to ${model}`,
        input,
        jobs: [{ key: "send", handler: SEND_TURN, step: "send", input }],
      },
      { projectId: packet.projectId ?? null, startedBy: caller.userId },
      act.now,
    );
    yield* rememberSending(packet.id, runId, act);
    return { packetId: packet.id, runId };
  });
  kernel.wake();
  return started;
}

function outcomeOf(state: string): "ok" | "waiting" | "internal" {
  if (state === "completed" || state === "queued") return "ok";
  return state === "held" || state === "paused" ? "waiting" : "internal";
}
