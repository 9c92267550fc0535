import { Icon } from "../parts/icon.tsx";
import { ReferenceName } from "../parts/reference-name.tsx";
import { Words } from "../parts/words.tsx";

interface SourceOf {
  readonly type: "highlight" | "packet" | "message" | "conversation" | "run";
  readonly id: string;
  readonly quote?: string;
}

/** Where a thought comes from. */
export function Origin({ source }: { readonly source: SourceOf | undefined }) {
  if (source === undefined) return null;
  const { type, id, quote } = source;
  return (
    <div className="note">
      <Icon name="link" small />
      <div>
        From {type === "message" ? "a message" : <ReferenceName noun={type} id={id} />}
        {quote !== undefined && (
          <blockquote className="quote">
            <Words text={quote} />
          </blockquote>
        )}
      </div>
    </div>
  );
}
