/** The decision packet: the stance, the decision with the project around it, and the request to put it to the test. */

import type { Layout, Part } from "../../../kernel/prompt/part.ts";
import { intentPiece } from "./intents.ts";
import type { DecisionMaterial } from "./packet-material.ts";
import {
  byImportance,
  leftOutOf,
  noteOf,
  type OfferedPart,
  type PacketAsk,
  type PacketPlan,
  pinnedParts,
  required,
  section,
} from "./packet-plan.ts";
import { isReadable, pieceOf } from "./source-text.ts";
import { LEAST_OF_THE_MATTER } from "./task-plan.ts";
import {
  decisionPieces,
  highlightPieces,
  messagePieces,
  partOf,
  prose,
  taskPieces,
} from "./thought-pieces.ts";

const LAYOUT: Layout = {
  layers: [
    section("stance"),
    section("decision", "DECISION TO RE-EVALUATE"),
    section("details", "Decision Details:"),
    section("project", "PROJECT CONTEXT"),
    section("tasks", "RELATED ACTIVE TASKS", { list: "numbered" }),
    section("decisions", "OTHER DECISIONS IN THIS PROJECT", { list: "numbered" }),
    section("highlights", "KEY HIGHLIGHTS", { list: "numbered" }),
    section("conversation", "CONVERSATION CONTEXT"),
    section("intent"),
    section("request", undefined, { separator: "\n\n" }),
    section("contract"),
  ],
};

const DESCRIPTION = 200;
const TASK = 100;
const DECISION = 100;
const HIGHLIGHT = 150;
const MESSAGE = 200;

export function planDecisionPacket(
  material: DecisionMaterial,
  { words, intent }: PacketAsk,
): PacketPlan {
  const { decision } = material;
  const offered = [
    planProject(material),
    material.tasks.map((task, order) =>
      partOf("task", task, taskPieces(task, TASK), { layer: "tasks", order }),
    ),
    material.decisions.map((other, order) =>
      partOf("decision", other, decisionPieces(other, DECISION), { layer: "decisions", order }),
    ),
    material.highlights.map((highlight, order) =>
      partOf("highlight", highlight, highlightPieces(highlight, HIGHLIGHT), {
        layer: "highlights",
        order,
      }),
    ),
    planConversation(material),
  ];
  return {
    layout: LAYOUT,
    parts: [
      required("stance", [words.constraints]),
      { ...required("decision", [pieceOf(decision.title)]), score: decision.score },
      ...planDetails(material),
      ...byImportance(offered),
      required("intent", "INTENT: Stress-test / Re-evaluate this decision"),
      required("request", [words.decisionRequest]),
      ...(intent === undefined ? [] : [required("request", [intentPiece(intent)], 1)]),
    ],
    contextEnd: "conversation",
    contractLayer: "contract",
    pins: pinnedParts(offered.flat(), material.pins),
    leftOut: leftOutOf("decisions", material.withheld),
  };
}

function planDetails({ decision }: DecisionMaterial): Part[] {
  if (!isReadable(decision.content)) return [];
  const part = required("details", [pieceOf(decision.content)]);
  const cut = { by: "words", minimum: LEAST_OF_THE_MATTER, grows: "last" } as const;
  return [{ ...part, score: decision.score, cut }];
}

function planProject({ project }: DecisionMaterial): OfferedPart[] {
  if (project === undefined) return [];
  const name: OfferedPart = {
    id: "project:name",
    layer: "project",
    order: 0,
    text: [prose("Project: "), pieceOf(project.name)],
  };
  if (!isReadable(project.description)) return [name];
  const text = [prose("Description: "), pieceOf(project.description, DESCRIPTION)];
  return [
    name,
    {
      id: "project:description",
      layer: "project",
      order: 1,
      keepWith: "project:name",
      note: "the project's description",
      text,
    },
  ];
}

/** Messages read in the order they were said; those farther from the decision give way first. */
function planConversation({ conversation }: DecisionMaterial): OfferedPart[] {
  const messages = conversation?.messages ?? [];
  const [nearest] = messages.toSorted((a, b) => a.distance - b.distance);
  if (conversation === undefined || nearest === undefined) return [];
  const layer = "conversation";
  const said = messages
    .map((message, index) => ({ message, order: index + 2 }))
    .toSorted((a, b) => a.message.distance - b.message.distance)
    .map(
      ({ message, order }): OfferedPart => ({
        id: `conversation:message:${message.id}`,
        layer,
        order,
        kind: "message",
        note: noteOf(message.content),
        keepWith: "conversation:title",
        text: messagePieces(message, MESSAGE),
      }),
    );
  const [first, ...others] = said;
  if (first === undefined) return [];
  return [
    {
      id: "conversation:title",
      layer,
      order: 0,
      kind: "conversation",
      note: noteOf(conversation.title),
      text: [prose("From: "), pieceOf(conversation.title)],
    },
    first,
    // Without a message it would announce nothing.
    {
      id: "conversation:messages",
      layer,
      order: 1,
      keepWith: first.id,
      text: [prose("Key Messages:")],
    },
    ...others,
  ];
}
