/** Every example that help shows, as a shell would hand it over: understood, taken by its operation, and run. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listNouns } from "../../src/app/methods.ts";
import {
  describeCommand,
  operationsUnder,
} from "../../src/kernel/operation/command-description.ts";
import { inputFields } from "../../src/kernel/operation/input-fields.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import type { Operation } from "../../src/kernel/operation/operation.ts";
import { groupsOf } from "../../src/surfaces/cli/command.ts";
import { findCommand } from "../../src/surfaces/cli/find-command.ts";
import { parseArguments } from "../../src/surfaces/cli/parse-arguments.ts";
import {
  ADMIN,
  type Furniture,
  furnish,
  openEverything,
  WAITING,
} from "../proof/every-operation.ts";

const nouns = listNouns(() => "/nowhere");
const operations = await loadOperations(nouns);
const groups = groupsOf(nouns, async (_, word) =>
  operationsUnder(word, operations).map((operation) => describeCommand(operation)),
);
const EXAMPLES = operations.flatMap((operation) => {
  const examples = operation.surfaces?.cli?.examples ?? [];
  return examples.map((example) => ({ operation, example }));
});

interface Typed {
  readonly words: readonly string[];
  /** A file goes in at `<`. */
  readonly hasInput: boolean;
}

/** Quotes, `<`, `>` and `|` as a shell takes them; what comes after a pipe is another program's. */
function splitLine(line: string): Typed {
  const parts = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"<>|])+|[<>|]/g)].map(([part]) => part);
  const end = parts.findIndex((part) => part === "|" || part === ">" || part === "<");
  const words = (end === -1 ? parts : parts.slice(0, end)).map((part) =>
    part.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? "",
    ),
  );
  return { words, hasInput: parts.includes("<") };
}

const DRAWING = "graph TD\n  A[Plan] --> E[End]\n";
const FILES: Readonly<Record<string, string>> = {
  "workflow.import": JSON.stringify({ mermaid: DRAWING }),
  "workflow.check": DRAWING,
  "workflow.graph": DRAWING,
  "workflow.create": DRAWING,
  "workflow.save": DRAWING,
};

type Example = (typeof EXAMPLES)[number];

async function read({ operation, example }: Example) {
  const { words, hasInput } = splitLine(example);
  const found = await findCommand({ groups }, "throughline", words);
  assert.ok(found.kind === "command", "it names a command");
  const { action } = found.command;
  assert.ok(
    action.kind === "operation" && action.name === operation.name,
    "it is another command's",
  );
  const text = FILES[operation.name] ?? "Some text.";
  const { input } = await parseArguments(found.command, found.rest, {
    isStdinTTY: !hasInput,
    readStdin: async () => text,
    readFile: async () => text,
  });
  return input;
}

describe("examples in help", () => {
  test("are understood by the command they stand under, and taken by its operation", async () => {
    const wrong: string[] = [];
    for (const each of EXAMPLES) {
      try {
        const input = await read(each);
        const { success, error } = each.operation.input.safeParse(input);
        if (!success) wrong.push(`${each.example}: ${error.message}`);
      } catch (error) {
        wrong.push(`${each.example}: ${String(error)}`);
      }
    }

    assert.deepEqual(wrong, []);
    assert.ok(EXAMPLES.length > 250, `${EXAMPLES.length} examples`);
  });

  test("run in a workspace where what they name is there, or are refused for what only the example's own place has", async () => {
    const everything = await openEverything();
    const furniture: Record<string, string> = {
      ...(await furnish(everything, ADMIN, "workspace")),
      userId: "stranger",
    };
    const wrong: string[] = [];
    let done = 0;
    for (const each of makingFirst()) {
      const { operation, example } = each;
      if (WAITING.has(operation.name)) continue;
      const input = fillIn(operation, await read(each), furniture);
      try {
        const made = await everything.as<{ readonly id?: string }>(ADMIN, operation.name, input);
        const [noun = ""] = operation.name.split(".");
        if (MAKING.has(operation.name)) furniture[`${noun}Id`] ??= made.id ?? "";
        done += 1;
      } catch (error) {
        const code = codeOf(error);
        if (REFUSED[code] === undefined) wrong.push(`${example}: ${code}`);
      }
    }
    await everything.kernel.remove();

    assert.deepEqual(wrong, []);
    assert.ok(done > 190, `${done} of ${EXAMPLES.length} were done`);
  });
});

/** Refusals by what the example's own place has and this one has not. */
const REFUSED: Readonly<Record<string, string>> = {
  model_unknown: "a model that somebody pays for",
  upload_not_found: "a file of one's own, which the command line sends first",
  vcs_none: "a repository",
  session_none: "a repository",
  session_not_found: "a repository",
  session_check_impossible: "a repository",
  harvest_nothing: "an answer that has something in it",
  harvest_packet_missing: "an answer that names its packet",
  harvest_no_answer: "an answer, asked for on a terminal",
  review_choice: "candidates of that kind",
  dialectic_not_at_gate: "a stage that is over",
  dialectic_nothing_held: "a held document",
  document_not_found: "that document",
  feedback_not_found: "that remark",
  workflow_not_found: "so many versions",
  workflow_one_version: "so many versions",
  highlight_not_found: "a second highlight",
  message_not_found: "a message of that project",
  conversation_elsewhere: "a conversation of that project",
  export_invalid: "an exported workflow",
  run_not_found: "a second run",
  exchange_first: "a prompt before it",
  task_not_found: "a held step",
  task_not_in_run: "a step of a run",
  step_unknown: "a step of that name",
  team_sentence_unknown: "that sentence",
  team_invalid: "a team in the file",
  team_nothing_asked: "a team that asks",
  answer_not_allowed: "a wait with that choice",
  fields_unknown: "a wait with that field",
  run_not_held: "a held run",
  run_ended: "a run under way",
  task_transition: "a task that is not over",
  task_not_for_agent: "a task of an agent",
  command_by_file: "a workspace of one person",
  workflow_version_not_found: "a third version",
  backup_not_found: "that backup",
  sample_missing: "the sample",
};

function codeOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  const isOwnForm = /fields\.severity: there is no such field/.test(message);
  return code === "input_invalid" && isOwnForm ? "fields_unknown" : (code ?? message);
}

/** They make what others name, and come first. */
const MAKING: ReadonlySet<string> = new Set([
  "project.add",
  "workflow.copy",
  "view.save",
  "agent.add",
  "user.invite",
  "notice.add",
]);

function makingFirst(): readonly Example[] {
  const isMaking = ({ operation }: Example) => MAKING.has(operation.name);
  return [...EXAMPLES.filter(isMaking), ...EXAMPLES.filter((each) => !isMaking(each))];
}

function fillIn(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  furniture: Furniture,
): object {
  const noun = operation.name.slice(0, operation.name.indexOf("."));
  const isWaiting = inputFields(operation.input).some(({ name }) => name === "wait");
  const filled = Object.entries(input).map(([name, value]) => {
    if (typeof value !== "string" || !/^0199[a-f0-9-]+$/.test(value)) return [name, value];
    if (noun === "exchange" && name !== "runId") return [name, furniture["exchangeId"]];
    if (noun === "team") return [name, furniture["teamRunId"]];
    if (name === "originId") return [name, furniture[`${String(input["originType"])}Id`]];
    if (name === "run") return [name, furniture["workflowRunId"]];
    return [name, furniture[name] ?? furniture[`${noun}Id`] ?? value];
  });
  return { ...Object.fromEntries(filled), ...(isWaiting ? { wait: false } : {}) };
}
