/** What each step is shown of the state, and which ids it may therefore name. */

import { acceptableVersions, acceptanceObstacles } from "../rules/acceptance.ts";
import { type Allowed, NOTHING_ALLOWED } from "../rules/allowed.ts";
import { isOpen, isOwedAnAnswer } from "../rules/apply-reflect.ts";
import { criterionIds } from "../rules/criteria.ts";
import { deltasOf } from "../rules/deltas.ts";
import { type Draft, isUnsettled, weightOf } from "../rules/draft.ts";
import { roundsAllowed } from "../rules/stop-conditions.ts";
import { canHold } from "../rules/tree-gates.ts";
import type { Product, Reflection, Step } from "../state/team-records.ts";
import { considerationsFor } from "./considerations.ts";
import type { HeldBack, Payload, ReflectionView } from "./envelope.ts";
import {
  collabView,
  directiveView,
  extraView,
  fullView,
  minimalView,
  without,
} from "./product-views.ts";
import { roundHistory } from "./round-history.ts";

/** What is asked for in one call at most; the rest waits for the next round. */
const MOST_TO_ANSWER = 12;
const MOST_RECENT = 6;
const MOST_OPEN_SHOWN = 20;

export interface Building {
  readonly draft: Draft;
  readonly memberId: string;
  readonly target: string | null;
  readonly heldBack: HeldBack[];
}

interface Built {
  readonly payload: Payload;
  readonly allowed: Allowed;
}

export const PAYLOADS: Readonly<Record<Step, (building: Building) => Built>> = {
  bootstrap: ({ draft }) => ({
    payload: {
      userPrompt: draft.brief.prompt,
      startingProducts: draft.products().map((product) => minimalView(draft, product)),
    },
    allowed: { ...NOTHING_ALLOWED, members: draft.list("members").map(({ id }) => id) },
  }),
  reflect: forReflect,
  plan_assign: forPlan,
  write: forWrite,
  peer_review: forPeerReview,
  inspect: forInspect,
  envoy: ({ draft }) => {
    const deltas = deltasOf(draft, draft.round);
    const speakers = draft
      .list("members")
      .filter(({ role }) => role === "chair" || role === "operative");
    return {
      payload: {
        deltas: deltas.map(({ id, line }) => ({ id, line })),
        userMessages: messagesOf(draft),
      },
      allowed: {
        ...NOTHING_ALLOWED,
        deltas: deltas.map(({ id }) => id),
        speakers: speakers.map(({ id }) => id),
      },
    };
  },
};

/** What an operative owns or was last assigned, is not accepted, and has something to be said about. */
export function reflectedProducts(draft: Draft, memberId: string): readonly Product[] {
  return draft.products().filter((product) => {
    if (product.status === "accepted") return false;
    const last = draft.directivesOf(product.id).at(-1);
    if (product.ownerId !== memberId && last?.operativeId !== memberId) return false;
    return (
      draft.lastVersionOf(product.id) !== undefined ||
      last !== undefined ||
      draft.collabsOn(product.id).some(isOpen)
    );
  });
}

function forReflect({ draft, memberId, heldBack }: Building): Built {
  const products = byUrgency(draft, reflectedProducts(draft, memberId));
  const shown = products.slice(0, MOST_TO_ANSWER);
  hold(heldBack, products.slice(MOST_TO_ANSWER), "reflected on next round");
  const ids = new Set(shown.map(({ id }) => id));
  const open = heaviestFirst(
    draft.list("collabs").filter((each) => ids.has(each.productId) && isOpen(each)),
  );
  hold(heldBack, open.slice(MOST_TO_ANSWER), "answered next round: heavier comments come first");
  const answerable = open.slice(0, MOST_TO_ANSWER);
  const directives = shown.flatMap(({ id }) => {
    const last = draft.directivesOf(id).at(-1);
    return last !== undefined && last.operativeId === memberId && isOwedAnAnswer(last)
      ? [last]
      : [];
  });
  return {
    payload: {
      products: shown.map((product) => {
        const view = fullView(draft, product);
        return {
          ...view,
          collabs: view.collabs.filter(
            ({ id }) => answerable.some((each) => each.id === id) || view.collabs.length <= 4,
          ),
        };
      }),
      recentCollabs: draft
        .list("collabs")
        .filter(({ authorId, kind }) => authorId === memberId && kind !== "agreement")
        .toReversed()
        .slice(0, MOST_RECENT)
        .map(collabView),
    },
    allowed: {
      ...NOTHING_ALLOWED,
      products: shown.map(({ id }) => id),
      assignable: shown.map(({ id }) => id),
      criteria: shown.flatMap(({ id, dod }) => criterionIds(id, dod)),
      collabs: answerable.map(({ id }) => id),
      directives: directives.map(({ id }) => id),
    },
  };
}

