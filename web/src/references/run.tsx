import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { money } from "../parts/format.ts";
import { Chip } from "../parts/glyph.tsx";
import { stateOf, statusWords } from "../parts/state.ts";
import { Ago, Lasting } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import { StepOutline } from "../runs/step-outline.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

export default function RunReference({ id }: ReferenceProps) {
  const shown = useOperation("run.show", { runId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ run, waits }) => (
        <>
          <h2>
            <Words text={run.title} />
          </h2>
          <div className="row wrap">
            <Chip state={stateOf(run.state)}>{statusWords(run.state)}</Chip>
            {waits.length > 0 && (
              <a href={`/inbox/${waits[0]?.id ?? ""}`}>
                <Chip state="wait">{waits.length} in the inbox</Chip>
              </a>
            )}
            <a className="btn sm end" href={`/runs/${run.id}`}>
              Open the run
            </a>
          </div>
          {run.reason !== undefined && <p>{run.reason.message}</p>}
          <FactList
            facts={{
              Method: run.method,
              Project: run.projectName,
              "Started by": run.startedByName ?? run.startedBy,
              Begun: <Ago at={run.createdAt} />,
              Took: run.startedAt !== undefined && (
                <Lasting from={run.startedAt} to={run.finishedAt} />
              ),
              Calls: run.turns,
              Cost: money(run.costMicroUsd),
            }}
          />
          <section className="block">
            <StepOutline runId={run.id} />
          </section>
        </>
      )}
    </ReferenceBody>
  );
}
