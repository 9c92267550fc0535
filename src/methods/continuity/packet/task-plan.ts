/** The task packet: the stance, the task with what is known of it, and the request to get it done. */

import type { Layout, Part } from "../../../kernel/prompt/part.ts";
import { intentPiece } from "./intents.ts";
import type { TaskMaterial } from "./packet-material.ts";
import {
  byImportance,
  leftOutOf,
  type OfferedPart,
  type PacketAsk,
  type PacketPlan,
  pinnedParts,
  required,
  section,
} from "./packet-plan.ts";
import { isReadable, pieceOf } from "./source-text.ts";
import { partOf, prose } from "./thought-pieces.ts";

const LAYOUT: Layout = {
  layers: [
    section("stance"),
    section("task"),
    section("description", "Description:"),
    section("project"),
    section("highlight", "Source Highlight:"),
    section("intent"),
    section("request", undefined, { separator: "\n\n" }),
    section("contract"),
  ],
};

const HIGHLIGHT = 300;
/** Of a long description this much is kept whatever else there is; it grows with what is left. */
export const LEAST_OF_THE_MATTER = 1000;

export function planTaskPacket(material: TaskMaterial, { words, intent }: PacketAsk): PacketPlan {
  const { task } = material;
  const offered = [planProject(material), planHighlight(material)];
  return {
    layout: LAYOUT,
    parts: [
      required("stance", [words.constraints]),
      { ...required("task", [prose("TASK: "), pieceOf(task.title)]), score: task.score },
      ...planDescription(material),
      ...byImportance(offered),
      required("intent", "INTENT: Resolve/Plan/Debug this task"),
      required("request", [words.taskRequest]),
      ...(intent === undefined ? [] : [required("request", [intentPiece(intent)], 1)]),
    ],
    contextEnd: "highlight",
    contractLayer: "contract",
    pins: pinnedParts(offered.flat(), material.pins),
    leftOut: leftOutOf("highlight", material.withheld),
  };
}

function planDescription({ task }: TaskMaterial): Part[] {
  if (!isReadable(task.description)) return [];
  const part = required("description", [pieceOf(task.description)]);
  const cut = { by: "words", minimum: LEAST_OF_THE_MATTER, grows: "last" } as const;
  return [{ ...part, score: task.score, cut }];
}

function planProject({ project }: TaskMaterial): OfferedPart[] {
  if (project === undefined) return [];
  const text = [prose("Project: "), pieceOf(project.name)];
  return [{ id: "project:name", layer: "project", order: 0, text }];
}

function planHighlight({ highlight }: TaskMaterial): OfferedPart[] {
  if (highlight === undefined) return [];
  const text = [pieceOf(highlight.content, HIGHLIGHT)];
  return [partOf("highlight", highlight, text, { layer: "highlight", order: 0 })];
}
