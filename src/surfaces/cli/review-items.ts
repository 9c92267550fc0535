/**
 * Goes through the items of a result with the person at the terminal and carries all answers out in one call. Whoever
 * stops in between has decided about the items before; whoever interrupts has decided about none.
 */

import type { ReviewAnswer, ReviewHint } from "../../kernel/operation/operation.ts";
import type { CliTerminal, CliWorld } from "./cli-world.ts";
import { exitCodeOf, INTERRUPTED } from "./exit-code.ts";
import type { OperationClient } from "./operation-client.ts";
import { renderView, type Surface } from "./render-output.ts";
import { safeText } from "./safe-text.ts";

type Item = Readonly<Record<string, unknown>>;
type Answers = Record<string, unknown[]>;

export async function reviewItems(
  world: CliWorld,
  client: OperationClient,
  hint: ReviewHint,
  { output, surface }: { readonly output: unknown; readonly surface: Surface },
): Promise<number> {
  const { stdout, stderr, signal } = world;
  const result = output as Item;
  const open = itemsOf(result, hint);
  const terminal = open.length === 0 ? undefined : await world.openTerminal?.();
  if (terminal === undefined) return 0;
  const subject = Object.fromEntries(hint.subject.map((field) => [field, result[field]]));
  const answers = await askAbout(world, client, hint, { open, subject, terminal, surface });
  if (signal.aborted) return INTERRUPTED;
  if (Object.keys(answers).length === 0) {
    stderr.write("Nothing was decided.\n");
    return 0;
  }
  const idempotencyKey = world.nextKey();
  const applied = await client.invoke(
    hint.apply,
    { ...subject, ...answers },
    { signal, idempotencyKey },
  );
  stdout.write(`\n${renderView(applied.view ?? "", surface)}\n`);
  return exitCodeOf(applied.outcome);
}

interface Round {
  readonly open: readonly Item[];
  readonly subject: Item;
  readonly terminal: CliTerminal;
  readonly surface: Surface;
}

async function askAbout(
  world: CliWorld,
  client: OperationClient,
  hint: ReviewHint,
  { open, subject, terminal, surface }: Round,
): Promise<Answers> {
  const answers: Answers = {};
  let isAll = false;
  try {
    for (const [at, item] of open.entries()) {
      const key = item[hint.key];
      if (isAll && choicesOf(item, hint).includes(hint.all ?? "")) {
        add(answers, hint.all ?? "", key);
        continue;
      }
      const { view } = await client.invoke(
        hint.view,
        { ...subject, [hint.key]: key },
        { signal: world.signal },
      );
      world.stdout.write(`\n${renderView(view ?? "", surface)}\n`);
      const answer = await askOne(terminal, hint, item, `${at + 1}/${open.length}`);
      if (answer === undefined || world.signal.aborted) break;
      isAll ||= answer.isAll;
      add(
        answers,
        answer.name,
        answer.words === undefined ? key : { [hint.key]: key, ...answer.words },
      );
    }
    return answers;
  } finally {
    terminal.close();
  }
}

interface OneAnswer {
  readonly name: string;
  readonly isAll: boolean;
  readonly words?: Item | undefined;
}

/** Undefined: no more questions. */
async function askOne(
  terminal: CliTerminal,
  hint: ReviewHint,
  item: Item,
  place: string,
): Promise<OneAnswer | undefined> {
  const choices = choicesOf(item, hint);
  const all = hint.all !== undefined && choices.includes(hint.all) ? hint.all : undefined;
  const offered = choices.flatMap((name) => {
    const answer = hint.answers[name];
    return answer === undefined ? [] : [{ name, answer }];
  });
  const letters = [
    ...offered.map(({ answer }) => `${answer.letter} ${answer.says}`),
    ...(all === undefined ? [] : [`A ${hint.answers[all]?.says} all`]),
    "q stop here",
  ].join(", ");
  for (;;) {
    const typed = (await terminal.ask(`${place}: ${letters}? `))?.trim();
    if (typed === undefined || typed === "q") return undefined;
    if (typed === "A" && all !== undefined) return { name: all, isAll: true };
    const chosen = offered.find(({ answer, name }) => typed === answer.letter || typed === name);
    if (chosen === undefined) continue;
    const words = await askWords(terminal, chosen.answer, item);
    return { name: chosen.name, isAll: false, words };
  }
}

/** Nothing typed keeps what is there. */
async function askWords(
  terminal: CliTerminal,
  { fields }: ReviewAnswer,
  item: Item,
): Promise<Item | undefined> {
  if (fields === undefined) return undefined;
  const words: Record<string, string> = {};
  for (const field of fields) {
    const now = typeof item[field] === "string" ? safeText(item[field]).replaceAll("\n", " ") : "";
    const typed = await terminal.ask(
      `  ${field} [${now.length > 60 ? `${now.slice(0, 59)}…` : now}]: `,
    );
    if (typed !== undefined && typed.trim() !== "") words[field] = typed.trim();
  }
  return words;
}

function itemsOf(result: Item, hint: ReviewHint): readonly Item[] {
  const items = result[hint.items];
  if (!Array.isArray(items)) return [];
  return (items as readonly Item[]).filter(
    (item) => item[hint.open.field] === hint.open.is && choicesOf(item, hint).length > 0,
  );
}

function choicesOf(item: Item, { choices }: ReviewHint): readonly string[] {
  const named = item[choices];
  return Array.isArray(named) ? named.filter((name) => typeof name === "string") : [];
}

function add(answers: Answers, name: string, value: unknown): void {
  (answers[name] ??= []).push(value);
}
