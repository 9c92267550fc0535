/** Questions as models write them, brought into the one form in which they are asked. */

import { plainKey } from "../../../kernel/contract/coerce.ts";
import type { NoteChange } from "../../../kernel/contract/contract.ts";
import { isPlainObject, type Path } from "../../../kernel/contract/path.ts";
import { isChosen, isQuestionId, QUESTION_TYPES, type QuestionType } from "./question.ts";

type Members = Readonly<Record<string, unknown>>;

export function adaptQuestions(written: unknown, path: Path, note: NoteChange): unknown {
  const listed = listOf(written, path, note);
  if (!Array.isArray(listed)) return listed;
  const taken = new Set<string>();
  return listed.map((each: unknown, index) => {
    const place = [...path, index];
    const question = typeof each === "string" ? { question: each.trim() } : each;
    if (!isPlainObject(question)) return each;
    return withId(adaptQuestion(question, place, note), index, taken, place, note);
  });
}

const NOTHING = /^[-*•\s]*(?:none|n\/a|no questions?|nothing)?[.\s]*$/i;
const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

/** The list itself, whether it came as one, inside an object, as one question or as lines of text. */
function listOf(written: unknown, path: Path, note: NoteChange): unknown {
  if (isPlainObject(written)) {
    if (Array.isArray(written["questions"])) return written["questions"];
    if (typeof written["text"] !== "string" || "question" in written) return [written];
    return listOf(written["text"], path, note);
  }
  if (typeof written !== "string") return written;
  const lines = written.split(/\r?\n/).filter((line) => !NOTHING.test(line));
  const asked = lines.map((line) => line.replace(BULLET, "").trim());
  note(path, written, asked, "Lines of text were read as questions.");
  return asked;
}

const KEYS: Readonly<Record<string, string>> = {
  text: "question",
  prompt: "question",
  label: "question",
  title: "question",
  name: "id",
  key: "id",
  choices: "options",
  default: "defaultValue",
};

const RULES = ["min", "max", "minLength", "maxLength"];

function adaptQuestion(written: Members, path: Path, note: NoteChange): Members {
  const question = { ...renamed(written, path, note) };
  const rules = rulesOf(question, path, note);
  if (rules !== undefined) question["validation"] = rules;
  for (const rule of RULES) delete question[rule];
  if (Array.isArray(question["options"])) question["options"] = question["options"].map(optionOf);
  const type = typeOf(question);
  if (type !== question["type"]) {
    note([...path, "type"], question["type"], type, "The type was read from what is asked for.");
    question["type"] = type;
  }
  return question;
}

function renamed(written: Members, path: Path, note: NoteChange): Members {
  const entries = Object.entries(written).map(([key, value]): [string, unknown] => {
    const name = KEYS[key];
    if (name === undefined || Object.hasOwn(written, name)) return [key, value];
    note([...path, name], key, name, `The key "${key}" was read as "${name}".`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

function rulesOf(question: Members, path: Path, note: NoteChange): unknown {
  const beside = RULES.filter((rule) => Object.hasOwn(question, rule));
  const inside = question["validation"];
  const given = isPlainObject(inside) ? inside : undefined;
  if (given === undefined && beside.length === 0) return inside ?? undefined;
  const { pattern, ...rules } = given ?? {};
  if (pattern !== undefined) {
    const sentence = "A pattern that a model wrote is not run; the answer is not held to it.";
    note([...path, "validation", "pattern"], pattern, undefined, sentence);
  }
  return { ...Object.fromEntries(beside.map((rule) => [rule, question[rule]])), ...rules };
}

function optionOf(written: unknown): unknown {
  if (!isPlainObject(written)) return { value: written, label: String(written) };
  const { value = written["id"] ?? written["label"], label = written["value"], ...rest } = written;
  return { ...rest, value, label: typeof label === "string" ? label : JSON.stringify(label) };
}

const TYPE_NAMES: readonly (readonly [RegExp, QuestionType])[] = [
  [/^(?:multi|multiple|multiplechoice|multichoice|checkbox(?:es)?|multiselect)$/, "multiselect"],
  [/^(?:choice|select|singleselect|singlechoice|radio|dropdown|enum|options?)$/, "choice"],
  [/^(?:confirm|confirmation|boolean|bool|yesno|yes\/no|toggle)$/, "confirm"],
  [/^(?:number|integer|int|float|numeric)$/, "number"],
  [/^(?:text|string|textarea|longtext|freetext|open)$/, "text"],
];

/** A question to choose from needs something to choose from. */
function typeOf({ type, options }: Members): unknown {
  const hasOptions = Array.isArray(options) && options.length > 0;
  if (type === undefined || type === null) return hasOptions ? "choice" : "text";
  if (typeof type !== "string") return type;
  const plain = plainKey(type);
  const known = TYPE_NAMES.find(([names]) => names.test(plain))?.[1];
  if (known === undefined) return type;
  if (isChosen(known) && !hasOptions) return "text";
  return QUESTION_TYPES.find((each) => each === known) ?? type;
}

function withId(
  question: Members,
  index: number,
  taken: Set<string>,
  path: Path,
  note: NoteChange,
): Members {
  const written = question["id"];
  const isGood = typeof written === "string" && isQuestionId(written) && !taken.has(written);
  let id = isGood ? written : `q${index + 1}`;
  while (taken.has(id)) id = `${id}_`;
  taken.add(id);
  if (isGood) return question;
  note([...path, "id"], written, id, "The question was given an id of its own.");
  return { ...question, id };
}
