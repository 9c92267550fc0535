/** What can be done with the words that are selected. */

import type { Input } from "../../api/operation.ts";
import { performChange } from "../../data/use-change.ts";
import { copyText } from "../../parts/copy-text.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Keys } from "../../parts/keys.tsx";
import type { Passage } from "../../reader/use-passage.ts";
import { useCommands } from "../../shell/commands.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import type { Said, Talk } from "./talk.ts";

export interface Chosen {
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

/** What somebody began to do with a passage. A dialog takes the selection away, so it is kept here. */
export interface PassageUse {
  readonly what: "task" | "decision" | "redact";
  readonly chosen: Chosen;
  readonly message: Said;
}

export function PassageBar({
  talk,
  message,
  passage,
  onUse,
}: {
  readonly talk: Talk;
  readonly message: Said;
  readonly passage: Passage;
  readonly onUse: (use: PassageUse) => void;
}) {
  const mayEdit = useMay("edit");
  const project = useProjectOf(talk);
  const chosen = trimmed(message.content, passage.start, passage.end);
  const begin = (what: PassageUse["what"]) => onUse({ what, chosen, message });
  const keep = () => void keepHighlight(message, chosen, project);
  const copy = () =>
    void copyText(Promise.resolve(chosen.words))
      .then(() => toast("Copied"))
      .catch(reportProblem);
  const actions: readonly {
    readonly label: string;
    readonly long: string;
    readonly keys: string;
    readonly icon: IconName;
    readonly run: () => void;
  }[] = [
    {
      label: "Highlight",
      long: "Keep the selection as a highlight",
      keys: "h",
      icon: "highlight",
      run: keep,
    },
    {
      label: "Task",
      long: "Make a task of the selection",
      keys: "t",
      icon: "task",
      run: () => begin("task"),
    },
    {
      label: "Decision",
      long: "Make a decision of the selection",
      keys: "d",
      icon: "decision",
      run: () => begin("decision"),
    },
    {
      label: "Redact",
      long: "Redact the selection",
      keys: "x",
      icon: "ban",
      run: () => begin("redact"),
    },
  ];
  const isUsable = mayEdit && chosen.words !== "";
  useCommands(
    "Selection",
    isUsable ? actions.map(({ long, keys, icon, run }) => ({ label: long, keys, icon, run })) : [],
  );
  if (!isUsable) return null;
  return (
    <div
      className="passage-bar"
      role="toolbar"
      aria-label="What to do with the selection"
      style={placeOf(passage)}
      // Pressing a button must not take the selection away.
      onPointerDown={(event) => event.preventDefault()}
    >
      {actions.map(({ label, keys, icon, run }) => (
        <button key={label} type="button" onClick={run}>
          <Icon name={icon} small />
          {label}
          <Keys keys={keys} />
        </button>
      ))}
      <button type="button" aria-label="Copy the selection" title="Copy" onClick={copy}>
        <Icon name="copy" small />
      </button>
    </div>
  );
}

const BAR_HEIGHT = 40;
const BAR_WIDTH = 420;

function placeOf({ left, top, bottom }: Passage): React.CSSProperties {
  const above = top - BAR_HEIGHT > 100;
  return {
    left: Math.max(8, Math.min(left, innerWidth - BAR_WIDTH)),
    top: above ? top - BAR_HEIGHT : Math.min(bottom + 6, innerHeight - BAR_HEIGHT - 8),
  };
}

/** The project the pages are about, if the conversation is part of it; else its only one. */
export function useProjectOf({ projects }: Talk): string | undefined {
  const current = useProjectId();
  if (projects.some(({ id }) => id === current)) return current;
  return projects.length === 1 ? projects[0]?.id : undefined;
}

/** Space at the ends of a selection was not meant. */
function trimmed(content: string, start: number, end: number): Chosen {
  const raw = content.slice(start, end);
  const words = raw.trim();
  const from = start + raw.indexOf(words);
  return { words, start: from, end: from + words.length };
}

/** Places are true only where all of the message is shown. */
async function keepHighlight(
  { id: message, isRedacted }: Said,
  { words, start, end }: Chosen,
  project: string | undefined,
): Promise<void> {
  const input: Input<"highlight.add"> = {
    content: words,
    message,
    project,
    ...(isRedacted ? {} : { span: { start, end } }),
  };
  try {
    const { id: highlightId } = await performChange("highlight.add", input);
    document.getSelection()?.removeAllRanges();
    toast("Highlight kept", {
      undo: () => void performChange("highlight.delete", { highlightId }).catch(reportProblem),
    });
  } catch (error) {
    reportProblem(error);
  }
}
