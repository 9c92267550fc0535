/** Where you left off: what blocks, what is yours, and the line of what happened last. */

import type { Item } from "../../api/operation.ts";
import { useList, useOperation } from "../../data/use-operation.ts";
import { Icon } from "../../parts/icon.tsx";
import { openReference, Reference, type ReferenceNoun } from "../../parts/reference.tsx";
import { ReferenceName } from "../../parts/reference-name.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useProjectId } from "../../shell/current-project.ts";
import { pagePath } from "../pages.ts";
import { lastVisit } from "./last-visit.ts";
import { newsWords, TOLD_TYPES, threadOf } from "./thread.ts";

export function Continue() {
  const project = useProjectId();
  const mine = useOperation("task.list", {
    project,
    assignee: "me",
    status: ["in_progress"],
    limit: 1,
  });
  const open = useOperation("task.list", {
    project,
    status: ["pending", "in_progress"],
    order: "urgent",
    limit: 50,
  });
  const news = useList("event.list", { project, types: [...TOLD_TYPES], limit: 100 });
  if (open.data === undefined || mine.data === undefined || news.data === undefined)
    return <section className="cont" aria-busy="true" />;
  // Steps of runs are tasks, too; their runs look after them.
  const own = open.data.items.filter(({ runId }) => runId === undefined);
  const task = mine.data.items[0] ?? own.find(({ hasBlocker }) => hasBlocker) ?? own[0];
  return (
    <section className="cont">
      <div className="cont-words">
        <div className="lbl">Continue where you left off</div>
        <Headline task={task} />
        <p className="muted">{newsWords(news.items, lastVisit)}</p>
        <div className="row">
          <PickUp task={task} />
        </div>
      </div>
      <Thread events={news.items} />
    </section>
  );
}

type Task = Item<"task.list">;

function Headline({ task }: { readonly task: Task | undefined }) {
  if (task === undefined)
    return <div className="headline">Nothing is open. A good moment to start a thread.</div>;
  const { id, title, status, hasBlocker, projectName } = task;
  return (
    <>
      <div className="headline">
        <Words text={title} />
      </div>
      <p className="muted small">
        {status === "in_progress"
          ? "You are on it"
          : hasBlocker
            ? "A blocker, still open"
            : "The most urgent open task"}
        {projectName !== undefined && `, ${projectName}`} <Reference noun="task" id={id} />
      </p>
    </>
  );
}

/** A packet carries the thread to another tool; without that page, the task itself is opened. */
function PickUp({ task }: { readonly task: Task | undefined }) {
  const packets = pagePath("Packets");
  if (packets !== undefined)
    return (
      <a
        className="btn pri"
        href={task === undefined ? packets : `${packets}/new?origin=task:${task.id}`}
      >
        <Icon name="packet" small />
        Pick up the thread
      </a>
    );
  if (task === undefined) return null;
  return (
    <button type="button" className="btn pri" onClick={() => openReference("task", task.id)}>
      <Icon name="task" small />
      Pick up the thread
    </button>
  );
}

function Thread({ events }: { readonly events: readonly Item<"event.list">[] }) {
  const knots = threadOf(events);
  if (knots.length === 0) return <div />;
  return (
    <ol className="thread" aria-label="What happened last">
      {knots.map(({ key, what, name, noun, id, at }, n) => (
        <li key={key} className={n === knots.length - 1 ? "now" : undefined}>
          <span className="muted">
            <Ago at={at} />
          </span>{" "}
          {what} <KnotName noun={noun} id={id} name={name} />
        </li>
      ))}
    </ol>
  );
}

function KnotName({
  noun,
  id,
  name,
}: {
  readonly noun: ReferenceNoun;
  readonly id: string;
  readonly name: string | undefined;
}) {
  if (name === undefined) return <ReferenceName noun={noun} id={id} />;
  return (
    <Reference noun={noun} id={id}>
      <Words text={name} />
    </Reference>
  );
}
