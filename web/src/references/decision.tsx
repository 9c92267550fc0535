import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { Chip } from "../parts/glyph.tsx";
import { Prose } from "../parts/prose.tsx";
import { Reference } from "../parts/reference.tsx";
import { ReferenceName } from "../parts/reference-name.tsx";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";
import { Origin } from "../shell/reference-origin.tsx";
import { DecisionActions } from "../thoughts/decision-actions.tsx";

export default function DecisionReference({ id }: ReferenceProps) {
  const shown = useOperation("decision.show", { decisionId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ decision, supersededBy, createdByName }) => (
        <>
          <h2>
            <Words text={decision.title} />
          </h2>
          {supersededBy.length > 0 && (
            <div className="row wrap">
              <Chip state="skip">superseded</Chip>
              {supersededBy.map((other) => (
                <Reference key={other.id} noun="decision" id={other.id}>
                  <Words text={other.title} />
                </Reference>
              ))}
            </div>
          )}
          <DecisionActions decision={decision} />
          {decision.content !== "" && <Prose text={decision.content} />}
          <Origin source={decision.source} />
          <FactList
            facts={{
              Project: decision.projectName,
              Replaces: decision.supersedesId !== undefined && (
                <ReferenceName noun="decision" id={decision.supersedesId} />
              ),
              Conversation: decision.conversationId !== undefined && (
                <ReferenceName noun="conversation" id={decision.conversationId} />
              ),
              "Decided by": createdByName ?? decision.createdBy,
              Decided: <Ago at={decision.createdAt} />,
            }}
          />
        </>
      )}
    </ReferenceBody>
  );
}
