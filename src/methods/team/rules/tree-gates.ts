/** The products stay one tree, and each type holds only what it may hold. */

import { PRODUCT_TYPES, type Product, type ProductType } from "../state/team-records.ts";
import { type Breach, breach } from "./breach.ts";
import type { Draft } from "./draft.ts";
import { isSameText } from "./similar-text.ts";

type Fault = Omit<Breach, "path" | "item">;

/** Orchestration and decision hold anything, a collection content only, content nothing. */
const MAY_HOLD: Readonly<Record<ProductType, readonly ProductType[]>> = {
  orchestration: PRODUCT_TYPES,
  decision: PRODUCT_TYPES,
  collection: ["content"],
  content: [],
};

export function checkPlace(
  draft: Draft,
  child: Pick<Product, "name" | "type"> & { readonly id?: string },
  parent: Product,
): Fault | undefined {
  if (parent.status === "removed") {
    return breach("team_tree_broken", `goes below ${parent.id}, which was removed`);
  }
  if (child.id !== undefined && isWithin(draft, parent.id, child.id)) {
    return breach("team_tree_broken", `would put ${child.id} below itself`);
  }
  if (!MAY_HOLD[parent.type].includes(child.type)) {
    const what = parent.type === "content" ? "which holds no products" : "which holds content only";
    return breach(
      "team_composition",
      `puts ${aType(child.type)} into ${parent.id}, ${aType(parent.type)}, ${what}`,
    );
  }
  return checkDuplicate(draft, child, parent.id);
}

export function checkDuplicate(
  draft: Draft,
  child: Pick<Product, "name"> & { readonly id?: string },
  parentId: string,
): Fault | undefined {
  const twin = draft
    .childrenOf(parentId)
    .find((each) => each.id !== child.id && isSameText(each.name, child.name));
  if (twin === undefined) return undefined;
  return breach(
    "team_product_duplicate",
    `names a product “${child.name}”, but ${parentId} has ${twin.id} “${twin.name}” already: give that one another version instead`,
  );
}

/** A type that cannot hold what the product holds already is no type for it. */
export function checkType(draft: Draft, product: Product, type: ProductType): Fault | undefined {
  const misfit = draft.childrenOf(product.id).find((child) => !MAY_HOLD[type].includes(child.type));
  if (misfit !== undefined) {
    return breach(
      "team_composition",
      `makes ${product.id} ${aType(type)}, which may not hold ${misfit.id}`,
    );
  }
  const parent = draft.find("products", product.parentId);
  if (parent === undefined || MAY_HOLD[parent.type].includes(type)) return undefined;
  return breach(
    "team_composition",
    `makes ${product.id} ${aType(type)}, which ${parent.id} may not hold`,
  );
}

export function checkRemoval(draft: Draft, product: Product): Fault | undefined {
  if (product.parentId === null) return breach("team_tree_broken", "removes the whole");
  const [child] = draft.childrenOf(product.id);
  if (child !== undefined) {
    return breach("team_tree_broken", `removes ${product.id}, which still holds ${child.id}`);
  }
  return undefined;
}

export function canHold(product: Product, type?: ProductType): boolean {
  return type === undefined
    ? MAY_HOLD[product.type].length > 0
    : MAY_HOLD[product.type].includes(type);
}

/** Whether the product is the other one or stands somewhere below it. */
function isWithin(draft: Draft, productId: string, otherId: string): boolean {
  const seen = new Set<string>();
  for (let id: string | null = productId; id !== null && !seen.has(id); ) {
    if (id === otherId) return true;
    seen.add(id);
    id = draft.find("products", id)?.parentId ?? null;
  }
  return false;
}

function aType(type: ProductType): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
