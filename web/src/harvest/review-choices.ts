/** What somebody means to do with each candidate, before anything is written. */

import type { Input, Output } from "../api/operation.ts";

export type Candidate = Output<"harvest.show">["candidates"][number];

export type Choice =
  | { readonly kind: "accept" | "supersede" | "keepBoth" | "skip" }
  | {
      readonly kind: "edit";
      readonly title: string;
      readonly text: string;
      /** How the edited one is taken where it was matched with something. */
      readonly as: "accept" | "supersede" | "keepBoth";
    };

export type Choices = ReadonlyMap<number, Choice>;

export function choose(choices: Choices, number: number, choice: Choice | undefined): Choices {
  const next = new Map(choices);
  if (choice === undefined) next.delete(number);
  else next.set(number, choice);
  return next;
}

/** Everything new that nobody has decided about yet; what was matched with something is looked at one by one. */
export function acceptAllNew(candidates: readonly Candidate[], choices: Choices): Choices {
  const fresh = candidates.filter(
    ({ number, status, match }) =>
      status === "proposed" && match.kind === "new" && !choices.has(number),
  );
  return new Map([
    ...choices,
    ...fresh.map(({ number }): [number, Choice] => [number, { kind: "accept" }]),
  ]);
}

export interface Tally {
  readonly taken: number;
  readonly skipped: number;
  readonly open: number;
}

export function tally(candidates: readonly Candidate[], choices: Choices): Tally {
  const open = candidates.filter(({ status }) => status === "proposed");
  const chosen = open.map(({ number }) => choices.get(number));
  const skipped = chosen.filter((choice) => choice?.kind === "skip").length;
  const taken = chosen.filter((choice) => choice !== undefined).length - skipped;
  return { taken, skipped, open: open.length - taken - skipped };
}

export function toReview(
  harvestId: string,
  expectedVersion: number,
  choices: Choices,
): Input<"harvest.review"> {
  const of = (kind: Choice["kind"]) =>
    [...choices].filter(([, choice]) => choice.kind === kind).map(([number]) => number);
  const edits = [...choices].flatMap(([number, choice]) =>
    choice.kind === "edit"
      ? [
          {
            number,
            title: choice.title.trim() === "" ? null : choice.title.trim(),
            text: choice.text.trim(),
            choice: choice.as,
          },
        ]
      : [],
  );
  return {
    harvestId,
    expectedVersion,
    accept: of("accept"),
    skip: of("skip"),
    supersede: of("supersede"),
    keepBoth: of("keepBoth"),
    edit: edits,
  };
}
