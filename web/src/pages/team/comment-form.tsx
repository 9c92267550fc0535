/** A comment of one's own: the owner must answer it in the next round. */

import { useId, useState } from "react";
import { useChange } from "../../data/use-change.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

export function CommentForm({
  runId,
  productId,
}: {
  readonly runId: string;
  readonly productId: string;
}) {
  const { run, isBusy, problem } = useChange("team.comment");
  const [text, setText] = useState("");
  const [importance, setImportance] = useState("6");
  const id = useId();
  const say = async () => {
    const done = await run({
      runId,
      product: productId,
      content: text,
      importance: Number(importance),
    });
    if (done !== undefined) setText("");
  };
  return (
    <form
      className="form comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        void say();
      }}
    >
      <label className="field" htmlFor={`${id}-text`}>
        <span className="lbl">Your comment</span>
        <textarea
          id={`${id}-text`}
          className="inp"
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <div className="row">
        <label className="field row" htmlFor={`${id}-weight`}>
          <span className="lbl">Importance</span>
          <input
            id={`${id}-weight`}
            className="inp weight"
            type="number"
            min={1}
            max={10}
            value={importance}
            onChange={({ target }) => setImportance(target.value)}
          />
        </label>
        <Button
          submits
          isBusy={isBusy}
          isDisabled={text.trim() === ""}
          effect={Number(importance) >= 8 ? "and block acceptance" : undefined}
        >
          Comment
        </Button>
      </div>
      <ProblemNote problem={problem} />
    </form>
  );
}
