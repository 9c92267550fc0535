/** Tells by a notification of the system that something new waits, while nobody looks at the page. */

import { useEffect } from "react";
import { createKeptText } from "../data/shared-state.ts";
import { useOperation } from "../data/use-operation.ts";
import { navigate } from "../router/place.ts";

const kept = createKeptText("notify");

export function canNotify(): boolean {
  return "Notification" in globalThis && Notification.permission !== "denied";
}

export function useNotifications(): { readonly isOn: boolean; readonly toggle: () => void } {
  const isOn = kept.use() === "on" && canNotify() && Notification.permission === "granted";
  return {
    isOn,
    toggle() {
      if (isOn) return kept.set(undefined);
      void Notification.requestPermission().then((permission) =>
        kept.set(permission === "granted" ? "on" : undefined),
      );
    },
  };
}

/** What was already waiting when the page was opened is no news. */
export function useInboxNews(): void {
  const { isOn } = useNotifications();
  const { data } = useOperation("inbox.list", isOn ? { limit: 20, order: "newest" } : undefined, {
    isUrgent: true,
  });
  useEffect(() => {
    if (data === undefined) return;
    const fresh = data.items.filter(({ id }) => !seen.has(id));
    for (const { id } of data.items) seen.add(id);
    if (isFirst) isFirst = false;
    else if (document.hidden) for (const entry of fresh) notify(entry);
  }, [data]);
}

const seen = new Set<string>();
let isFirst = true;

function notify({ id, title, runTitle }: { id: string; title: string; runTitle: string }): void {
  // The same tag in every tab: the system shows it once.
  const notification = new Notification(title, { body: `Waits for you in ${runTitle}`, tag: id });
  notification.addEventListener("click", () => {
    window.focus();
    navigate(`/inbox/${id}`);
    notification.close();
  });
}
