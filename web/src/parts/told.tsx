/** Sentences of ours, in which `code` stands between backticks; what they quote from outside stays as it is. */

import { Words } from "./words.tsx";

export function Told({ text }: { readonly text: string }) {
  const pieces = text.split("`");
  // A backtick without its other half is a backtick.
  if (pieces.length % 2 === 0) return <Words text={text} />;
  return pieces.map((piece, n) =>
    n % 2 === 1 ? (
      // oxlint-disable-next-line no-array-index-key -- pieces of a sentence stay where they are
      <code key={n} className="told">
        <Words text={piece} />
      </code>
    ) : (
      // oxlint-disable-next-line no-array-index-key -- pieces of a sentence stay where they are
      <Words key={n} text={piece} />
    ),
  );
}
