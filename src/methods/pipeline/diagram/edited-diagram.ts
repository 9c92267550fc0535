/** A diagram after edits. They are made to fit; should they ever not, the diagram stays as it was. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Diagram } from "./diagram.ts";
import { readDiagram } from "./parse-diagram.ts";
import { applyEdits, type TextEdit } from "./text-edit.ts";

export function editedDiagram(diagram: Diagram, edits: readonly TextEdit[]): Diagram {
  const { diagram: edited, faults } = readDiagram(applyEdits(diagram.source, edits));
  const [first] = faults;
  if (first === undefined) return edited;
  throw new ProductError(
    "edit_unreadable",
    `After this change the diagram could not be read: ${first.message}.`,
    {
      hint: "Change the text itself instead.",
      details: { fault: first },
    },
  );
}
