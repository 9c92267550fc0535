import type { Output } from "../../api/operation.ts";
import { performChange } from "../../data/use-change.ts";
import { clockTime, day } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useCommands } from "../../shell/commands.ts";
import { reportProblem } from "../../shell/problems.ts";
import { toast } from "../../shell/toasts.tsx";

type Wait = Output<"inbox.show">["wait"];

const MORNING = 9;
const HOUR_MS = 3_600_000;

/** Puts the entry to sleep; it comes back by itself. */
export function SnoozeMenu({ wait, onDone }: { readonly wait: Wait; readonly onDone: () => void }) {
  const snooze = (until: number | null) => {
    const { id: waitId } = wait;
    performChange("inbox.snooze", {
      waitId,
      until: until === null ? null : new Date(until).toISOString(),
    })
      .then(() => {
        if (until === null) return toast("Awake again");
        const wake = () =>
          void performChange("inbox.snooze", { waitId, until: null }).catch(reportProblem);
        toast(`Asleep until ${day(until, Date.now())}, ${clockTime(until)}`, { undo: wake });
        onDone();
      })
      .catch(reportProblem);
  };
  useCommands("Sleep", [
    { label: "Snooze until tomorrow", keys: "h", icon: "clock", run: () => snooze(morningIn(1)) },
  ]);
  return (
    <Menu
      label="Snooze"
      className="btn quiet"
      button={
        <>
          <Icon name="clock" small />
          {wait.snoozedUntil === undefined ? "Snooze" : "Asleep"}
          <Icon name="down" small />
        </>
      }
    >
      {(close) => (
        <>
          {choices().map(({ label, until }) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                snooze(until);
              }}
            >
              {label}
            </button>
          ))}
          {wait.snoozedUntil !== undefined && (
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                snooze(null);
              }}
            >
              Wake it now
            </button>
          )}
        </>
      )}
    </Menu>
  );
}

function choices(): readonly { readonly label: string; readonly until: number }[] {
  return [
    { label: "For an hour", until: Date.now() + HOUR_MS },
    { label: "For four hours", until: Date.now() + 4 * HOUR_MS },
    { label: "Until tomorrow morning", until: morningIn(1) },
    { label: "For a week", until: morningIn(7) },
  ];
}

function morningIn(days: number): number {
  const morning = new Date();
  morning.setDate(morning.getDate() + days);
  return morning.setHours(MORNING, 0, 0, 0);
}
