import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { count } from "../parts/format.ts";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

export default function PacketReference({ id }: ReferenceProps) {
  const shown = useOperation("packet.show", { packetId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ packet, promptText }) => (
        <>
          <h2>
            <Words text={packet.title} />
          </h2>
          <div>
            <a className="btn" href={`/packets/${packet.id}`}>
              Open the packet
            </a>
          </div>
          <FactList
            facts={{
              State: packet.status.replaceAll("_", " "),
              Intent: packet.intent,
              For: packet.targetTool,
              Characters: `${count(packet.characters)} of ${count(packet.budget)}`,
              Made: <Ago at={packet.createdAt} />,
            }}
          />
          {promptText !== undefined && (
            <pre className="code">
              <Words text={promptText} />
            </pre>
          )}
        </>
      )}
    </ReferenceBody>
  );
}
