/** The tree and its products as operations show them. */

import { minimalView, treeOrder, without } from "../envelope/product-views.ts";
import { acceptanceObstacles } from "../rules/acceptance.ts";
import { Draft } from "../rules/draft.ts";
import type { Product } from "../state/team-records.ts";
import type { TeamState } from "../state/team-state.ts";
import { ProductError } from "../../../kernel/base/errors.ts";
import { coverageOf } from "./coverage.ts";

export function treeView(state: TeamState) {
  const draft = new Draft(state);
  return treeOrder(draft).map((product) => treeProduct(draft, product));
}

export function productView(state: TeamState, productId: string) {
  const draft = new Draft(state);
  const product = draft.find("products", productId);
  if (product === undefined) {
    throw new ProductError("team_product_not_found", `The team has no product "${productId}".`, {
      kind: "not_found",
      hint: "`team tree` lists them: p1, p2, …",
    });
  }
  const own = <Item extends { readonly productId: string }>(items: readonly Item[]) =>
    items.filter((item) => item.productId === productId).map((item) => without(item, "productId"));
  return {
    product: treeProduct(draft, product),
    versions: own(draft.list("versions")),
    collabs: own(draft.list("collabs")),
    directives: own(draft.list("directives")),
    reflections: own(draft.list("reflections")),
    inspections: own(draft.list("inspections")),
    actions: draft
      .list("actions")
      .filter((action) => action.productId === productId || action.decisionId === productId),
    obstacles: [...acceptanceObstacles(draft, product, draft.lastVersionOf(productId)?.id ?? null)],
  };
}

function treeProduct(draft: Draft, product: Product) {
  return { ...minimalView(draft, product), coverage: coverageOf(draft, product.id) };
}
