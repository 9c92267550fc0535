/** `redact`: what a project may not show, and where it is still kept from before. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { nameOf, projectNames, userNames } from "../../../kernel/operation/names.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import {
  asOfField,
  becauseField,
  idField,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { requireOwner } from "../../../kernel/operation/project-rights.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { findSecrets, redactSecrets } from "../../../kernel/prompt/find-secrets.ts";
import { getProject } from "../../../kernel/store/projects.ts";
import {
  deleteRedaction,
  insertRedaction,
  listRedactions,
  type Redaction,
} from "../../../kernel/store/redactions.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { type Holding, walkHoldings } from "./held-words.ts";
import { type Purged, purgeWords } from "./purge-words.ts";
import { addedRedactions, holdingList, purgedShape, redactionList } from "./redaction-shape.ts";
import { findTargets } from "./redaction-target.ts";
import {
  renderAdded,
  renderHoldings,
  renderPurged,
  renderRedactionList,
} from "./redaction-view.ts";

const add = defineOperation({
  name: "redaction.add",
  summary:
    "Keeps a conversation, a message or a passage out of everything a project shows; --purge also forgets it where it is kept.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    project: projectField,
    conversation: idField("conversation").optional().describe("All of this conversation."),
    message: idField("message").optional().describe("This message, or a passage of it."),
    text: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .describe("The passage of the message, in its own words; every occurrence in it."),
    start: z.int().min(0).optional().describe("Where the passage begins, in characters."),
    end: z.int().min(1).optional().describe("Where it ends."),
    reason: z.string().trim().min(1).max(500).default("private").describe("Why it is redacted."),
    purge: z
      .boolean()
      .default(false)
      .describe(
        "Also forget the words of packets, harvests, artifacts, exchanges and runs that hold what is redacted here.",
      ),
    because: becauseField,
  }),
  output: addedRedactions,
  surfaces: {
    cli: {
      words: ["redact"],
      destroysWith: "purge",
      examples: [
        'redact --project Tidepool --message 0199a1b2-c3d4 --text "the customer\'s name"',
        "redact --project Tidepool --conversation 0199a1b2-c3d4",
        "redact --project Tidepool --purge --yes",
      ],
      render: rendering(addedRedactions, renderAdded),
    },
    mcp: "none",
  },
  run: async (context, { project, purge, because, reason, ...target }) => {
    const { kernel, caller } = context;
    const { projectId, redactions } = await change(
      context,
      function* (act) {
        const id = yield* resolveProject(project, caller);
        if (purge) yield* requireOwner(caller, yield* getProject(id, caller));
        const made: Redaction[] = [];
        for (const each of yield* findTargets(target, id, caller, { isOptional: purge })) {
          made.push(
            yield* insertRedaction({ id: kernel.ids.next(), projectId: id, reason, ...each }, act),
          );
        }
        return { projectId: id, redactions: yield* shown(made) };
      },
      because,
    );
    const purged = purge ? await purgeIn(context, projectId, because) : undefined;
    const left = await countHoldings(walkHoldings(kernel.store, projectId, caller));
    return { redactions, holdings: left, purged, asOf: kernel.clock.now() };
  },
});

const tried = z.object({
  text: z.string().describe("What a prompt or a page would show of it."),
  isChanged: z.boolean(),
  secrets: z.number().describe("Passages that look like keys or passwords."),
  asOf: asOfField,
});

const attempt = defineOperation({
  name: "redaction.try",
  summary:
    "Shows what would be left of a text: a project's redactions and everything that looks like a secret taken out.",
  effect: "reads",
  permission: "read",
  projectScope: { project: "project" },
  input: z.object({
    project: projectField
      .optional()
      .describe("Whose redactions count; those of all projects unless given."),
    text: z.string().min(1).max(200_000).describe("The text to try."),
  }),
  output: tried,
  surfaces: {
    cli: {
      stdin: "text",
      examples: ["redaction try --project Tidepool < note.md"],
      render: rendering(tried, ({ text }) => text),
    },
    mcp: "none",
  },
  run: ({ kernel, caller }, { project, text }) =>
    kernel.store.read(function* () {
      const id = yield* resolveOptional(project, (name) => resolveProject(name, caller));
      const masked = redactSecrets(yield* withoutRedactedPassages(text, id));
      return {
        text: masked,
        isChanged: masked !== text,
        secrets: findSecrets(text).length,
        asOf: kernel.clock.now(),
      };
    }),
});

const list = defineOperation({
  name: "redaction.list",
  summary: "Lists what is redacted, without its words.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    conversation: idField("conversation").optional().describe("Only in this conversation."),
    order: orderField,
    ...pageFields,
  }),
  output: redactionList,
  surfaces: {
    cli: {
      examples: ["redaction list --project Tidepool"],
      render: rendering(redactionList, renderRedactionList),
    },
    mcp: "none",
  },
  run: ({ kernel, caller }, { project, conversation, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listRedactions({
        ...page,
        viewer: caller,
        projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
        conversationId: yield* resolveOptional(conversation, (text) =>
          resolveId("conversation", text, caller),
        ),
      });
      return { items: [...(yield* shown(items))], nextCursor, asOf: kernel.clock.now() };
    }),
});

const lifted = z.object({ redactionId: z.string() });

const lift = defineOperation({
  name: "redaction.lift",
  summary: "Lifts a redaction: what it covered may be shown again, as far as it was not purged.",
  effect: "writes",
  permission: "edit",
  projectScope: { redactionId: "redaction" },
  input: z.object({ redactionId: idField("redaction"), because: becauseField }),
  output: lifted,
  surfaces: {
    cli: {
      positionals: ["redactionId"],
      render: rendering(lifted, ({ redactionId }) =>
        doneLine(`Lifted redaction ${shortId(redactionId)}.`),
      ),
    },
    mcp: "none",
  },
  run: (context, { because, ...input }) =>
    change(
      context,
      function* (act) {
        refuseAgent(context.caller);
        const id = yield* resolveId("redaction", input.redactionId, context.caller);
        yield* deleteRedaction(id, act);
        return { redactionId: id };
      },
      because,
    ),
});

const MOST_HOLDINGS = 200;

const held = defineOperation({
  name: "redaction.held",
  summary:
    "Lists packets, harvests, artifacts, exchanges and runs that still hold what is redacted in a project.",
  effect: "reads",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({ project: projectField }),
  output: holdingList,
  surfaces: {
    cli: {
      positionals: ["project"],
      examples: ["redaction held Tidepool"],
      render: rendering(holdingList, renderHoldings),
    },
    mcp: "none",
  },
  run: async ({ kernel, caller }, { project }) => {
    const projectId = await kernel.store.read(() => resolveProject(project, caller));
    const holdings: Holding[] = [];
    for await (const holding of walkHoldings(kernel.store, projectId, caller)) {
      holdings.push(holding);
      if (holdings.length > MOST_HOLDINGS) break;
    }
    return {
      holdings: holdings.slice(0, MOST_HOLDINGS),
      isMore: holdings.length > MOST_HOLDINGS,
      asOf: kernel.clock.now(),
    };
  },
});

const purge = defineOperation({
  name: "redaction.purge",
  summary:
    "Forgets the words of packets, harvests, artifacts, exchanges and runs that hold what is redacted in a project; their hashes stay.",
  effect: "destroys",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({ project: projectField, because: becauseField }),
  output: purgedShape,
  surfaces: {
    cli: {
      positionals: ["project"],
      examples: ["redaction purge Tidepool --yes"],
      render: rendering(purgedShape, renderPurged),
    },
    mcp: "none",
  },
  run: async (context, { project, because }) => {
    const { kernel, caller } = context;
    const projectId = await kernel.store.read(function* () {
      const id = yield* resolveProject(project, caller);
      yield* requireOwner(caller, yield* getProject(id, caller));
      return id;
    });
    return await purgeIn(context, projectId, because);
  },
});

export const redactionOperations: readonly Operation[] = [add, attempt, list, lift, held, purge];

async function purgeIn(
  { kernel, caller, report }: OperationContext,
  projectId: string,
  because: string | undefined,
): Promise<Purged> {
  refuseAgent(caller);
  const act = { actor: caller.userId, now: kernel.clock.now(), because };
  const purged = await purgeWords(kernel.store, projectId, caller, act, (done) =>
    report({ message: "Forgetting words that hold what is redacted", done }),
  );
  kernel.changes.notify();
  return purged;
}

async function countHoldings(holdings: AsyncIterable<Holding>): Promise<number> {
  let found = 0;
  for await (const _ of holdings) found += 1;
  return found;
}

function* shown(redactions: readonly Redaction[]) {
  const projects = yield* projectNames(redactions.map(({ projectId }) => projectId));
  const users = yield* userNames(redactions.map(({ createdBy }) => createdBy));
  return redactions.map((redaction) => ({
    ...redaction,
    projectName: nameOf(projects, redaction.projectId),
    createdByName: nameOf(users, redaction.createdBy),
  }));
}

/** What hides words from agents is not theirs to take away. */
function refuseAgent({ isAgent }: Caller): void {
  if (!isAgent) return;
  throw new ProductError("redaction_for_people", "Only people lift and purge redactions.", {
    kind: "not_allowed",
    hint: "Ask a person to do it.",
  });
}
