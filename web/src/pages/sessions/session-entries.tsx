import { clockTime, moment } from "../../parts/format.ts";
import { Scroll } from "../../parts/scroll.tsx";
import { statusWords } from "../../parts/state.ts";
import { Words } from "../../parts/words.tsx";
import { eventWords } from "../../runs/event-words.ts";
import type { SessionTabProps } from "./session-view.tsx";

/** What happened to it, as it was written down. */
export function SessionEntries({ detail: { entries } }: SessionTabProps) {
  return (
    <div className="pane grow">
      <Scroll label="What happened">
        <ol className="rows events" aria-label="What happened">
          {entries.map(({ kind, data, actor, actorName, at }, n) => (
            // oxlint-disable-next-line no-array-index-key -- entries are only ever appended
            <li key={n} title={moment(at)}>
              <span className="num faint seq">{n + 1}</span>
              <span className="num muted">{clockTime(at)}</span>
              <span>{statusWords(kind)}</span>
              <span className="muted cut grow">
                <Words text={eventWords(data)} />
              </span>
              <span className="small muted hide-n">{actorName ?? actor}</span>
            </li>
          ))}
        </ol>
      </Scroll>
    </div>
  );
}
