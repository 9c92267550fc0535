import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { Chip, Glyph } from "../parts/glyph.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Prose } from "../parts/prose.tsx";
import { Reference } from "../parts/reference.tsx";
import { ReferenceName } from "../parts/reference-name.tsx";
import { stateOf, statusWords } from "../parts/state.ts";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";
import { Origin } from "../shell/reference-origin.tsx";
import { TaskActions } from "../thoughts/task-actions.tsx";

export default function TaskReference({ id }: ReferenceProps) {
  const shown = useOperation("task.show", { taskId: id });
  return (
    <ReferenceBody shown={shown}>
      {({ task, children, createdByName }) => (
        <>
          <h2>
            <Words text={task.title} />
          </h2>
          <div className="row wrap">
            <Chip state={stateOf(task.status)}>{statusWords(task.status)}</Chip>
            {task.hasBlocker && <span className="tag">blocker</span>}
            {task.hasOpenLoop && <span className="tag">open loop</span>}
            {task.tags.map((tag) => (
              <span key={tag} className="tag">
                <Words text={tag} />
              </span>
            ))}
          </div>
          <TaskActions task={task} />
          {task.holdReason !== undefined && (
            <div className="note hold">
              <Glyph state="hold" />
              <div>
                <Words text={task.holdReason} />
              </div>
            </div>
          )}
          {task.summary !== undefined && <Prose text={task.summary} />}
          {task.description !== undefined && <Prose text={task.description} />}
          <Origin source={task.source} />
          <FactList
            facts={{
              Urgency: task.urgency,
              For: task.assigneeName,
              Project: task.projectName,
              Run: task.runId !== undefined && <ReferenceName noun="run" id={task.runId} />,
              "Part of": task.parentId !== undefined && (
                <ReferenceName noun="task" id={task.parentId} />
              ),
              Confidence: task.confidence?.toFixed(2),
              "Made by": createdByName ?? task.createdBy,
              Made: <Ago at={task.createdAt} />,
              Changed: <Ago at={task.updatedAt} />,
            }}
          />
          {children.length > 0 && (
            <section className="block">
              <header>Parts of it</header>
              <div className="rows">
                {children.map((child) => (
                  <div key={child.id}>
                    <Glyph state={stateOf(child.status)} />
                    <Reference noun="task" id={child.id}>
                      <Words text={child.title} />
                    </Reference>
                  </div>
                ))}
              </div>
            </section>
          )}
          {task.output !== undefined && (
            <section className="block">
              <header>Output</header>
              <div className="in">
                <JsonView value={task.output} />
              </div>
            </section>
          )}
        </>
      )}
    </ReferenceBody>
  );
}
