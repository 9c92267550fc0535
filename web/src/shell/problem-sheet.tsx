import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { problems } from "./problems.ts";

export function ProblemSheet() {
  const problem = problems.use();
  if (problem === undefined) return null;
  const close = () => problems.set(undefined);
  return (
    <Sheet
      title="That did not work"
      onClose={close}
      footer={
        <Button kind="primary" onPress={close}>
          Close
        </Button>
      }
    >
      <ProblemNote problem={problem} />
    </Sheet>
  );
}
