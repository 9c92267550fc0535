/** Reading documents, saying what should change, changing them. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { changeDocumentOperations } from "./change-document-operations.ts";
import { feedback, remarks } from "./feedback-operation.ts";
import { documentField, resolveDocument, sessionField } from "./session-ref.ts";
import { documentShape, renderDocumentView, shownDocument } from "./shown-document.ts";

const show = defineOperation({
  name: "dialectic.show",
  summary:
    "Shows a document: its text, what it was made from, what is built on it, what people said.",
  effect: "reads",
  permission: "read",
  input: z.object({
    document: documentField,
    session: sessionField,
    diff: z.boolean().default(false).describe("What changed since the version before."),
  }),
  output: documentShape,
  surfaces: {
    cli: {
      positionals: ["document"],
      render: rendering(documentShape, renderDocumentView),
      examples: ["dialectic show thesis/business_case/s1", "dialectic show 0199a1b2 --diff"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { document, session: given, diff }) =>
    kernel.store.read(function* () {
      const { session, row } = yield* resolveDocument(document, given, caller);
      const shown = yield* shownDocument(session, row, diff);
      const readable = yield* withoutRedactedPassages(shown, session.projectId ?? undefined);
      return { ...readable, asOf: kernel.clock.now() };
    }),
});

export const documentOperations: readonly Operation[] = [
  show,
  feedback,
  remarks,
  ...changeDocumentOperations,
];
