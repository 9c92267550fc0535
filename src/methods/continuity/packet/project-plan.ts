/** The project packet: nine sections, from what it is for to how it is to be answered. */

import type { Layout } from "../../../kernel/prompt/part.ts";
import { intentPiece } from "./intents.ts";
import type { ProjectMaterial } from "./packet-material.ts";
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
  thoughtsIn,
} from "./packet-plan.ts";
import { planSnapshot } from "./snapshot-plan.ts";
import { isReadable, pieceOf } from "./source-text.ts";
import { decisionPieces, partOf, prose, sentencePieces, tensionPieces } from "./thought-pieces.ts";

const LAYOUT: Layout = {
  layers: [
    section("intent", "CONTINUITY INTENT"),
    section("constraints", "NON-NEGOTIABLE CONSTRAINTS", { list: "numbered" }),
    section("concepts", "NAMED CONCEPTS & SHORTHAND", { list: "bulleted" }),
    section("direction", "CURRENT DIRECTION OF TRAVEL", { separator: " " }),
    section("tensions", "LIVE TENSIONS / OPEN QUESTIONS", { list: "numbered" }),
    section("snapshot", "MINIMAL STATE SNAPSHOT"),
    section("continuation", "EXPLICIT CONTINUATION INSTRUCTION"),
    section("request", "INTENT + REQUEST"),
    section("contract", "RETURN CONTRACT"),
  ],
};

const DESCRIPTION = 200;
const DECISION = 150;
const CONCEPT = 200;
const MOST_CONSTRAINTS = 7;
const CONSTRAINING_DECISIONS = 3;
const MOST_SENTENCES = 5;

export function planProjectPacket(
  material: ProjectMaterial,
  { words, intent }: PacketAsk & { readonly intent: NonNullable<PacketAsk["intent"]> },
): PacketPlan {
  const description = planDescription(material);
  const decisions = planDecisions(material, MOST_CONSTRAINTS - description.length);
  const direction = planDirection(material);
  const { marked, open } = planTensions(material);
  const shown = thoughtsIn([...decisions, ...direction, ...marked, ...open]);
  const snapshot = planSnapshot(material, shown);
  const offered = [
    snapshot.head,
    description,
    decisions,
    marked,
    direction,
    open,
    planConcepts(material),
    snapshot.tasks,
    snapshot.highlights,
    snapshot.decisions,
    snapshot.conversations,
  ];
  return {
    layout: LAYOUT,
    parts: [
      required("intent", intent.label),
      ...byImportance(offered),
      required("continuation", [words.continuation]),
      required("request", [intentPiece(intent)]),
    ],
    contextEnd: "snapshot",
    contractLayer: "contract",
    pins: pinnedParts(offered.flat(), material.pins),
    leftOut: leftOutOf("snapshot", material.withheld),
  };
}

function planDescription({ project }: ProjectMaterial): OfferedPart[] {
  if (!isReadable(project.description)) return [];
  const text = [pieceOf(project.description, DESCRIPTION)];
  const note = "the project's description";
  return [{ id: "constraints:project", layer: "constraints", order: 0, note, text }];
}

function planDecisions({ decisions, pins }: ProjectMaterial, most: number): OfferedPart[] {
  const pinned = decisions.filter(({ id }) => pins.has(id)).length;
  const places = Math.min(Math.max(CONSTRAINING_DECISIONS, pinned), most);
  return decisions.slice(0, places).map((decision, index) => {
    const place = { layer: "constraints", order: index + 1 };
    return partOf("decision", decision, decisionPieces(decision, DECISION), place);
  });
}

function planConcepts({ concepts }: ProjectMaterial): OfferedPart[] {
  return concepts.map(({ term, meaning }, order) => ({
    id: `concepts:${order}`,
    layer: "concepts",
    order,
    kind: "concept",
    note: noteOf(term),
    text: isReadable(meaning)
      ? [pieceOf(term), prose(": "), pieceOf(meaning, CONCEPT)]
      : [pieceOf(term)],
  }));
}

function planDirection(material: ProjectMaterial): OfferedPart[] {
  const { newestDecision: decision, underWay, lastCompleted: completed } = material;
  const at = (order: number) => ({ layer: "direction", order });
  const first =
    decision === undefined
      ? []
      : [partOf("decision", decision, sentencePieces("Latest decision", decision.title), at(0))];
  const last =
    completed === undefined
      ? []
      : [partOf("task", completed, sentencePieces("Last completed", completed.title), at(9))];
  const places = MOST_SENTENCES - first.length - last.length;
  const between = underWay.slice(0, places).map((task, index) => {
    return partOf("task", task, sentencePieces("In progress", task.title), at(index + 1));
  });
  return [...first, ...between, ...last];
}

function planTensions({ tensions }: ProjectMaterial) {
  const marked: OfferedPart[] = [];
  const open: OfferedPart[] = [];
  for (const [order, task] of tensions.entries()) {
    const part = partOf("task", task, tensionPieces(task), { layer: "tensions", order });
    (task.hasBlocker || task.hasOpenLoop ? marked : open).push(part);
  }
  return { marked, open };
}
