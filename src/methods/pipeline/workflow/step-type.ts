/** What kind of step the drawing says it is, by shape and label. */

import type { DiagramNode, Shape } from "../diagram/diagram.ts";
import type { Execution, StepType } from "./workflow-definition.ts";

export interface DrawnType {
  readonly stepType: StepType;
  /** Where the shape tells who works. */
  readonly execution: Execution | undefined;
}

/** Nothing for a shape that workflows give no meaning. */
export function drawnTypeOf({ shape, label }: DiagramNode): DrawnType | undefined {
  switch (shape) {
    case "none":
      return { stepType: "task", execution: undefined };
    case "square":
      return /^join\b/i.test(label)
        ? { stepType: "join", execution: undefined }
        : { stepType: "task", execution: "automated" };
    case "round":
      return { stepType: "task", execution: "manual" };
    case "diamond":
      return { stepType: "decision", execution: undefined };
    case "subroutine":
      return {
        stepType: subflowNamed(label) === undefined ? "foreach" : "subflow",
        execution: undefined,
      };
    default:
      return undefined;
  }
}

/** Of `Run: Security Scan`, the name. */
export function subflowNamed(label: string): string | undefined {
  return /^run\s*:\s*(\S[^]*)$/i.exec(label)?.[1]?.trim();
}

export const SHAPE_ADVICE =
  "Draw […] for an automated task, (…) for a manual one, {…} for a decision, [[Each: …]] for a foreach, [Join …] for a join, [[Run: …]] for a subflow; or give it a stepType in the settings.";

const SHAPE_NAMES: Readonly<Partial<Record<Shape, string>>> = {
  doublecircle: "double circle",
  odd: "flag",
  lean_right: "parallelogram",
  lean_left: "parallelogram",
  inv_trapezoid: "trapezoid",
};

export function shapeName(shape: Shape): string {
  return SHAPE_NAMES[shape] ?? shape;
}
