import { useOperation } from "../data/use-operation.ts";
import { FactList } from "../parts/facts.tsx";
import { plural, words } from "../parts/format.ts";
import { Prose } from "../parts/prose.tsx";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import type { ReferenceProps } from "../shell/drawer.tsx";
import { ReferenceBody } from "../shell/reference-body.tsx";

const FIRST = 20;

export default function ConversationReference({ id }: ReferenceProps) {
  const shown = useOperation("conversation.show", { conversationId: id, limit: FIRST });
  return (
    <ReferenceBody shown={shown}>
      {({ conversation, projects, messages, nextCursor }) => (
        <>
          <h2>
            <Words text={conversation.title} />
          </h2>
          <div>
            <a className="btn" href={`/conversations/${conversation.id}`}>
              Open in the reader
            </a>
          </div>
          <FactList
            facts={{
              Source: conversation.source,
              Messages: conversation.messageCount,
              Projects: projects.map(({ name }) => name).join(", "),
              Begun: <Ago at={conversation.startedAt} />,
            }}
          />
          {messages.map(({ id: messageId, role, content, isRedacted }) => (
            <section key={messageId} className="block">
              <header>{words(role)}</header>
              <div className="in">
                {isRedacted ? (
                  <span className="muted">Redacted in this project.</span>
                ) : (
                  <Prose text={content} />
                )}
              </div>
            </section>
          ))}
          {nextCursor !== undefined && (
            <p className="small muted">The first {plural(messages.length, "message")} are shown.</p>
          )}
        </>
      )}
    </ReferenceBody>
  );
}
