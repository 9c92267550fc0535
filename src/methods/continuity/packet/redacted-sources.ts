/** Which words of a thought may not be seen, and what a packet's origin was drawn from. */

import { createRedactor, type Redactor } from "../../../kernel/prompt/redactor.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import {
  findInDrawn,
  type RedactionScope,
  type TextOrigin,
} from "../../../kernel/store/redaction-scope.ts";
import { originsOf } from "../../../kernel/store/search-sources.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";
import {
  readSources,
  type ThoughtOrigin,
  type ThoughtType,
} from "../../../kernel/store/withheld-sources.ts";

export function hiddenIn(
  scope: RedactionScope,
  origin: ThoughtOrigin | undefined,
  text: string,
): readonly Span[] {
  if (scope.passages.length === 0) return [];
  const { own, followed } = origin ?? { own: NOWHERE, followed: NOWHERE };
  return [
    ...hunterOf(scope).find(text),
    ...findInDrawn(scope, followed, text),
    ...(own.messageId === followed.messageId ? [] : findInDrawn(scope, own, text)),
  ];
}

const hunters = new WeakMap<RedactionScope, Redactor>();

/** The same rules as hold for the finished text, so that what they would leave nothing of is known beforehand. */
function hunterOf(scope: RedactionScope): Redactor {
  const known = hunters.get(scope);
  if (known !== undefined) return known;
  const hunter = createRedactor({ texts: scope.passages.map(({ text }) => text), finders: [] });
  hunters.set(scope, hunter);
  return hunter;
}

const NOWHERE: TextOrigin = { conversationId: null, messageId: null };

/** What a packet's origin was drawn from. */
export function* findOriginSource(
  type: ThoughtType | "project",
  id: string,
): DatabaseWork<TextOrigin> {
  if (type === "project") return NOWHERE;
  const [origin] = yield* originsOf(yield* readSources(type, [id]));
  return origin ?? NOWHERE;
}
