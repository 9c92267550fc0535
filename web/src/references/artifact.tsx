import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { brief } from "../parts/format.ts";
import { Prose } from "../parts/prose.tsx";
import { ReferenceName } from "../parts/reference-name.tsx";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

export default function ArtifactReference({ id }: ReferenceProps) {
  const shown = useOperation("artifact.show", { artifactId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ artifact, body }) => (
        <>
          <h2 className="mono">
            <Words text={artifact.path} />
          </h2>
          <FactList
            facts={{
              Kind: artifact.kind,
              State: artifact.state,
              Size: `${brief(artifact.bytes)} bytes`,
              Run: artifact.runId !== undefined && <ReferenceName noun="run" id={artifact.runId} />,
              Made: <Ago at={artifact.createdAt} />,
              Hash: <span className="mono">{artifact.hash.slice(0, 16)}</span>,
            }}
          />
          {body === undefined ? (
            <p className="muted">Its content is not shown here.</p>
          ) : artifact.mediaType === "text/markdown" ? (
            <Prose text={body} />
          ) : (
            <pre className="code">
              <Words text={body} />
            </pre>
          )}
        </>
      )}
    </ReferenceBody>
  );
}
