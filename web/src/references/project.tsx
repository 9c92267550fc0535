import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { Prose } from "../parts/prose.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

export default function ProjectReference({ id }: ReferenceProps) {
  const shown = useOperation("project.show", { projectId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ project, ownerName, counts }) => (
        <>
          <h2>
            <Words text={project.name} />
          </h2>
          <Prose text={project.description} />
          <FactList
            facts={{
              Owner: ownerName,
              "Seen by": project.visibility,
              Decisions: counts.decisions,
              Highlights: counts.highlights,
              Conversations: counts.conversations,
              Runs: counts.runs,
              ...Object.fromEntries(
                Object.entries(counts.tasks).map(([status, n]) => [
                  `Tasks ${status.replaceAll("_", " ")}`,
                  n,
                ]),
              ),
            }}
          />
        </>
      )}
    </ReferenceBody>
  );
}