function forPlan({ draft, heldBack }: Building): Built {
  const products = draft.products();
  const open = heaviestFirst(
    draft.list("collabs").filter((each) => isUnsettled(each) && isLive(draft, each.productId)),
  );
  hold(heldBack, open.slice(MOST_OPEN_SHOWN), "lighter than those shown");
  const reflections = draft.list("reflections").filter(({ round }) => round === draft.round);
  const assignable = products.filter(({ status }) => status !== "accepted");
  const acceptable = acceptableVersions(draft).map(({ productId }) => productId);
  const written = assignable.filter(({ id }) => draft.lastVersionOf(id) !== undefined);
  return {
    payload: {
      userMessages: messagesOf(draft),
      reflections: reflections.map(reflectionView),
      openCollabs: open.slice(0, MOST_OPEN_SHOWN).map(collabView),
      readiness: written.map((product) => ({
        productId: product.id,
        obstacles: acceptanceObstacles(draft, product, draft.lastVersionOf(product.id)?.id ?? null),
      })),
      history: roundHistory(draft),
    },
    allowed: {
      ...NOTHING_ALLOWED,
      members: draft.list("members").map(({ id }) => id),
      operatives: draft.membersOf("operative").map(({ id }) => id),
      objectives: (draft.mission()?.objectives ?? []).map((_, place) => `o${place + 1}`),
      products: products.map(({ id }) => id),
      parents: products
        .filter((each) => canHold(each) && each.status !== "accepted")
        .map(({ id }) => id),
      decisions: products.filter(({ type }) => type === "decision").map(({ id }) => id),
      assignable: assignable.map(({ id }) => id),
      acceptable,
      versions: written.flatMap(({ id }) =>
        draft
          .versionsOf(id)
          .slice(-3)
          .map((version) => version.id),
      ),
      room: Math.max(0, draft.brief.mostProducts - products.length),
      lastRound: roundsAllowed(draft.brief.stop) ?? draft.round + 3,
    },
  };
}

function forWrite({ draft, target, heldBack }: Building): Built {
  const directive = draft.find("directives", target);
  const product = draft.find("products", directive?.productId);
  if (directive === undefined || product === undefined)
    throw new Error(`There is no directive ${target}.`);
  const unsettled = heaviestFirst(draft.collabsOn(product.id).filter(isUnsettled));
  hold(
    heldBack,
    unsettled.slice(MOST_TO_ANSWER),
    "addressed in a later version: heavier comments come first",
  );
  const find = (ids: readonly string[]) =>
    [...new Set(ids)]
      .filter((id) => id !== product.id && isLive(draft, id))
      .flatMap((id) => draft.find("products", id) ?? []);
  const referenced = find(directive.referencedProductIds);
  const highly = find(directive.highlyRelevantProductIds).filter(
    ({ id }) => !directive.referencedProductIds.includes(id),
  );
  const named = [...directive.referencedProductIds, ...directive.highlyRelevantProductIds];
  const relevant = find(directive.relevantProductIds).filter(({ id }) => !named.includes(id));
  const reflection = draft
    .list("reflections")
    .findLast(({ productId }) => productId === product.id);
  const view = fullView(draft, product);
  return {
    payload: {
      directive: directiveView(directive),
      products: [
        {
          ...view,
          lastDirective: null,
          collabs: unsettled.slice(0, MOST_TO_ANSWER).map(collabView),
        },
      ],
      reflections: reflection === undefined ? [] : [reflectionView(reflection)],
      relevant: relevant.map((each) => minimalView(draft, each)),
      highlyRelevant: highly.map((each) => extraView(draft, each)),
      referenced: referenced.map((each) => extraView(draft, each)),
      considerations: considerationsFor(draft, product),
    },
    allowed: {
      ...NOTHING_ALLOWED,
      products: [product.id],
      assignable: [product.id],
      directives: [directive.id],
      collabs: unsettled.slice(0, MOST_TO_ANSWER).map(({ id }) => id),
    },
  };
}

