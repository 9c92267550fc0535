import type { Item } from "../../api/operation.ts";
import { performChange } from "../../data/use-change.ts";
import { useList } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { plural, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { openReference, Source } from "../../parts/reference.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { changeQuery } from "../../router/place.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import type { Talk } from "./talk.ts";

/** What a conversation has left in the projects: passages, decisions, proposals, and what must not leave it. */
export function DrawnPane({
  talk,
  highlights,
  decisions,
  onShow,
}: {
  readonly talk: Talk;
  readonly highlights: readonly Item<"highlight.list">[];
  readonly decisions: readonly Item<"decision.list">[];
  readonly onShow: (messageId: string) => void;
}) {
  const { id } = talk.conversation;
  const harvests = useList("harvest.list", { conversation: id, limit: 20 }).items;
  const redactions = useList("redaction.list", { conversation: id, limit: 200 }).items;
  const isEmpty = highlights.length + decisions.length + harvests.length + redactions.length === 0;
  return (
    <>
      <header>
        <h2>Drawn from it</h2>
      </header>
      <div className="scroll" role="region" aria-label="Drawn from it">
        {isEmpty && (
          <p className="small muted drawn-none">
            Nothing yet. Select a passage to keep it, or have a model propose what is worth keeping.
          </p>
        )}
        <Group title="Proposed" count={harvests.length}>
          {harvests.map((harvest) => (
            <button
              key={harvest.id}
              type="button"
              className="item"
              onClick={() => changeQuery({ harvest: harvest.id })}
            >
              <Glyph state={harvest.state === "open" ? "wait" : "ok"} />
              <span className="t cut">
                {harvest.state === "open"
                  ? `${plural(harvest.counts.proposed, "proposal")} to review`
                  : `${harvest.counts.accepted} accepted`}
              </span>
              <Ago at={harvest.createdAt} />
            </button>
          ))}
        </Group>
        <Group title="Highlights" count={highlights.length}>
          {highlights.map((highlight) => (
            <Thought
              key={highlight.id}
              kind="highlight"
              id={highlight.id}
              title={highlight.label}
              text={highlight.content}
              messageId={highlight.messageId}
              onShow={onShow}
            />
          ))}
        </Group>
        <Group title="Decisions" count={decisions.length}>
          {decisions.map((decision) => (
            <Thought
              key={decision.id}
              kind="decision"
              id={decision.id}
              title={decision.title}
              text={decision.content}
              messageId={decision.messageId}
              onShow={onShow}
            />
          ))}
        </Group>
        <Group title="Redacted" count={redactions.length}>
          {redactions.map((redaction) => (
            <RedactionLine key={redaction.id} redaction={redaction} onShow={onShow} />
          ))}
        </Group>
      </div>
    </>
  );
}

function Group({
  title,
  count,
  children,
}: {
  readonly title: string;
  readonly count: number;
  readonly children: React.ReactNode;
}) {
  if (count === 0) return null;
  return (
    <section>
      <h3 className="group">
        {title}, {count}
      </h3>
      {children}
    </section>
  );
}

function Thought({
  kind,
  id,
  title,
  text,
  messageId,
  onShow,
}: {
  readonly kind: "highlight" | "decision";
  readonly id: string;
  readonly title: string | undefined;
  readonly text: string;
  readonly messageId: string | undefined;
  readonly onShow: (messageId: string) => void;
}) {
  return (
    <div className="item drawn-item">
      <Source kind={kind} />
      <button type="button" className="t drawn-open" onClick={() => openReference(kind, id)}>
        <span className="clamp">
          <Words text={title ?? text} />
        </span>
        {title !== undefined && text !== "" && (
          <span className="d clamp">
            <Words text={text} />
          </span>
        )}
      </button>
      {messageId !== undefined && (
        <Button
          kind="quiet"
          size="small"
          icon="arrow"
          name="Show where it was said"
          onPress={() => onShow(messageId)}
        />
      )}
    </div>
  );
}

function RedactionLine({
  redaction,
  onShow,
}: {
  readonly redaction: Item<"redaction.list">;
  readonly onShow: (messageId: string) => void;
}) {
  const mayEdit = useMay("edit");
  const { id, kind, reason, projectName, createdByName, messageId } = redaction;
  const lift = () => {
    performChange("redaction.lift", { redactionId: id })
      .then(() => toast("Lifted: it may be shown again"))
      .catch(reportProblem);
  };
  return (
    <div className="item drawn-item">
      <Icon name="ban" small />
      <button
        type="button"
        className="t drawn-open"
        disabled={messageId === undefined}
        onClick={() => messageId !== undefined && onShow(messageId)}
      >
        {kind === "span" ? "A passage" : `The whole ${kind}`}
        <span className="d">
          {[reason, projectName && `in ${projectName}`, createdByName && `by ${createdByName}`]
            .filter(Boolean)
            .join(", ")}
        </span>
      </button>
      {mayEdit && (
        <Button
          kind="quiet"
          size="small"
          name={`Lift the redaction of ${words(kind)}`}
          onPress={lift}
        >
          Lift
        </Button>
      )}
    </div>
  );
}
