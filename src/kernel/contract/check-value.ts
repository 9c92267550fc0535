/** Holds a value against a contract: validation, then coercion where validation failed, then again. */

import { coerceToShape } from "./coerce.ts";
import type { Contract } from "./contract.ts";
import { inspectValue, MOST_DEPTH, withoutReservedKeys } from "./inspect.ts";
import { createLedger, excerptOf, type Ledger, type Repair } from "./ledger.ts";
import { formatPath, isPlainObject, type Path } from "./path.ts";
import { problemsOf } from "./problems.ts";
import { type Problem, type Reading, refused } from "./reading.ts";
import { shapeOf } from "./shape.ts";
import { placeholdersIn } from "./skeleton.ts";

/** For values that did not come as a reply's text: forms, merged documents, imported answers. */
export function checkValue<Value>(contract: Contract<Value>, value: unknown): Reading<Value> {
  return judgeParsed(contract, value, createLedger());
}

/** Makes a value from outside inert and bounded, then judges it. */
export function judgeParsed<Value>(
  contract: Contract<Value>,
  value: unknown,
  ledger: Ledger,
): Reading<Value> {
  const { tooDeep, hasReservedKeys } = inspectValue(value);
  if (tooDeep) return refused("invalid", [tooDeepProblem("")], { repairs: ledger.entries() });
  return judge(contract, hasReservedKeys ? withoutReservedKeys(value, ledger) : value, ledger);
}

export function tooDeepProblem(path: string): Problem {
  const message = `The reply is nested deeper than ${MOST_DEPTH} levels.`;
  return { code: "too_deep", path, message };
}

/** The last steps of the ladder. `value` is ours, bounded in depth and free of reserved keys. */
export function judge<Value>(
  contract: Contract<Value>,
  written: unknown,
  ledger: Ledger,
): Reading<Value> {
  const value = adapted(contract, written, ledger);
  const first = contract.schema.safeParse(value);
  if (first.success) return accept(contract, value, first.data, ledger);
  const fitted = coerceToShape(shapeOf(contract), withTexts(contract, value, ledger), ledger);
  const second = fitted === value ? first : contract.schema.safeParse(fitted);
  if (second.success) return accept(contract, fitted, second.data, ledger);
  const problems = problemsOf(second.error, fitted, shapeOf(contract));
  return refused("invalid", problems, { repairs: ledger.entries(), partial: fitted });
}

function adapted({ adapt }: Contract, written: unknown, ledger: Ledger): unknown {
  if (adapt === undefined) return written;
  return adapt(written, (path, before, after, sentence) =>
    note(ledger, path, before, after, sentence, "coerce"),
  );
}

/** A field that a section would take as text or JSON may come as a bare text in a JSON reply too. */
function withTexts(contract: Contract, value: unknown, ledger: Ledger): unknown {
  if (!isPlainObject(value)) return value;
  const changed: Record<string, unknown> = {};
  for (const { field, textAs } of contract.sections) {
    const text = value[field];
    if (textAs === undefined || typeof text !== "string") continue;
    changed[field] = { [textAs]: text };
    const sentence = `A text was read as the \`${textAs}\` of an object.`;
    note(ledger, [field], text, changed[field], sentence, "coerce");
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
}

function accept<Value>(
  contract: Contract<Value>,
  written: unknown,
  value: Value,
  ledger: Ledger,
): Reading<Value> {
  if (!isSame(written, value)) noteSchemaChanges(written, value, [], ledger);
  const placeholders = placeholdersIn(contract, value);
  const problems = [...placeholders, ...lossyRepairs(ledger.entries())];
  const loss = ledger.loss();
  if (problems.length > 0 || loss === "lossy") {
    return refused("invalid", problems, { repairs: ledger.entries(), partial: value });
  }
  return { ok: true, value, repairs: ledger.entries(), loss };
}

/** What may not be accepted: lossy repairs, and keys that only a guess about quotes brought about. */
function lossyRepairs(repairs: readonly Repair[]): Problem[] {
  const isGuessed = repairs.some(({ step, after }) => step === "repair" && after.includes('\\"'));
  return repairs
    .filter(
      ({ loss, step, after }) =>
        loss === "lossy" || (isGuessed && step === "validate" && after === ""),
    )
    .map(({ path, sentence }) => ({
      code: "would_lose_data",
      path,
      message: `This cannot be read without a guess: ${sentence}`,
    }));
}

function isSame(written: unknown, value: unknown): boolean {
  if (written === value) return true;
  if (Array.isArray(written)) {
    if (!Array.isArray(value) || written.length !== value.length) return false;
    for (let i = 0; i < written.length; i += 1) if (!isSame(written[i], value[i])) return false;
    return true;
  }
  if (!isPlainObject(written) || !isPlainObject(value)) return false;
  let members = 0;
  for (const key in written) {
    if (!Object.hasOwn(value, key) || !isSame(written[key], value[key])) return false;
    members += 1;
  }
  for (const _ in value) members -= 1;
  return members === 0;
}

/** What the schema itself changed: keys it does not know, defaults, transforms. */
function noteSchemaChanges(written: unknown, value: unknown, path: Path, ledger: Ledger): void {
  if (isSame(written, value)) return;
  if (Array.isArray(written) && Array.isArray(value) && written.length === value.length) {
    written.forEach((item, index) =>
      noteSchemaChanges(item, value[index], [...path, index], ledger),
    );
    return;
  }
  if (!isPlainObject(written) || !isPlainObject(value)) {
    note(ledger, path, written, value, "The schema itself changed this value.");
    return;
  }
  for (const [key, inner] of Object.entries(written)) {
    const sentence = `"${key}" is not part of the contract and was left out.`;
    if (Object.hasOwn(value, key)) noteSchemaChanges(inner, value[key], [...path, key], ledger);
    else note(ledger, [...path, key], inner, undefined, sentence);
  }
  for (const [key, inner] of Object.entries(value)) {
    const sentence = `"${key}" was absent and has the contract's default.`;
    if (!Object.hasOwn(written, key)) note(ledger, [...path, key], undefined, inner, sentence);
  }
}

function note(
  ledger: Ledger,
  path: Path,
  before: unknown,
  after: unknown,
  sentence: string,
  step: "coerce" | "validate" = "validate",
): void {
  ledger.add({
    step,
    path: formatPath(path),
    before: before === undefined ? "" : excerptOf(before),
    after: after === undefined ? "" : excerptOf(after),
    sentence,
    loss: "coerced",
  });
}
