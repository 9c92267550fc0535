/**
 * One document out of the replies of several calls. The engine owns the cursor: a continuation is joined
 * where the text was cut, and one that came as a JSON document of its own is merged by identity. What
 * belongs to another document is refused and reported; what was received before never gets lost.
 *
 * What stands is always a text that reads as the document so far, so a turn that is taken up again after
 * a crash goes on from it like from any other.
 */

import type { Contract } from "../../../kernel/contract/contract.ts";
import { joinContinuation } from "../../../kernel/contract/join-continuation.ts";
import { type Merged, mergeContinued } from "../../../kernel/contract/merge-continued.ts";
import { isPlainObject, type Path } from "../../../kernel/contract/path.ts";
import { readReply } from "../../../kernel/contract/read-reply.ts";
import type { OpenLeaf, Refused } from "../../../kernel/contract/reading.ts";
import type { Asked, Assembled, ReplyAssembly } from "../../../kernel/contract/reply-assembly.ts";
import { propertiesOf, shapeOf } from "../../../kernel/contract/shape.ts";
import type { TurnCall } from "../../../kernel/run/handler.ts";

export interface AssemblyPlan {
  readonly documentKey: string;
  readonly contract: Contract;
  /** The user's turn that asks for more. */
  ask(asked: Asked, text: string, refusal: Refused): string;
}

/** Something received that is not in the document, with where it stood and why. */
export interface SetAside {
  readonly call: number;
  readonly path: string;
  readonly why: string;
  readonly received: unknown;
}

export function replyAssembly(plan: AssemblyPlan): ReplyAssembly {
  return {
    join: (soFar, next, asked) => {
      const { text, progressed } = step(plan, soFar, next, asked);
      return { text, progressed };
    },
    read: (text, finish) => readReply(plan.contract, text, finish),
    ask: (asked, text, refusal) => plan.ask(asked, text, refusal),
  };
}

export interface Assembly {
  readonly text: string;
  readonly setAside: readonly SetAside[];
}

/** The same joining once more, for what it set aside. */
export function assembleCalls(
  plan: Pick<AssemblyPlan, "documentKey" | "contract">,
  calls: readonly Pick<TurnCall, "asked" | "text">[],
): Assembly {
  let text = "";
  const setAside: SetAside[] = [];
  for (const [call, { asked, text: next }] of calls.entries()) {
    if (asked === "first" || text === "") {
      text = next;
      continue;
    }
    const joined = step(plan, text, next, asked);
    text = joined.text;
    setAside.push(...joined.setAside.map((each) => ({ ...each, call })));
  }
  return { text, setAside };
}

/** What can be had of a reply that was given up, without the leaf that was still open where it cannot be shown. */
export function partialOf(contract: Contract, text: string): Readonly<Record<string, unknown>> {
  const reading = readReply(contract, text, { finish: "cut" });
  if (reading.ok) return isPlainObject(reading.value) ? reading.value : {};
  const { partial, open } = reading;
  const value = open?.text === undefined ? partial : mergeContinued(partial, {}, { open }).value;
  const own = propertiesOf(shapeOf(contract));
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(own, key)));
}

interface Step extends Assembled {
  readonly setAside: readonly Omit<SetAside, "call">[];
}

type Plan = Pick<AssemblyPlan, "documentKey" | "contract">;

function step(plan: Plan, soFar: string, next: string, asked: Asked): Step {
  return asked === "correct" ? corrected(plan, soFar, next) : continued(plan, soFar, next);
}

function continued(plan: Plan, soFar: string, next: string): Step {
  const addition = wholeObjectIn(next);
  if (addition === undefined || isRestOfText(plan, soFar, next)) {
    const { text, repeated, shrunk, added } = joinContinuation(soFar, next);
    const stays = shrunk || (repeated && added > 0);
    return {
      text: stays ? soFar : text,
      progressed: !stays && added > 0,
      setAside: stays
        ? [{ path: "", why: "It repeats or shortens what was there.", received: next }]
        : [],
    };
  }
  const before = readReply(plan.contract, soFar, { finish: "cut" });
  if (before.ok) return keep(soFar, "", "The document was whole already.", addition);
  const merged = mergeContinued(before.partial ?? {}, unwrapped(plan, addition), {
    contract: plan.contract,
    documentKey: plan.documentKey,
    ...(before.open === undefined ? {} : { open: before.open }),
  });
  const setAside = merged.notes
    .filter(({ kind }) => kind === "refused" || kind === "conflict")
    .map(({ path, sentence, received }) => ({ path, why: sentence, received }));
  const whole = wholeOf(plan, merged, addition);
  if (whole !== undefined) {
    return { text: JSON.stringify(whole, null, 2), progressed: true, setAside };
  }
  if (!merged.progressed) return { text: soFar, progressed: false, setAside };
  return { text: printOpen(merged.value, merged.open), progressed: true, setAside };
}

/**
 * A model that answers with an object of its own has ended it by itself. When what it brought leaves no text in the
 * middle, there is nothing left to ask for; nor when it is the whole document once more from its beginning.
 */
function wholeOf(plan: Plan, merged: Merged, addition: Record<string, unknown>): unknown {
  const reads = (value: unknown) =>
    readReply(plan.contract, JSON.stringify(value), { finish: "stop" }).ok;
  const again = unwrapped(plan, addition);
  const isAgain = !claimsOther(plan, addition) && reads(again);
  const isClosed = merged.progressed && merged.open?.text === undefined;
  if ((isClosed || isAgain) && reads(merged.value)) return merged.value;
  return isAgain ? again : undefined;
}

