/**
 * Unless told otherwise, the rehearsal model is a well-meaning colleague: work succeeds, reviews
 * approve, nothing is blocked. So a demonstration runs to its end, and trouble is had on request.
 */

const OUTCOME =
  /\b(?:status|state|verdict|outcome|result|next action|approval|assessment|ruling|recommendation|conclusion)\b/;
const GOOD =
  /^(?:success(?:ful)?|succeeded|completed?|done|ok(?:ay)?|pass(?:ed)?|approved?|accept(?:ed)?|yes|ready|agreed?|resolved|on[_ -]track|valid|met)$/i;
const BAD =
  /^(?:fail(?:ed|ure)?|block(?:ed|ing)?|error|reject(?:ed)?|on[_ -]?hold|hold|escalated?|cancel(?:led|ed)?|halt(?:ed)?|stop(?:ped)?|abort(?:ed)?|refused?|denied|deny|critical|remove|delete|no|partial|invalid|abandon(?:ed)?|needs[_ -]revision|urgent)$/i;

/** The choices a colleague of good will would consider; never none. */
export function goodChoices(words: string, values: readonly unknown[]): readonly unknown[] {
  const matching = (pattern: RegExp) =>
    values.filter((value) => typeof value === "string" && pattern.test(value));
  const good = OUTCOME.test(words) ? matching(GOOD) : [];
  if (good.length > 0) return good;
  const bad = new Set(matching(BAD));
  const rest = values.filter((value) => !bad.has(value) && value !== null);
  return rest.length > 0 ? rest : values;
}

/** What takes away, moves or rewrites what others made. */
const DISTURBING =
  /^(?:remove|delete|reject|reparent|move|rename|replace|change[_ -]?param|select[_ -]?version)$/i;

/** Of several ways to act, those that leave alone what others made; all of them when there is no such way. */
export function kindWays<Way>(
  ways: readonly Way[],
  markOf: (way: Way) => readonly string[],
): readonly Way[] {
  const kind = ways.filter((way) => !markOf(way).some((mark) => DISTURBING.test(mark)));
  const good = kind.filter((way) => markOf(way).some((mark) => GOOD.test(mark)));
  if (good.length > 0) return good;
  return kind.length > 0 ? kind : ways;
}

/** Which way a yes-or-no question goes by its name; `undefined` lets the dice decide. */
export function leaning(words: string): boolean | undefined {
  if (
    /\b(?:block|blocks|blocked|blocking|blocker|halt|fail|failed|error|cancel|cancelled|inactive|deleted|urgent|stale|missing|needs?|requires?|escalate|hold|truncated|partial)\b/.test(
      words,
    )
  ) {
    return false;
  }
  if (
    /\b(?:approved?|accept(?:ed)?|valid|ok|done|success|complete|completed|passed|passes|agree[ds]?|ready|on track|satisfied|met|works?|confident|resolved)\b/.test(
      words,
    )
  ) {
    return true;
  }
  return undefined;
}

/** Asking, blocking and failing are left out where the contract lets one. */
export function isTrouble(words: string): boolean {
  return /^(?:questions?|blockers?|errors?|halt|hold|failure|problem|missing details?|escalation|block(?:ed|ing)? reason|hold reason|(?:next )?(?:status|action) reason|.* so far)$/.test(
    words,
  );
}

/** Fields that point at something earlier, which need not exist. */
export function mayPointNowhere(words: string): boolean {
  return /\b(?:parent|previous|supersedes?|superseded|responds|replaces|deadline|due|next stage)\b/.test(
    words,
  );
}
