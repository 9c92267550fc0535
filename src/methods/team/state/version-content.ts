/** What a version says. Pruning may have let go of it when the team had ended long ago. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Version } from "./team-records.ts";

export const PRUNED = "The words were pruned; the hash still proves what they were.";

export function contentOf({ id, content }: Version): string {
  if (content !== null) return content;
  throw new ProductError("team_version_pruned", `The words of ${id} were pruned.`, {
    kind: "conflict",
    hint: "Its hash still proves what they were; a backup from before may hold them.",
    details: { versionId: id },
  });
}
