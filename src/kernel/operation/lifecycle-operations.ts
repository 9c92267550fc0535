/** Archive, restore and delete, the same for every noun. Deleting says first what stands in the way and what goes along. */

import { z } from "zod";
import { ProductError } from "../base/errors.ts";
import type { Act } from "../store/audited-rows.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import { PLACED_NOUNS } from "../store/find-place.ts";
import type { Caller, Permission } from "./caller.ts";
import { change, rehearse } from "./change-work.ts";
import { defineOperation, type Operation, type PlaceFinder } from "./operation.ts";
import { becauseField, expectedVersionField, idField } from "./operation-fields.ts";
import { shortId } from "./short-ids.ts";
import { doneLine } from "./state-marks.ts";
import { groupDigits, indent } from "./terminal-text.ts";

export interface Lifecycle<Output extends z.ZodType> {
  readonly noun: string;
  readonly permission: Permission;
  /** Where deleting destroys evidence it needs more than changing does. */
  readonly deletePermission?: Permission;
  readonly mcp?: "full" | "none";
  readonly output: Output;
  /** Where a noun that only a method knows is found; the shared ones are known by name. */
  readonly place?: PlaceFinder;
  /** False for things that never change and so have no version to compare. */
  readonly hasVersion?: boolean;
  /** What archiving and restoring do beyond hiding, for the help. */
  readonly archiveSummary?: string;
  readonly restoreSummary?: string;
  readonly deleteSummary?: string;
  /** The whole id, if the caller sees it; the right in its project was checked before. */
  find(given: string, caller: Caller, verb: "archive" | "restore" | "delete"): DatabaseWork<string>;
  archive(id: string, act: Act, expectedVersion?: number): DatabaseWork<z.input<Output>>;
  restore(id: string, act: Act, expectedVersion?: number): DatabaseWork<z.input<Output>>;
  remove(id: string, act: Act, expectedVersion?: number): DatabaseWork<void>;
  /** What is deleted with it. */
  goesAlong?(id: string): DatabaseWork<readonly Along[]>;
}

export interface Along {
  readonly what: string;
  readonly count: number;
}

export function lifecycleOperations<Output extends z.ZodType>(
  life: Lifecycle<Output>,
): readonly Operation[] {
  return [
    hideOperation(
      life,
      "archive",
      life.archiveSummary ?? `Archives a ${life.noun}: lists, searches and prompts leave it out.`,
    ),
    hideOperation(life, "restore", life.restoreSummary ?? `Brings an archived ${life.noun} back.`),
    deleteOperation(life),
  ];
}

function hideOperation<Output extends z.ZodType>(
  life: Lifecycle<Output>,
  verb: "archive" | "restore",
  summary: string,
): Operation {
  const { noun, permission, mcp = "full", output } = life;
  const field = idName(noun);
  return defineOperation({
    name: `${noun}.${verb}`,
    summary,
    effect: "writes",
    permission,
    ...scopeOf(life),
    input: aimedAt(life, hideInput),
    output,
    surfaces: {
      cli: {
        positionals: [field],
        examples: [`${noun} ${verb} 0199a1b2-c3d4`],
        render: (shown) => doneLine(`${PAST[verb]} ${noun} ${idOf(shown)}.`),
      },
      mcp,
    },
    run: (context, input) =>
      change(
        context,
        function* (act) {
          const id = yield* life.find(targetOf(input, field), context.caller, verb);
          return yield* life[verb](id, act, input.expectedVersion);
        },
        input.because,
      ),
  });
}

const deleted = z.object({
  id: z.string(),
  isDeleted: z.boolean(),
  goesAlong: z
    .array(z.object({ what: z.string(), count: z.number() }))
    .describe("What is deleted with it."),
  standsInTheWay: z
    .array(z.string())
    .describe("What is built on it; deleting is refused while there is any."),
});

