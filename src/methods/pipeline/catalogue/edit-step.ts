/** One step changed in a source, and nothing else in it: settings, label, and the shape that fits its kind. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { Diagram, Shape } from "../diagram/diagram.ts";
import { setNodeLabel, setNodeShape } from "../diagram/edit-node.ts";
import { readDiagram } from "../diagram/parse-diagram.ts";
import { applyEdits, type TextEdit } from "../diagram/text-edit.ts";
import { readConfig } from "../workflow/config-entries.ts";
import { setConfig } from "../workflow/edit-config.ts";
import { stepUnknown } from "./step-unknown.ts";

export interface StepChange {
  readonly label?: string | undefined;
  /** Settings by name; `null` takes one away, the others stay. */
  readonly set?: Readonly<Record<string, Json>> | undefined;
}

export function editStep(source: string, stageId: string, { label, set }: StepChange): string {
  const drawn = readDiagram(source).diagram.nodes.map(({ id }) => id);
  if (!drawn.includes(stageId)) throw stepUnknown(stageId, drawn);
  const shape = shapeFor(set);
  return [
    (diagram: Diagram) => (set === undefined ? [] : changeSettings(diagram, stageId, set)),
    (diagram: Diagram) => (label === undefined ? [] : setNodeLabel(diagram, stageId, label)),
    (diagram: Diagram) => (shape === undefined ? [] : setNodeShape(diagram, stageId, shape)),
  ].reduce(edited, source);
}

function edited(source: string, edit: (diagram: Diagram) => TextEdit[]): string {
  return applyEdits(source, edit(readDiagram(source).diagram));
}

function changeSettings(
  diagram: Diagram,
  stageId: string,
  set: Readonly<Record<string, Json>>,
): TextEdit[] {
  const before = readConfig(diagram).entries.find(({ stepId }) => stepId === stageId)?.value ?? {};
  const after: JsonObject = Object.fromEntries(
    Object.entries({ ...before, ...set }).filter(([, value]) => value !== null),
  );
  return setConfig(diagram, stageId, Object.keys(after).length === 0 ? undefined : after);
}

/** A step that becomes of another kind is drawn as one, or the drawing would contradict its settings. */
function shapeFor(set: StepChange["set"]): Exclude<Shape, "none"> | undefined {
  if (set?.["stepType"] === undefined && set?.["execution"] === undefined) return undefined;
  switch (set["stepType"] ?? "task") {
    case "task":
      return set["execution"] === "manual" ? "round" : "square";
    case "decision":
      return "diamond";
    case "foreach":
    case "subflow":
      return "subroutine";
    case "join":
      return "square";
    default:
      return undefined;
  }
}
