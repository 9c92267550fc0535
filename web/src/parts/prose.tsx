/** Words of a person or a model with values in between: Markdown for the words, lists and tables for the values. */

import { JsonView } from "./json-view.tsx";
import { Markdown } from "./markdown.tsx";
import { splitJson } from "./split-json.ts";

export function Prose({ text }: { readonly text: string }) {
  return splitJson(text).map((piece, n) =>
    piece.kind === "text" ? (
      // oxlint-disable-next-line no-array-index-key -- pieces of a text stay where they are
      <Markdown key={n} text={piece.text} />
    ) : (
      // oxlint-disable-next-line no-array-index-key -- pieces of a text stay where they are
      <div key={n} className="block in">
        <JsonView value={piece.value} />
      </div>
    ),
  );
}