function deleteOperation<Output extends z.ZodType>(life: Lifecycle<Output>): Operation {
  const { noun, permission, deletePermission = permission, mcp = "full" } = life;
  const field = idName(noun);
  return defineOperation({
    name: `${noun}.delete`,
    summary:
      life.deleteSummary ??
      `Deletes a ${noun} for good; refused, naming them, while others are built on it.`,
    effect: "destroys",
    permission: deletePermission,
    ...scopeOf(life),
    input: aimedAt(life, deleteInput),
    output: deleted,
    surfaces: {
      cli: {
        positionals: [field],
        examples: [`${noun} delete 0199a1b2-c3d4 --dry-run`],
        render: (output) => renderDeleted(noun, deleted.parse(output)),
      },
      // What only admins may destroy is not a model's to destroy.
      mcp: deletePermission === "administer" ? "none" : mcp,
    },
    run: async (context, input) => {
      const { id, goesAlong } = await context.kernel.store.read(function* () {
        const found = yield* life.find(targetOf(input, field), context.caller, "delete");
        return { id: found, goesAlong: yield* life.goesAlong?.(found) ?? nothing() };
      });
      const along = goesAlong.filter((each) => each.count > 0);
      const remove = function* (act: Act): DatabaseWork<void> {
        yield* life.find(id, context.caller, "delete");
        yield* life.remove(id, act, input.expectedVersion);
      };
      if (!input.dryRun) {
        await change(context, remove, input.because);
        return { id, isDeleted: true, goesAlong: along, standsInTheWay: [] };
      }
      const standsInTheWay = await findObstacles(() => rehearse(context, remove));
      return { id, isDeleted: false, goesAlong: along, standsInTheWay };
    },
  });
}

const hideInput = z.object({ because: becauseField, expectedVersion: expectedVersionField });
const deleteInput = z.object({
  dryRun: z
    .boolean()
    .default(false)
    .describe("Only show what stands in the way and what would go along."),
  ...hideInput.shape,
});

/** The field of the id bears the noun's name, which the compiler cannot know. */
function aimedAt<Fields extends typeof hideInput>(
  { noun, hasVersion = true }: Pick<Lifecycle<z.ZodType>, "noun" | "hasVersion">,
  fields: Fields,
): Fields {
  const { expectedVersion, ...shape } = fields.shape;
  const version = hasVersion ? { expectedVersion } : {};
  return z.object({ [idName(noun)]: idField(noun), ...shape, ...version }) as unknown as Fields;
}

/** People and agents are in no project. */
function scopeOf({
  noun,
  place,
}: Pick<Lifecycle<z.ZodType>, "noun" | "place">): Pick<Operation, "projectScope"> {
  const placed = place ?? PLACED_NOUNS.find((each) => each === noun);
  return placed === undefined ? {} : { projectScope: { [idName(noun)]: placed } };
}

const PAST = { archive: "Archived", restore: "Restored" } as const;

function idName(noun: string): string {
  return `${noun}Id`;
}

function targetOf(input: object, field: string): string {
  return String((input as Record<string, unknown>)[field]);
}

function* nothing(): DatabaseWork<readonly Along[]> {
  yield* [];
  return [];
}

async function findObstacles(attempt: () => Promise<void>): Promise<string[]> {
  try {
    await attempt();
    return [];
  } catch (error) {
    if (!(error instanceof ProductError) || error.kind !== "conflict") throw error;
    if (error.code === "version_conflict") throw error;
    const { dependents } = error.details;
    return Array.isArray(dependents) ? dependents.map(String) : [error.message];
  }
}

function idOf(output: unknown): string {
  const { id } = output as { readonly id?: unknown };
  return typeof id === "string" ? shortId(id) : "";
}

function renderDeleted(noun: string, output: z.output<typeof deleted>): string {
  const { id, isDeleted, goesAlong, standsInTheWay } = output;
  const along = goesAlong.map((each) => `${each.what}: ${groupDigits(each.count)}`).join(", ");
  const withIt = along === "" ? "" : ` and what goes with it (${along})`;
  if (isDeleted) return doneLine(`Deleted ${noun} ${shortId(id)}${withIt}.`);
  if (standsInTheWay.length === 0)
    return `Nothing stands in the way of deleting ${noun} ${shortId(id)}${withIt}.`;
  return `${noun} ${shortId(id)} cannot be deleted while it has:\n${indent(standsInTheWay.join("\n"))}`;
}