function forPeerReview({ draft, target, heldBack }: Building): Built {
  const version = draft.find("versions", target);
  const product = draft.find("products", version?.productId);
  if (version === undefined || product === undefined)
    throw new Error(`There is no version ${target}.`);
  const said = draft
    .collabsOn(product.id)
    .filter(({ kind }) => kind !== "agreement")
    .toReversed();
  hold(heldBack, said.slice(MOST_OPEN_SHOWN), "older than those shown");
  const shown = said.slice(0, MOST_OPEN_SHOWN);
  return {
    payload: {
      products: [{ ...fullView(draft, product), collabs: shown.map(collabView) }],
      considerations: considerationsFor(draft, product),
    },
    allowed: {
      ...NOTHING_ALLOWED,
      products: [product.id],
      versions: [version.id],
      collabs: shown.map(({ id }) => id),
    },
  };
}

/** The versions of this round that nobody has inspected. */
export function uninspectedVersions(draft: Draft) {
  return draft
    .list("versions")
    .filter(
      (version) => version.round === draft.round && draft.inspectionOf(version.id) === undefined,
    )
    .filter(
      ({ productId, id }) => isLive(draft, productId) && draft.lastVersionOf(productId)?.id === id,
    );
}

function forInspect({ draft }: Building): Built {
  const versions = uninspectedVersions(draft);
  const products = versions.flatMap(({ productId }) => draft.find("products", productId) ?? []);
  return {
    payload: { products: products.map((product) => fullView(draft, product)) },
    allowed: {
      ...NOTHING_ALLOWED,
      versions: versions.map(({ id }) => id),
      criteria: versions.flatMap(({ id, productId }) =>
        criterionIds(id, draft.find("products", productId)?.dod ?? []),
      ),
    },
  };
}

function messagesOf(draft: Draft): NonNullable<Payload["userMessages"]> {
  return draft
    .list("userMessages")
    .toReversed()
    .slice(0, MOST_RECENT)
    .map(({ id, content, answers }) => ({ id, content, answers }));
}

/** What a trace may lead to: the mission, the person's words, the round before, and everything the payload shows. */
export function refsOf(draft: Draft, payload: Payload): readonly string[] {
  const refs = new Set<string>();
  const mission = draft.mission();
  if (mission !== undefined) refs.add(mission.id);
  for (const { id } of draft.list("userMessages").slice(-MOST_RECENT)) refs.add(id);
  const [first] = draft.list("userMessages");
  if (first !== undefined) refs.add(first.id);
  if (draft.round > 1) refs.add(`round${draft.round - 1}`);
  for (const { id } of payload.recentCollabs ?? []) refs.add(id);
  for (const { id } of payload.openCollabs ?? []) refs.add(id);
  for (const { id } of payload.reflections ?? []) refs.add(id);
  if (payload.directive) refs.add(payload.directive.id);
  for (const product of payload.products ?? []) {
    for (const { version } of product.changelog) refs.add(version);
    for (const { id } of product.collabs) refs.add(id);
    if (product.lastDirective) refs.add(product.lastDirective.id);
  }
  for (const product of [...(payload.highlyRelevant ?? []), ...(payload.referenced ?? [])]) {
    if (product.currentVersion) refs.add(product.currentVersion.id);
  }
  return [...refs];
}

function hold(heldBack: HeldBack[], left: readonly { readonly id: string }[], why: string): void {
  for (const { id } of left) heldBack.push({ id, why });
}

function isLive(draft: Draft, productId: string): boolean {
  const status = draft.find("products", productId)?.status;
  return status !== undefined && status !== "removed";
}

function heaviestFirst<
  Item extends {
    readonly id: string;
    readonly importance: number;
    readonly age: number;
    readonly round: number;
  },
>(collabs: readonly Item[]): readonly Item[] {
  return collabs.toSorted((a, b) => weightOf(b) - weightOf(a) || b.round - a.round);
}

/** Products that were written last come first, then those with the most to answer. */
function byUrgency(draft: Draft, products: readonly Product[]): readonly Product[] {
  const lastRound = (product: Product) => draft.lastVersionOf(product.id)?.round ?? 0;
  return products.toSorted((a, b) => lastRound(b) - lastRound(a));
}

function reflectionView(reflection: Reflection): ReflectionView {
  return without(reflection, "exchangeId", "trace", "round");
}
