/** Registries of one noun each, made when its first operation is asked for. */

import { type IndexedNoun, loadOperations } from "./noun-index.ts";
import { nounOf } from "./operation-name.ts";
import { createOperationRegistry, type OperationRegistry } from "./operation-registry.ts";

/** Gives a registry that has the operation, if there is such a one. */
export function registryByNoun(
  nouns: readonly IndexedNoun[],
): (name: string) => Promise<OperationRegistry> {
  const registries = new Map<string, Promise<OperationRegistry>>();
  return (name) => {
    const noun = nounOf({ name });
    const known = registries.get(noun) ?? load(nouns.filter((each) => each.name === noun));
    registries.set(noun, known);
    return known;
  };
}

async function load(nouns: readonly IndexedNoun[]): Promise<OperationRegistry> {
  return createOperationRegistry(await loadOperations(nouns), nouns);
}
