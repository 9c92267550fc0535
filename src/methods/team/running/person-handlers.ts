/** A member that stands for a person writes by the inbox; what is handed in passes the same gates. */

import { z } from "zod";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { buildEnvelope } from "../envelope/build-envelope.ts";
import { directiveText } from "../envelope/activity-parts.ts";
import { callOf } from "../envelope/reply-contract.ts";
import { loadTeam } from "../state/team-rows.ts";
import { givenAnswer } from "./halts.ts";
import { toJson } from "./team-effects.ts";
import { callInput, keep } from "./turn-handler.ts";

export const ASK_PERSON = "team.ask-person";
const HANDED_IN = "team.handed-in";

export const askPersonHandler: MoveHandler = {
  kind: "move",
  name: ASK_PERSON,
  *decide(job) {
    const input = callInput.parse(job.input);
    const state = yield* loadTeam(job.runId);
    const envelope = buildEnvelope(state, input);
    const { directive, products = [] } = envelope.payload;
    const [product] = products;
    const userId = state.members.find(({ id }) => id === input.memberId)?.userId;
    return {
      waits: [
        {
          key: `write ${input.target ?? ""}`,
          kind: "team.write",
          title: `Write ${product?.name ?? input.target ?? ""}`,
          reason: directive === undefined ? "" : directiveText(directive, ""),
          evidence: toJson(product === undefined ? [] : [{ product }]) as never,
          form: [
            {
              name: "content",
              label: "The whole product as it now reads",
              type: "longtext",
              required: true,
              initial: product?.currentVersion?.content ?? "",
            },
            { name: "changeSummary", label: "What changed, and why", type: "text", required: true },
            {
              name: "reflectionNote",
              label: "What you would look at next",
              type: "text",
              required: false,
            },
          ],
          answers: ["hand_in", "skip"],
          ...(userId === null || userId === undefined ? {} : { assigneeId: userId }),
          followUp: {
            key: `${job.key}:handed-in`,
            handler: HANDED_IN,
            step: "write",
            input: toJson({ ...input, key: job.key }),
            staysInBatch: true,
          },
        },
      ],
    };
  },
};

export const handedInHandler: MoveHandler = {
  kind: "move",
  name: HANDED_IN,
  *decide(job) {
    const input = callInput.extend({ key: z.string(), answer: givenAnswer }).parse(job.input);
    if (input.answer.choice === "skip") return {};
    const envelope = buildEnvelope(yield* loadTeam(job.runId), input);
    const { fields } = input.answer;
    const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
    const version = {
      productId: envelope.payload.directive?.productId,
      content: text("content"),
      changeSummary: text("changeSummary"),
      lastDirectiveId: input.target,
      reflectionNote: text("reflectionNote") || text("changeSummary"),
      addressed: [],
      trace: [input.target],
    };
    return keep({ key: input.key }, callOf(envelope, null), { versions: [version] });
  },
};
