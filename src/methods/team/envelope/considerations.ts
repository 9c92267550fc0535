/** What is worth thinking of for this product in particular, drawn from its history and its place. */

import type { Product } from "../state/team-records.ts";
import { type Draft, isUnsettled, weightOf } from "../rules/draft.ts";

export function considerationsFor(draft: Draft, product: Product): readonly string[] {
  const versions = draft.versionsOf(product.id);
  const last = versions.at(-1);
  const inspection = last === undefined ? undefined : draft.inspectionOf(last.id);
  const failing =
    inspection?.dod.filter(({ passes }) => !passes).map(({ criterion }) => criterion) ?? [];
  const heavy = draft
    .collabsOn(product.id)
    .filter((each) => isUnsettled(each) && weightOf(each) >= 8);
  const parent = draft.find("products", product.parentId);
  const siblings =
    parent === undefined ? [] : draft.childrenOf(parent.id).filter(({ id }) => id !== product.id);
  return [
    ...failing.map((criterion) => `This criterion did not pass the last inspection: ${criterion}`),
    ...(inspection?.findings ?? [])
      .filter(({ severity }) => severity >= 5)
      .map(
        ({ issue, recommendation }) =>
          `The watchdog found: ${issue} It recommends: ${recommendation}`,
      ),
    ...heavy.map(({ id }) => `As long as ${id} is not settled, the product cannot be accepted.`),
    ...(parent === undefined
      ? []
      : [`It is a part of ${parent.id} “${parent.name}”: ${parent.description}`]),
    ...(siblings.length === 0
      ? []
      : [
          `Next to it stand ${siblings
            .slice(0, 6)
            .map(({ id, name }) => `${id} “${name}”`)
            .join(", ")}: do not do their work.`,
        ]),
    ...(versions.length === 0 ? ["It has no version yet: the first one sets its form."] : []),
    ...TYPE_HINTS[product.type],
  ];
}

const TYPE_HINTS: Readonly<Record<Product["type"], readonly string[]>> = {
  content: ["Content is read by itself: it says what it is for before it says anything else."],
  decision: [
    "A decision names the question, the options with what speaks for and against each, the choice, and what follows from it.",
  ],
  collection: ["A collection says what its items have in common and in which order they stand."],
  orchestration: [
    "An orchestration says what its parts are for, how they depend on each other, and what is still missing.",
  ],
};
