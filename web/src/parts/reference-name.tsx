/** A reference by what the thing is called; its id until that is known. */

import { useOperation } from "../data/use-operation.ts";
import { Reference, type ReferenceNoun } from "./reference.tsx";
import { Words } from "./words.tsx";

export function ReferenceName({ noun, id }: { readonly noun: ReferenceNoun; readonly id: string }) {
  const name = useName(noun, id);
  if (name === undefined || name === "") return <Reference noun={noun} id={id} />;
  return (
    <Reference noun={noun} id={id}>
      <Words text={name} />
    </Reference>
  );
}

function useName(noun: ReferenceNoun, id: string): string | undefined {
  const when = <Input,>(wanted: ReferenceNoun, input: Input) =>
    noun === wanted ? input : undefined;
  const task = useOperation("task.show", when("task", { taskId: id })).data?.task.title;
  const decision = useOperation("decision.show", when("decision", { decisionId: id })).data
    ?.decision.title;
  const highlight = useOperation("highlight.show", when("highlight", { highlightId: id })).data
    ?.highlight;
  const conversation = useOperation(
    "conversation.show",
    when("conversation", { conversationId: id, limit: 1 }),
  ).data;
  const packet = useOperation("packet.show", when("packet", { packetId: id })).data?.packet;
  const run = useOperation("run.show", when("run", { runId: id })).data?.run.title;
  const project = useOperation("project.show", when("project", { projectId: id })).data?.project
    .name;
  return (
    task ??
    decision ??
    run ??
    project ??
    (packet && `packet ${packet.title}`) ??
    conversation?.conversation.title ??
    highlight?.label ??
    highlight?.content.slice(0, 80)
  );
}