/** What says that it is another document is never this one, however well it fits. */
function claimsOther({ documentKey }: Plan, { document_key: claim }: Record<string, unknown>) {
  return typeof claim === "string" && claim !== documentKey;
}

function keep(text: string, path: string, why: string, received: unknown): Step {
  return { text, progressed: false, setAside: [{ path, why, received }] };
}

/**
 * A whole object may still be the rest of a text: the item that was to come next. It is, when it has none
 * of the document's own keys and the two texts together are the beginning of one value.
 */
function isRestOfText({ contract }: Plan, soFar: string, next: string): boolean {
  const joined = joinContinuation(soFar, next);
  if (joined.seam === "mark") return true;
  const addition = wholeObjectIn(next);
  const own = propertiesOf(shapeOf(contract));
  const hasOwn = Object.keys(addition ?? {}).some((key) => Object.hasOwn(own, key));
  if (hasOwn || joined.seam === "restart") return false;
  const before = readReply(contract, soFar, { finish: "cut" });
  const after = readReply(contract, joined.text, { finish: "cut" });
  const isOpenText = !before.ok && before.open?.text !== undefined;
  return (
    !isOpenText && !after.ok && after.failure === "truncated" && claims(addition) === undefined
  );
}

function claims(value: unknown): unknown {
  return isPlainObject(value) ? (value["document_key"] ?? value["content"]) : undefined;
}

const WRAPPER = "content";

function unwrapped(plan: Plan, addition: Record<string, unknown>): unknown {
  const own = propertiesOf(shapeOf(plan.contract));
  if (claimsOther(plan, addition)) return addition;
  const inner = addition[WRAPPER];
  if (!isPlainObject(inner) || Object.hasOwn(own, WRAPPER)) return addition;
  const { [WRAPPER]: _, ...beside } = addition;
  return { ...beside, ...inner };
}

/** The one JSON object that a text is, whatever fences or words stand around it. */
function wholeObjectIn(text: string): Record<string, unknown> | undefined {
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  if (from === -1 || to < from) return undefined;
  // Marks of JSON around it show that it is a piece of something larger.
  const around = (text.slice(0, from) + text.slice(to + 1)).replaceAll(/```\w*/g, "").trim();
  if (around.length > MOST_WORDS_AROUND || /["[\]{}]|^,|,$/.test(around)) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1));
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const MOST_WORDS_AROUND = 400;

/** A corrected reply counts; what only the earlier one had is kept beside it. */
function corrected(plan: Plan, soFar: string, next: string): Step {
  const after = readReply(plan.contract, next, { finish: "stop" });
  if (after.ok) return { text: next, progressed: true, setAside: [] };
  const mine = valueIn(plan.contract, next, after);
  const theirs = partialOf(plan.contract, soFar);
  if (Object.keys(mine).length === 0) {
    return keep(soFar, "", "Nothing of this document was in it.", next);
  }
  const isNew = Object.keys(theirs).length > 0;
  if (!isNew || after.failure === "truncated") {
    return { text: next, progressed: true, setAside: [] };
  }
  // The later version of a field stands: it is the one that was asked to be right.
  const merged = mergeContinued(mine, theirs, { contract: plan.contract });
  const setAside = merged.notes
    .filter(({ kind }) => kind === "refused")
    .map(({ path, sentence, received }) => ({ path, why: sentence, received }));
  return { text: JSON.stringify(merged.value, null, 2), progressed: true, setAside };
}

function valueIn(
  contract: Contract,
  text: string,
  reading: Refused,
): Readonly<Record<string, unknown>> {
  const own = propertiesOf(shapeOf(contract));
  const value = isPlainObject(reading.partial) ? reading.partial : partialOf(contract, text);
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(own, key)));
}

/**
 * The document as a text that is cut where it is open: the open text is printed last and left unclosed, so
 * reading it gives the same value and the same place again. Where it cannot be printed last, the document is
 * left open at its end.
 */
export function printOpen(value: unknown, open: OpenLeaf | undefined): string {
  const whole = JSON.stringify(openLast(value, open?.path ?? []), null, 2) ?? "{}";
  const end = open?.text === undefined ? undefined : lastTextEnd(whole, value, open.path);
  return end === undefined ? whole.replace(/\s*\}\s*$/, "") : whole.slice(0, end);
}

function openLast(value: unknown, path: Path): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return value;
  if (Array.isArray(value) && typeof segment === "number") {
    return value.map((item, index) => (index === segment ? openLast(item, rest) : item));
  }
  if (!isPlainObject(value) || typeof segment === "number") return value;
  const { [segment]: open, ...others } = value;
  return { ...others, [segment]: openLast(open, rest) };
}

/** Where the closing quote of the open text stands, if nothing but closing brackets follows it. */
function lastTextEnd(text: string, value: unknown, path: Path): number | undefined {
  let at: unknown = value;
  for (const segment of path) {
    if (Array.isArray(at) && typeof segment === "number") {
      if (segment !== at.length - 1) return undefined;
      at = at[segment];
    } else if (isPlainObject(at)) at = at[String(segment)];
    else return undefined;
  }
  if (typeof at !== "string") return undefined;
  const tail = /"[\s}\]]*$/.exec(text);
  return tail?.index;
}
