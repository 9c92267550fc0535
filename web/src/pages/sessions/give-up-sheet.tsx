import { performChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { reportProblem } from "../../shell/problems.ts";
import { toast } from "../../shell/toasts.tsx";
import type { SessionDetail } from "./session-view.tsx";

export function GiveUpSheet({
  session,
  onClose,
}: {
  readonly session: SessionDetail["session"];
  readonly onClose: () => void;
}) {
  const giveUp = () => {
    onClose();
    performChange("session.abandon", { session: session.id })
      .then(() => toast("Given up: its commits stay where they are"))
      .catch(reportProblem);
  };
  return (
    <Sheet
      title="Give this session up?"
      onClose={onClose}
      footer={
        <>
          <Button kind="danger" onPress={giveUp}>
            Give it up
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Let it be
          </Button>
        </>
      }
    >
      <p>Its intents stay in the history as they are. Nothing is squashed, reported or pushed.</p>
    </Sheet>
  );
}
