/** Ends a command and everything it started. */

import type { ChildProcess } from "node:child_process";

/**
 * SIGTERM to the group, SIGKILL after the grace, and waits until the command is gone. Children that
 * outlive a finished command are killed at once: nobody is left to read what they would say.
 */
export async function killGroup(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    signalGroup(child.pid, "SIGTERM");
    const kill = setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
    await gone;
    clearTimeout(kill);
  }
  signalGroup(child.pid, "SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.stdin?.destroy();
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nobody left in the group is what we want.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
