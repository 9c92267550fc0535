/** When this browser was last here before today's visit; what happened since is news. */

const PLACE = "last-visit";
const VISIT_MS = 30 * 60_000;

interface Visits {
  readonly before: number;
  readonly now: number;
}

function read(): Visits {
  const [before, now] = (localStorage.getItem(PLACE) ?? "").split(" ").map(Number);
  const at = Date.now();
  if (before === undefined || now === undefined || !Number.isFinite(before + now))
    return { before: 0, now: at };
  // A look half an hour after the last one is the same visit still.
  return at - now > VISIT_MS ? { before: now, now: at } : { before, now: at };
}

const visits = read();
localStorage.setItem(PLACE, `${visits.before} ${visits.now}`);

export const lastVisit: number | undefined = visits.before === 0 ? undefined : visits.before;
