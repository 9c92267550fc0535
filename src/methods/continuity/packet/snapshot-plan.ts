/** The state of a project in a few lines. Every counted thought that no section above shows is named under its count. */

import type { Piece } from "../../../kernel/prompt/part.ts";
import type { ProjectMaterial, Total } from "./packet-material.ts";
import { noteOf, type OfferedPart } from "./packet-plan.ts";
import { pieceOf } from "./source-text.ts";
import { highlightPieces, type PlacedIn, partOf, prose, taskLine } from "./thought-pieces.ts";

const HIGHLIGHT = 150;
const layer = "snapshot";

export interface SnapshotPlan {
  /** The project's name and the counts. */
  readonly head: readonly OfferedPart[];
  readonly tasks: readonly OfferedPart[];
  readonly decisions: readonly OfferedPart[];
  readonly highlights: readonly OfferedPart[];
  readonly conversations: readonly OfferedPart[];
}

export function planSnapshot(
  material: ProjectMaterial,
  shownAbove: ReadonlySet<string>,
): SnapshotPlan {
  const { project, tasks, decisions, highlights, conversations, totals } = material;
  const { length: talks } = conversations;
  const isNew = ({ id }: { readonly id: string }): boolean => !shownAbove.has(id);
  return {
    head: [
      line("project", 0, [prose("Project: "), pieceOf(project.name)]),
      countLine("tasks", 1, `Active Tasks: ${countText(tasks.length, totals.tasks)}`),
      countLine("decisions", 2, `Key Decisions: ${countText(decisions.length, totals.decisions)}`),
      countLine(
        "highlights",
        3,
        `Key Highlights: ${countText(highlights.length, totals.highlights)}`,
      ),
      ...(talks === 0
        ? []
        : [
            countLine(
              "conversations",
              4,
              `Recent Conversations: ${countText(talks, totals.conversations)}`,
            ),
          ]),
    ],
    tasks: tasks
      .filter(isNew)
      .map((task, index) => partOf("task", task, bullet(taskLine(task)), below("tasks", 1, index))),
    decisions: decisions
      .filter(isNew)
      .map((decision, index) =>
        partOf(
          "decision",
          decision,
          bullet([pieceOf(decision.title)]),
          below("decisions", 2, index),
        ),
      ),
    highlights: highlights.map((highlight, index) =>
      partOf(
        "highlight",
        highlight,
        bullet(highlightPieces(highlight, HIGHLIGHT)),
        below("highlights", 3, index),
      ),
    ),
    conversations: conversations.map(({ id, title, startedAt }, index) => ({
      id: `snapshot:conversation:${id}`,
      kind: "conversation",
      note: noteOf(title),
      text: bullet([pieceOf(title), prose(` (${dateOf(startedAt)})`)]),
      ...below("conversations", 4, index),
    })),
  };
}

function line(name: string, order: number, text: readonly Piece[]): OfferedPart {
  return { id: `snapshot:${name}`, layer, order, text };
}

function countLine(name: string, order: number, text: string): OfferedPart {
  return line(name, order, [prose(text)]);
}

/** Between its own count and the next. */
function below(name: string, order: number, index: number): PlacedIn {
  return { layer, order: order + (index + 1) / 1000, keepWith: `snapshot:${name}` };
}

function countText(count: number, { count: total, isMore }: Total): string {
  return total === 0 ? "0" : `${count} of ${total.toLocaleString("en-US")}${isMore ? "+" : ""}`;
}

function bullet(pieces: readonly Piece[]): Piece[] {
  return [prose("- "), ...pieces];
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
