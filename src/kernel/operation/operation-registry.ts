/** All operations of this program. Surfaces render what is in here and nothing else. */

import { z } from "zod";
import { ProductError } from "../base/errors.ts";
import { nearMatches } from "../contract/near-match.ts";
import { PLACED_NOUNS } from "../store/find-place.ts";
import { PERMISSIONS } from "./caller.ts";
import type { Operation } from "./operation.ts";

/** What operations are about, for help and documentation. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** The heading under which help lists it. */
  readonly group: string;
}

export interface OperationRegistry {
  readonly operations: readonly Operation[];
  readonly nouns: readonly Noun[];
  find(name: string): Operation | undefined;
  get(name: string): Operation;
}

export function createOperationRegistry(
  operations: readonly Operation[],
  nouns: readonly Noun[] = [],
): OperationRegistry {
  const byName = new Map<string, Operation>();
  for (const operation of operations) {
    const fault =
      findFault(operation) ?? (byName.has(operation.name) ? "is defined twice" : undefined);
    if (fault !== undefined) throw malformed(operation.name, fault);
    byName.set(operation.name, closeInput(operation));
  }
  return {
    operations: [...byName.values()],
    nouns,
    find: (name) => byName.get(name),
    get: (name) => {
      const operation = byName.get(name);
      if (operation === undefined) throw unknownOperation(name, byName.keys());
      return operation;
    },
  };
}

function findFault(operation: Operation): string | undefined {
  if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/.test(operation.name))
    return "is not named `noun.verb` in small letters, digits and dashes";
  if (!PERMISSIONS.includes(operation.permission)) return "has no permission";
  if (!(operation.input instanceof z.ZodObject)) return "does not take an object as input";
  if (operation.summary.trim() === "") return "has no summary";
  const fields = Object.keys(operation.input.shape);
  const { positionals = [], stdin, files = {} } = operation.surfaces?.cli ?? {};
  const { resource } = operation.surfaces ?? {};
  const scope = operation.projectScope ?? {};
  const stranger = [
    ...positionals,
    ...(stdin === undefined ? [] : [stdin]),
    ...Object.keys(files),
    ...Object.keys(scope),
    ...(resource === undefined ? [] : [resource.key]),
  ].find((field) => !fields.includes(field));
  if (stranger !== undefined) return `hints at an input field "${stranger}" that it lacks`;
  if (operation.permission === "read") return undefined;
  const unplaced = fields.find((field) => PLACED_FIELDS.has(field) && !(field in scope));
  return unplaced && `takes "${unplaced}", but does not say in \`projectScope\` what it names`;
}

/** Fields that name something in a project: a role in that project could be lost sight of. */
const PLACED_FIELDS: ReadonlySet<string> = new Set([
  "project",
  ...PLACED_NOUNS.map((noun) => `${noun}Id`),
]);

/** A misspelt field must not be ignored in silence. */
function closeInput(operation: Operation): Operation {
  const { input } = operation;
  if (!(input instanceof z.ZodObject) || input.def.catchall !== undefined) return operation;
  return { ...operation, input: input.strict(), run: operation.run.bind(operation) };
}

function malformed(name: string, fault: string): ProductError {
  return new ProductError("operation_malformed", `The operation "${name}" ${fault}.`, {
    kind: "internal",
    details: { name },
  });
}

function unknownOperation(name: string, names: Iterable<string>): ProductError {
  const [nearest] = nearMatches(name, [...names]);
  return new ProductError("operation_not_found", `There is no operation "${name}".`, {
    kind: "not_found",
    ...(nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` }),
    details: { name },
  });
}
