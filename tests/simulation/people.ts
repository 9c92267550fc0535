/** People of a simulated world: they start work, answer what stands in the inbox, and interfere with runs. */

import { ProductError } from "../../src/kernel/base/errors.ts";
import type { Json } from "../../src/kernel/base/json.ts";
import type { Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import type { Caller } from "../../src/kernel/operation/caller.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import type { OperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import { isStoreAway } from "../../src/kernel/store/store-errors.ts";

export type Ask = (name: string, input: object) => Promise<unknown>;

/** What a person asks for is done, refused for a reason, or left open by a store that did not answer: `undefined`. */
export function askAs(kernel: Kernel, registry: OperationRegistry, caller: Caller): Ask {
  return async (name, input) => {
    try {
      return await invoke(kernel, registry, name, caller, input);
    } catch (error) {
      const isForeseen = error instanceof ProductError && error.kind !== "internal";
      if (isForeseen || isStoreAway(error)) return undefined;
      throw error;
    }
  };
}

export interface Entry {
  readonly id: string;
  readonly answers: readonly string[];
}

interface Shown {
  readonly form: readonly Field[];
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly options?: readonly { readonly value: Json }[];
  readonly minimum?: number;
}

/** Answers one of the open entries, any of its answers; gives which, or undefined if there was nothing to answer. */
export async function answerOne(
  ask: Ask,
  dice: Dice,
  prefer: readonly string[] = [],
): Promise<string | undefined> {
  const listed = (await ask("inbox.list", { limit: 50 })) as
    | { items: readonly Entry[] }
    | undefined;
  const entry = dice.pick(listed?.items ?? []);
  return entry === undefined ? undefined : answer(ask, dice, entry, prefer);
}

export async function answer(
  ask: Ask,
  dice: Dice,
  entry: Entry,
  prefer: readonly string[] = [],
): Promise<string | undefined> {
  const shown = (await ask("inbox.show", { waitId: entry.id })) as Shown | undefined;
  if (shown === undefined) return undefined;
  const { answers } = entry;
  const choice = prefer.find((each) => answers.includes(each)) ?? dice.pick(answers) ?? "";
  const fields = Object.fromEntries(shown.form.map((field) => [field.name, fill(field, dice)]));
  await ask("inbox.answer", { waitId: entry.id, choice, fields, note: "Looked at it." });
  return choice;
}

function fill({ type, options, minimum }: Field, dice: Dice): Json {
  switch (type) {
    case "number":
      return (minimum ?? 0) + dice.below(100);
    case "confirm":
      return dice.below(2) === 0;
    case "choice":
      return dice.pick(options ?? [])?.value ?? "";
    case "multiselect":
      return (options ?? []).slice(0, 1).map(({ value }) => value);
    case "list":
      return ["one", "two"];
    case "json":
      return dice.below(2) === 0 ? { text: "As it is." } : [];
    default:
      return "As it is.";
  }
}

const INTERFERENCE = ["run.pause", "run.resume", "run.resume", "run.retry"] as const;

export async function interfere(ask: Ask, dice: Dice, runs: readonly string[]): Promise<string> {
  const runId = dice.pick(runs) ?? "";
  // A cancelled run is over: most of them are to come further than that.
  const name = dice.below(8) === 0 ? "run.cancel" : dice.pick(INTERFERENCE);
  await ask(name, { runId });
  return name;
}
