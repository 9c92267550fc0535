/** A workflow opened at one of its versions, wherever it is kept. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import type { LibraryWorkflow } from "./library-workflows.ts";
import { type Calling, type FoundWorkflow, resolveWorkflow } from "./resolve-workflow.ts";
import { sourceOf } from "./workflow-of.ts";
import { getVersion } from "./workflow-versions.ts";
import type { Workflow } from "./workflows.ts";

export interface OpenVersion {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly isDraft: boolean;
  readonly stored?: { readonly workflow: Workflow; readonly version: number };
  readonly library?: LibraryWorkflow;
}

export function* openVersion(
  given: string,
  version: number | undefined,
  calling: Calling,
): DatabaseWork<OpenVersion> {
  return yield* openFound(yield* resolveWorkflow(given, calling), version);
}

/** The current version unless one is given; the newest draft where there is nothing else. */
export function* openFound(
  found: FoundWorkflow,
  wanted: number | undefined,
): DatabaseWork<OpenVersion> {
  const { name, description } = found.workflow;
  if (found.kind === "library") {
    const library = found.workflow;
    if (wanted !== undefined) throw withoutVersions(library);
    return { name, description, source: library.file.text, isDraft: false, library };
  }
  const { workflow } = found;
  const version = wanted ?? workflow.currentVersion ?? workflow.lastVersion;
  const { isDraft } = yield* getVersion(workflow.id, version);
  const source = yield* sourceOf({ workflowId: workflow.id, version });
  return { name, description, source, isDraft, stored: { workflow, version } };
}

function withoutVersions({ name }: LibraryWorkflow): ProductError {
  return new ProductError(
    "workflow_in_library",
    `"${name}" is a file of the library, which has no versions.`,
    { kind: "conflict", hint: "Leave the version out, or make your own with `workflow copy`." },
  );
}
