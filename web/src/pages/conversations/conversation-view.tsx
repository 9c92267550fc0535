/** The reader: what was said, what was drawn from it, and what to do with a passage. */

import { useEffect, useMemo, useRef, useState } from "react";
import type { Item } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import { HarvestReview } from "../../harvest/harvest-review.tsx";
import { Button } from "../../parts/button.tsx";
import { moment, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { PaneSwitch, usePanes } from "../../parts/pane-switch.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { findPassage, type Mark, sentencesOf } from "../../reader/message-lines.ts";
import { selectPassage, usePassage } from "../../reader/use-passage.ts";
import { changeQuery, useQueryField } from "../../router/place.ts";
import { useCommands } from "../../shell/commands.ts";
import { ConversationActions } from "./conversation-actions.tsx";
import { DrawnPane } from "./drawn-pane.tsx";
import { MessageSaid } from "./message-said.tsx";
import { PassageBar, type PassageUse, useProjectOf } from "./passage-bar.tsx";
import { PassageSheet } from "./passage-sheet.tsx";
import { RedactSheet } from "./redact-sheet.tsx";
import type { Said, Talk } from "./talk.ts";
import { useMessages } from "./use-messages.ts";

const PANES = [
  { name: "reader", label: "What was said" },
  { name: "drawn", label: "Drawn from it" },
] as const;

export function ConversationView({ id }: { readonly id: string }) {
  const talk = useMessages(id);
  const panes = usePanes(PANES, "reader");
  const [harvest] = useQueryField("harvest");
  const highlights = useList("highlight.list", { conversation: id, limit: 200 });
  const decisions = useList("decision.list", { conversation: id, limit: 200 });
  const { head, messages } = talk;
  if (head === undefined)
    return (
      <PageToCome
        problem={talk.problem}
        onRetry={talk.refresh}
        back={{ title: "Conversations", path: "/conversations" }}
      />
    );
  return (
    <>
      <TalkHead talk={head} />
      <PaneSwitch panes={panes} />
      <div className="reader turns" data-pane={panes.shown}>
        <Reader
          talk={head}
          messages={messages}
          highlights={highlights.items}
          problem={<ProblemNote problem={talk.problem} onRetry={talk.refresh} />}
          end={
            talk.hasMore && (
              <div className="more">
                <Button size="small" isBusy={talk.isReading} onPress={talk.more}>
                  {plural(head.conversation.messageCount - messages.length, "more message")}
                </Button>
              </div>
            )
          }
          onEnd={talk.more}
        />
        <aside className="pane drawn" data-name="drawn" aria-label="Drawn from it">
          {harvest === undefined ? (
            <DrawnPane
              talk={head}
              highlights={highlights.items}
              decisions={decisions.items}
              onShow={(messageId) => {
                panes.show("reader");
                showMessage(messageId);
              }}
            />
          ) : (
            <>
              <header>
                <h2>Proposed</h2>
                <span className="end">
                  <Button
                    size="small"
                    kind="quiet"
                    icon="cross"
                    name="Close the proposals"
                    onPress={() => changeQuery({ harvest: undefined })}
                  />
                </span>
              </header>
              <HarvestReview key={harvest} harvestId={harvest} />
            </>
          )}
        </aside>
      </div>
    </>
  );
}

function showMessage(messageId: string): void {
  const element = document.querySelector<HTMLElement>(`[data-message="${CSS.escape(messageId)}"]`);
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}

function TalkHead({ talk }: { readonly talk: Talk }) {
  const { conversation, projects } = talk;
  return (
    <div className="head talk-head">
      <a
        className="btn quiet icon goback"
        href={`/conversations${location.search}`}
        aria-label="Back to the list"
      >
        <Icon name="back" />
      </a>
      <h1 className="cut">
        <Words text={conversation.title} />
      </h1>
      <span className="small muted wide cut">
        {conversation.source}, {plural(conversation.messageCount, "message")},{" "}
        {moment(conversation.startedAt)}
        {projects.length > 0 && `, in ${projects.map(({ name }) => name).join(", ")}`}
      </span>
      <span className="end row">
        <ConversationActions talk={talk} />
      </span>
    </div>
  );
}

function Reader({
  talk,
  messages,
  highlights,
  problem,
  end,
  onEnd,
}: {
  readonly talk: Talk;
  readonly messages: readonly Said[];
  readonly highlights: readonly Item<"highlight.list">[];
  readonly problem: React.ReactNode;
  readonly end: React.ReactNode;
  readonly onEnd: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const passage = usePassage(box);
  const project = useProjectOf(talk);
  const [use, setUse] = useState<PassageUse>();
  const close = () => setUse(undefined);
  const marks = useMemo(() => marksOf(messages, highlights), [messages, highlights]);
  useKeyboardSelection(messages, box);
  const isThere = messages.length > 0;
  useArrival(isThere);
  useEffect(() => {
    const { current } = foot;
    if (current === null) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && onEnd());
    watch.observe(current);
    return () => watch.disconnect();
  }, [onEnd]);
  const said = passage && messages.find(({ id }) => id === passage.messageId);
  return (
    <section className="pane" data-name="reader" aria-label="What was said">
      {problem}
      <div className="scroll said-all" ref={box}>
        {messages.map((message) => (
          <MessageSaid key={message.id} message={message} marks={marks.get(message.id) ?? NONE} />
        ))}
        <div ref={foot}>{end}</div>
      </div>
      {passage !== undefined && said !== undefined && use === undefined && (
        <PassageBar talk={talk} message={said} passage={passage} onUse={setUse} />
      )}
      {use?.what === "redact" && (
        <RedactSheet talk={talk} message={use.message} chosen={use.chosen} onClose={close} />
      )}
      {(use?.what === "task" || use?.what === "decision") && (
        <PassageSheet
          kind={use.what}
          message={use.message}
          chosen={use.chosen}
          project={project}
          onClose={close}
        />
      )}
      <p className="micro muted reader-hint hide-n">
        Select words to keep, act on or redact them. By keyboard: <kbd>]</kbd> and <kbd>[</kbd> move
        sentence by sentence, <kbd>{"}"}</kbd> takes one more.
      </p>
    </section>
  );
}

const NONE: readonly Mark[] = [];

/** A message some of which is not shown has other places than the one that was marked; its words are looked for. */
function marksOf(
  messages: readonly Said[],
  highlights: readonly Item<"highlight.list">[],
): ReadonlyMap<string, readonly Mark[]> {
  const marks = new Map<string, Mark[]>();
  for (const { id, content, messageId, span } of highlights) {
    const message = messages.find((each) => each.id === messageId);
    if (message === undefined) continue;
    const place =
      span !== undefined && !message.isRedacted ? span : findPassage(message.content, content);
    if (place === undefined) continue;
    const own = marks.get(message.id) ?? [];
    marks.set(message.id, [...own, { ...place, kind: "highlight", id }]);
  }
  return marks;
}

/** `?message=ID` leads to a message. */
function useArrival(isThere: boolean): void {
  const [wanted] = useQueryField("message");
  useEffect(() => {
    if (isThere && wanted !== undefined) showMessage(wanted);
  }, [wanted, isThere]);
}

interface Place {
  readonly message: number;
  readonly sentence: number;
  readonly last: number;
}

/** Dragging has its keys: sentence by sentence through all messages. */
function useKeyboardSelection(
  messages: readonly Said[],
  box: React.RefObject<HTMLDivElement | null>,
): void {
  const [place, setPlace] = useState<Place>();
  const select = (message: number, sentence: number, last: number) => {
    const said = messages[message];
    const element = said && box.current?.querySelector<HTMLElement>(`[data-message="${said.id}"]`);
    const sentences = said === undefined ? [] : sentencesOf(said.content);
    const [from, to] = [sentences[sentence], sentences[last]];
    if (!element || from === undefined || to === undefined) return;
    setPlace({ message, sentence, last });
    selectPassage(element, from.start, to.end);
  };
  const move = (by: number) => {
    const { message, sentence } = place ?? { message: 0, sentence: by > 0 ? -1 : 0 };
    const sentences = sentencesOf(messages[message]?.content ?? "");
    const next = sentence + by;
    if (next >= 0 && next < sentences.length) return select(message, next, next);
    const other = message + by;
    const count = sentencesOf(messages[other]?.content ?? "").length;
    if (count > 0) select(other, by > 0 ? 0 : count - 1, by > 0 ? 0 : count - 1);
  };
  useCommands("Reader", [
    { label: "Select the next sentence", keys: "]", isKeyOnly: true, run: () => move(1) },
    { label: "Select the sentence before", keys: "[", isKeyOnly: true, run: () => move(-1) },
    {
      label: "Select one more sentence",
      keys: "}",
      isKeyOnly: true,
      run: () => {
        if (place !== undefined) select(place.message, place.sentence, place.last + 1);
      },
    },
  ]);
}
