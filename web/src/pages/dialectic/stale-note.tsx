/** What was built on something that has changed since, and the one button that makes exactly that again. */

import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useMay } from "../../shell/session.ts";
import { toast } from "../../shell/toasts.tsx";
import type { Status } from "./dialectic-words.ts";

export function StaleNote({ status }: { readonly status: Status }) {
  const mayRun = useMay("run");
  const { run, isBusy, problem } = useChange("dialectic.run");
  const again = async () => {
    const done = await run({ session: status.runId, stale: true });
    if (done !== undefined) toast(done.did);
  };
  return (
    <div className="note dx-note">
      <Glyph state="stale" />
      <div className="grow form">
        <div>
          <b className="b">{plural(status.stale, "document")} stale.</b> Something they were built
          on has changed since.
        </div>
        {mayRun && (
          <div>
            <Button
              size="small"
              icon="retry"
              isBusy={isBusy}
              isDisabled={status.isRefreshing && status.state === "running"}
              effect={`${plural(status.stale, "call")}, nothing else`}
              onPress={() => void again()}
            >
              Make {status.stale === 1 ? "it" : "them"} again
            </Button>
          </div>
        )}
        <ProblemNote problem={problem} />
      </div>
    </div>
  );
}
