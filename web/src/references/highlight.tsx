import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { ReferenceName } from "../parts/reference-name.tsx";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";
import { Origin } from "../shell/reference-origin.tsx";
import { HighlightActions } from "../thoughts/highlight-actions.tsx";

export default function HighlightReference({ id }: ReferenceProps) {
  const shown = useOperation("highlight.show", { highlightId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ highlight, createdByName }) => (
        <>
          {highlight.label !== undefined && (
            <h2>
              <Words text={highlight.label} />
            </h2>
          )}
          <blockquote className="quote brief">
            <Words text={highlight.content} />
          </blockquote>
          <HighlightActions highlight={highlight} />
          <Origin source={highlight.source} />
          <FactList
            facts={{
              Project: highlight.projectName,
              Conversation: highlight.conversationId !== undefined && (
                <ReferenceName noun="conversation" id={highlight.conversationId} />
              ),
              "Kept by": createdByName ?? highlight.createdBy,
              Kept: <Ago at={highlight.createdAt} />,
            }}
          />
        </>
      )}
    </ReferenceBody>
  );
}
