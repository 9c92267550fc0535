/** Who works on an import: named so that others on the same machine can tell whether they still live. */

import { hostname } from "node:os";

export function workerName(id: string): string {
  return `${hostname()} ${process.pid} ${id}`;
}

/** True only when it is certain; whoever is elsewhere has to be silent for a while to be thought gone. */
export function isWorkerGone(worker: string): boolean {
  const [host, pid, id] = worker.split(" ");
  if (host !== hostname() || id === undefined || !/^\d{1,9}$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
