/**
 * Prompts as files: a head that says what the prompt is for and which variables it takes, and a
 * body with their places. The variables declared and the variables used are the same, or the file
 * is refused; so a prompt can neither forget a value nor wait for one that nobody knows of.
 */

import { isReservedName, printPath } from "../base/json-path.ts";
import { parseTemplate, type Template } from "../base/template.ts";
import { positionAt } from "../base/text-position.ts";
import { nearMatches } from "../contract/near-match.ts";
import { type FrontMatter, type FrontMatterField, readFrontMatter } from "./front-matter.ts";
import type { LibraryFile } from "./library.ts";
import { fileInvalid, type LibraryProblem } from "./library-problem.ts";

export interface LibraryPrompt {
  /** The file's name without folder and ending. */
  readonly name: string;
  readonly description: string;
  readonly role: PromptRole;
  /** The name of the contract that the reply is read by. */
  readonly contract: string | undefined;
  readonly variables: readonly PromptVariable[];
  readonly body: string;
  readonly template: Template;
  readonly file: LibraryFile;
}

type PromptRole = "system" | "user";

interface PromptVariable {
  readonly name: string;
  readonly description: string;
}

const FIELDS = ["name", "description", "role", "contract", "variables"];

const parsed = new WeakMap<LibraryFile, LibraryPrompt>();

/** A file that `library.read` has handed out before is not parsed again. */
export function parsePrompt(file: LibraryFile): LibraryPrompt {
  const before = parsed.get(file);
  if (before !== undefined) return before;
  const prompt = readPrompt(file);
  parsed.set(file, prompt);
  return prompt;
}

function readPrompt(file: LibraryFile): LibraryPrompt {
  const text = file.text.replaceAll("\r\n", "\n");
  const head = readFrontMatter(text);
  if ("code" in head) {
    const { message, hint, offset } = head;
    const problem = { line: positionAt(text, offset).line, message: `${message}.` };
    throw fileInvalid("prompt_invalid", file, [
      hint === undefined ? problem : { ...problem, hint },
    ]);
  }
  const template = parseTemplate(head.body);
  const problems: LibraryProblem[] = [];
  const prompt: LibraryPrompt = {
    name: readName(file, head, problems),
    description: readText(head, "description", problems) ?? "",
    role: readRole(head, problems),
    contract: head.fields.has("contract") ? readText(head, "contract", problems) : undefined,
    variables: readVariables(head, problems),
    body: head.body,
    template,
    file,
  };
  problems.push(
    ...unknownFields(head),
    ...bodyProblems(head, template),
    ...variableProblems(head, template),
  );
  if (problems.length > 0) throw fileInvalid("prompt_invalid", file, problems);
  return prompt;
}

function readName(file: LibraryFile, head: FrontMatter, problems: LibraryProblem[]): string {
  const expected = file.path.slice(file.path.lastIndexOf("/") + 1).replace(/\.md$/, "");
  const name = readText(head, "name", problems);
  if (name !== undefined && name !== expected) {
    problems.push({
      line: lineOf(head, "name"),
      message: `The name is "${name}", but the file is called "${expected}".`,
      hint: "Name and file are the same, so that a prompt is found by either.",
    });
  }
  return expected;
}

function readText(head: FrontMatter, key: string, problems: LibraryProblem[]): string | undefined {
  const field = head.fields.get(key);
  if (field?.kind === "text" && field.text !== "") return field.text;
  problems.push({
    line: field?.line ?? 1,
    message: field === undefined ? `The field "${key}" is missing.` : `"${key}" must be a text.`,
  });
  return undefined;
}

function readRole(head: FrontMatter, problems: LibraryProblem[]): PromptRole {
  const role = readText(head, "role", problems);
  if (role === "system" || role === "user") return role;
  if (role !== undefined) {
    problems.push({
      line: lineOf(head, "role"),
      message: `"${role}" is no role.`,
      hint: "Roles are system and user.",
    });
  }
  return "user";
}

function readVariables(head: FrontMatter, problems: LibraryProblem[]): PromptVariable[] {
  const field = head.fields.get("variables");
  if (field === undefined) return [];
  if (field.kind !== "map") {
    problems.push({
      line: field.line,
      message: '"variables" must name each variable with its meaning.',
      hint: "Below `variables:`, one indented line each: `request: What the person asks.`",
    });
    return [];
  }
  return [...field.entries].map(([name, { line, text }]) => {
    if (text === "" || !isVariableName(name)) {
      problems.push({
        line,
        message:
          text === "" ? `"${name}" has no meaning given.` : `"${name}" cannot name a variable.`,
      });
    }
    return { name, description: text };
  });
}

function isVariableName(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name) && !isReservedName(name);
}

function unknownFields(head: FrontMatter): LibraryProblem[] {
  return [...head.fields]
    .filter(([key]) => !FIELDS.includes(key))
    .map(([key, { line }]) => {
      const [near] = nearMatches(key, FIELDS);
      return {
        line,
        message: `There is no field "${key}".`,
        hint: near === undefined ? `Fields are ${FIELDS.join(", ")}.` : `Did you mean "${near}"?`,
      };
    });
}

function bodyProblems(head: FrontMatter, template: Template): LibraryProblem[] {
  if (head.body === "") return [{ line: head.bodyLine, message: "The prompt has no body." }];
  return template.parts.flatMap((part) =>
    part.kind === "broken"
      ? [
          {
            line: head.bodyLine + part.position.line - 1,
            message: `${part.source}: ${part.reason}.`,
          },
        ]
      : [],
  );
}

function variableProblems(head: FrontMatter, template: Template): LibraryProblem[] {
  const field = head.fields.get("variables");
  const declared = declaredLines(field);
  const used = usedLines(head, template);
  return [
    ...[...used]
      .filter(([name]) => !declared.has(name))
      .map(([name, { line, path }]) => ({
        line,
        message: `{{${path}}} uses the variable "${name}", which the head does not declare.`,
        hint: `Add \`${name}: what it holds\` below \`variables:\`.`,
      })),
    ...[...declared]
      .filter(([name]) => !used.has(name))
      .map(([name, line]) => ({
        line,
        message: `The variable "${name}" is declared and never used.`,
        hint: `Use {{${name}}} in the body, or remove the line.`,
      })),
  ];
}

function declaredLines(field: FrontMatterField | undefined): ReadonlyMap<string, number> {
  if (field?.kind !== "map") return new Map();
  return new Map([...field.entries].map(([name, { line }]) => [name, line]));
}

/** The first use of each variable; a path such as `file.path` uses the variable `file`. */
function usedLines(
  head: FrontMatter,
  template: Template,
): ReadonlyMap<string, { readonly line: number; readonly path: string }> {
  const used = new Map<string, { line: number; path: string }>();
  for (const part of template.parts) {
    if (part.kind !== "place") continue;
    const name = String(part.path[0]);
    const line = head.bodyLine + part.position.line - 1;
    if (!used.has(name)) used.set(name, { line, path: printPath(part.path) });
  }
  return used;
}

function lineOf(head: FrontMatter, key: string): number {
  return head.fields.get(key)?.line ?? 1;
}
