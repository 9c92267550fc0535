/** Text from outside, as it is: what could mislead the eye is drawn as a mark. */

import { visibleParts } from "./visible-text.ts";

export function Words({ text }: { readonly text: string }) {
  const parts = visibleParts(text);
  if (parts.every(({ mark }) => mark === undefined)) return text;
  let at = 0;
  return parts.map(({ text: part, mark }) => {
    const key = at;
    at += part.length;
    return mark === undefined ? (
      part
    ) : (
      <span key={key} className="unseen" title={`An invisible character: ${mark}`}>
        {mark}
      </span>
    );
  });
}
