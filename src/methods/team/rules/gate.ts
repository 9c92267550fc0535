/** What every gate needs: the working copy, the call, and where breaches are written down. */

import type { StepCall } from "./allowed.ts";
import { type Breach, type BreachCode, breach } from "./breach.ts";
import type { Draft } from "./draft.ts";

export type Fault = Omit<Breach, "path" | "item">;

export class Gate {
  readonly draft: Draft;
  readonly call: StepCall;
  readonly breaches: Breach[] = [];

  constructor(draft: Draft, call: StepCall) {
    this.draft = draft;
    this.call = call;
  }

  /** Writes the first fault down; true when there is none and the item may pass. */
  passes(
    { path, item }: { readonly path: Breach["path"]; readonly item: unknown },
    ...checks: readonly (() => Fault | undefined)[]
  ): boolean {
    for (const check of checks) {
      const fault = check();
      if (fault === undefined) continue;
      this.breaches.push({ ...fault, path, item });
      return false;
    }
    return true;
  }

  refuse(code: BreachCode, message: string, path: Breach["path"], item: unknown): void {
    this.breaches.push({ ...breach(code, message), path, item });
  }

  /** At least one trace, and each leads to something the member was shown. */
  traced(trace: readonly string[]): Fault | undefined {
    const { refs } = this.call.allowed;
    if (trace.length === 0) return breach("team_trace_missing", "names nothing it rests on");
    const lost = trace.filter((ref) => !refs.includes(ref));
    if (lost.length === 0) return undefined;
    const code = lost.length === trace.length ? "team_trace_missing" : "team_id_unknown";
    return breach(code, `rests on ${lost.join(", ")}, which was not shown`);
  }

  /** The ids are among those this call may name. */
  known(
    noun: string,
    ids: readonly (string | null)[],
    shown: readonly string[],
  ): Fault | undefined {
    const lost = ids.filter((id) => id !== null && !shown.includes(id));
    if (lost.length === 0) return undefined;
    return breach("team_id_unknown", `names the ${noun} ${lost.join(", ")}, which was not shown`);
  }
}
