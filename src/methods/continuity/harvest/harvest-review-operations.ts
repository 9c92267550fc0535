/** Deciding about candidates: each for itself, or all at once. Either way it is one transaction. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  defineOperation,
  type OperationContext,
  type ReviewHint,
} from "../../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  idField,
} from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { gatherExisting, matchScopeOf } from "./existing-thoughts.ts";
import { getVisibleHarvest, placeOfHarvest, toDetail } from "./harvest-output.ts";
import { reviewedHarvest } from "./harvest-shape.ts";
import { renderReviewed } from "./harvest-view.ts";
import { type Harvest, listCandidates, lockHarvest } from "./harvests.ts";
import { readMatchingContext } from "./propose-harvest.ts";
import { refusePurged } from "./purge-harvest.ts";
import { type Choice, type Decided, edited, type ReviewChoices } from "./review-choices.ts";
import { reviewHarvest } from "./review-harvest.ts";

/** On a terminal the candidates are gone through one by one. */
export const reviewHint: ReviewHint = {
  items: "candidates",
  key: "number",
  choices: "choices",
  open: { field: "status", is: "proposed" },
  subject: ["harvestId"],
  view: "harvest.show",
  apply: "harvest.review",
  unless: "acceptAll",
  answers: {
    accept: { letter: "a", says: "accept" },
    edit: { letter: "e", says: "edit", fields: ["title", "text"] },
    supersede: { letter: "u", says: "supersede the decision" },
    keepBoth: { letter: "b", says: "keep both" },
    skip: { letter: "s", says: "skip" },
  },
  all: "accept",
};

const numbers = z.array(z.int().min(1)).max(1000).default([]);

const edits = z
  .array(
    z.strictObject({
      number: z.int().min(1),
      title: z.string().trim().min(1).max(500).nullable().optional(),
      text: z.string().max(100_000).optional(),
      choice: z.enum(["accept", "supersede", "keepBoth"]).default("accept"),
    }),
  )
  .max(1000)
  .default([]);

const harvestId = idField("harvest");

export const review = defineOperation({
  name: "harvest.review",
  summary:
    "Decides about candidates: accept, edit, skip; what contradicts a decision supersedes it, or both are kept.",
  effect: "writes",
  permission: "edit",
  projectScope: { harvestId: placeOfHarvest },
  input: z.object({
    harvestId,
    accept: numbers.describe("Take these as they are; an update is applied."),
    edit: edits.describe("Take these in other words: {number, title, text}."),
    skip: numbers.describe("Leave these out."),
    supersede: numbers.describe("Take these, and put the decisions they contradict to rest."),
    keepBoth: numbers.describe("Take these as new beside what they were matched with."),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: reviewedHarvest,
  surfaces: {
    cli: {
      positionals: ["harvestId"],
      examples: [
        "harvest review 0199a1b2-c3d4",
        "harvest review 0199a1b2-c3d4 --accept 1 --accept 2 --supersede 4 --skip 3",
        'harvest review 0199a1b2-c3d4 --edit \'{"number": 2, "title": "Rename the lease table"}\'',
      ],
      render: rendering(reviewedHarvest, renderReviewed),
      review: reviewHint,
    },
    mcp: "full",
  },
  run: async (context, { because, expectedVersion, harvestId: given, ...input }) => {
    const choices = choicesOf(input);
    return carryOut(context, given, choices, { because, expectedVersion });
  },
});

export const acceptAll = defineOperation({
  name: "harvest.accept-all",
  summary:
    "Accepts every candidate that is still proposed, but for those that contradict a decision.",
  effect: "writes",
  permission: "edit",
  projectScope: { harvestId: placeOfHarvest },
  input: z.object({ harvestId, because: becauseField, expectedVersion: expectedVersionField }),
  output: reviewedHarvest,
  surfaces: {
    cli: {
      positionals: ["harvestId"],
      examples: ["harvest accept-all 0199a1b2-c3d4"],
      render: rendering(reviewedHarvest, renderReviewed),
    },
    mcp: "full",
  },
  run: (context, { harvestId: given, ...how }) => carryOut(context, given, "all", how),
});

async function carryOut(
  context: OperationContext,
  given: string,
  choices: ReviewChoices | "all",
  how: { readonly because?: string | undefined; readonly expectedVersion?: number | undefined },
): Promise<z.input<typeof reviewedHarvest>> {
  const { kernel, caller } = context;
  const matching = readMatchingContext(kernel.library);
  const found = await kernel.store.read(() => getVisibleHarvest(given, caller));
  refusePurged(found);
  const known = await gatherForEdits(context, found, choices);
  const detail = { context: matching, asOf: kernel.clock.now() };
  if (choices !== "all" && choices.size === 0) {
    const shown = await kernel.store.read(() => toDetail(found, detail));
    return { ...shown, accepted: [], skipped: [], lookAgain: [] };
  }
  return change(
    context,
    function* (act) {
      const harvest = yield* lockHarvest(found.id, caller, how.expectedVersion);
      const nextId = () => kernel.ids.next();
      const done = yield* reviewHarvest(
        { harvest, choices, context: matching, known, nextId },
        act,
      );
      return {
        ...(yield* toDetail(done.harvest, detail)),
        accepted: done.accepted.map(({ number, made }) => ({ ...made, number })),
        skipped: [...done.skipped],
        lookAgain: [...done.lookAgain],
        packetStatus: done.packetStatus,
      };
    },
    how.because,
  );
}

/** Words that a reviewer wrote may match something that the words as they were read did not. */
async function gatherForEdits(
  { kernel }: OperationContext,
  harvest: Harvest,
  choices: ReviewChoices | "all",
) {
  if (choices === "all") return [];
  const candidates = await kernel.store.read(() => listCandidates(harvest.id));
  const changed = candidates.flatMap((candidate) => {
    const edit = choices.get(candidate.number)?.edit;
    return edit === undefined ? [] : [edited(candidate, edit)];
  });
  if (changed.length === 0) return [];
  const { words } = readMatchingContext(kernel.library);
  return gatherExisting(kernel.store, matchScopeOf(harvest), changed, words);
}

interface ChoiceLists {
  readonly accept: readonly number[];
  readonly edit: z.output<typeof edits>;
  readonly skip: readonly number[];
  readonly supersede: readonly number[];
  readonly keepBoth: readonly number[];
}

function choicesOf({ accept, edit, skip, supersede, keepBoth }: ChoiceLists): ReviewChoices {
  const choices = new Map<number, Decided>();
  const add = (number: number, decided: Decided): void => {
    if (choices.has(number)) throw decidedTwice(number);
    choices.set(number, decided);
  };
  const addAll = (list: readonly number[], choice: Choice) => {
    for (const number of list) add(number, { choice });
  };
  addAll(accept, "accept");
  addAll(skip, "skip");
  addAll(supersede, "supersede");
  addAll(keepBoth, "keep_both");
  for (const { number, choice, ...words } of edit) {
    add(number, { choice: choice === "keepBoth" ? "keep_both" : choice, edit: words });
  }
  return choices;
}

function decidedTwice(number: number): ProductError {
  return new ProductError("review_twice", `Candidate ${number} is decided about twice.`, {
    hint: "Name each candidate once.",
    details: { number },
  });
}
