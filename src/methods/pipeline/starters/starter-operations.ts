/** What is done with schedules and webhooks alike: listing them, opening and shutting them, deleting them. */

import { z } from "zod";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  type CliHints,
  defineOperation,
  type Operation,
} from "../../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { listStarters, placeOfStarter, resolveStarter, type StarterNoun } from "./starter-rows.ts";
import type { StarterRow } from "./starter-tables.ts";

/** How a change of one is aimed; the field bears the noun's name, which the compiler cannot know. */
function aimedAt(noun: StarterNoun) {
  const given = z
    .string()
    .min(1)
    .max(100)
    .describe(`A ${noun}: its name, its id or a unique beginning of it.`);
  const input = z.object({
    [`${noun}Id`]: given,
    because: becauseField,
    expectedVersion: expectedVersionField,
  }) as unknown as z.ZodObject<{
    because: typeof becauseField;
    expectedVersion: typeof expectedVersionField;
  }>;
  const idOf = (aimed: object, caller: Caller): DatabaseWork<string> =>
    resolveStarter(noun, String((aimed as Record<string, unknown>)[`${noun}Id`]), caller);
  return { input, idOf, projectScope: { [`${noun}Id`]: placeOfStarter(noun) } };
}

export function listOperation<Row extends StarterRow, Output extends z.ZodType>(list: {
  readonly noun: StarterNoun;
  readonly summary: string;
  readonly output: Output;
  show(rows: readonly Row[]): DatabaseWork<unknown[]>;
  render(output: z.output<Output>): string;
}): Operation {
  const { noun, summary, output } = list;
  return defineOperation({
    name: `${noun}.list`,
    summary,
    effect: "reads",
    permission: "read",
    input: z.object({
      project: projectField.optional().describe("Only of this project."),
      order: orderField.default("oldest"),
      ...pageFields,
    }),
    output,
    surfaces: { cli: { render: rendering(output, (shown) => list.render(shown)) }, mcp: "full" },
    run: ({ kernel, caller }, { project, ...page }) =>
      kernel.store.read(function* () {
        const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
        const filter = { ...page, viewer: caller, projectId };
        const { items, nextCursor } = yield* listStarters<Row>(noun, filter);
        const shown = { items: yield* list.show(items), nextCursor, asOf: kernel.clock.now() };
        return shown as z.input<Output>;
      }),
  });
}

export function switchOperation<Output extends z.ZodType>(gate: {
  readonly noun: StarterNoun;
  readonly verb: string;
  readonly summary: string;
  readonly output: Output;
  apply(id: string, act: Act, expectedVersion?: number): DatabaseWork<z.input<Output>>;
  render(output: z.output<Output>): string;
  readonly unserved?: CliHints["unserved"];
}): Operation {
  const { noun, verb, summary, output, unserved } = gate;
  const { input, idOf, projectScope } = aimedAt(noun);
  return defineOperation({
    name: `${noun}.${verb}`,
    summary,
    effect: "writes",
    permission: "run",
    projectScope,
    input,
    output,
    surfaces: {
      cli: {
        positionals: [`${noun}Id`],
        render: rendering(output, (shown) => gate.render(shown)),
        ...(unserved && { unserved }),
      },
      mcp: "full",
    },
    run: (context, aimed) =>
      change(
        context,
        function* (act) {
          const id = yield* idOf(aimed, context.caller);
          return yield* gate.apply(id, act, aimed.expectedVersion);
        },
        aimed.because,
      ),
  });
}

const deletedShape = z.object({ id: z.string() });

export function deleteOperation(
  noun: StarterNoun,
  remove: (id: string, act: Act, expectedVersion?: number) => DatabaseWork<void>,
): Operation {
  const { input, idOf, projectScope } = aimedAt(noun);
  return defineOperation({
    name: `${noun}.delete`,
    summary: `Deletes a ${noun} for good; the runs it has started stay.`,
    effect: "destroys",
    permission: "run",
    projectScope,
    input,
    output: deletedShape,
    surfaces: {
      cli: {
        positionals: [`${noun}Id`],
        render: rendering(deletedShape, ({ id }) => doneLine(`Deleted ${noun} ${shortId(id)}.`)),
      },
      mcp: "full",
    },
    run: (context, aimed) =>
      change(
        context,
        function* (act) {
          const id = yield* idOf(aimed, context.caller);
          yield* remove(id, act, aimed.expectedVersion);
          return { id };
        },
        aimed.because,
      ),
  });
}
