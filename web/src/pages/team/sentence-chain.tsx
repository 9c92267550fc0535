/** Every sentence of a version can be asked where it came from: the version that brought it, and the chain back to your words. */

import { useState } from "react";
import { useOperation } from "../../data/use-operation.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Words } from "../../parts/words.tsx";
import { splitSentences } from "./split-sentences.ts";

export function SentenceChain({
  runId,
  productId,
  versionId,
  content,
}: {
  readonly runId: string;
  readonly productId: string;
  readonly versionId: string;
  readonly content: string;
}) {
  const [chosen, choose] = useState<string>();
  const sentence = chosen?.trim();
  const { data, problem } = useOperation(
    "team.blame",
    sentence === undefined || sentence === ""
      ? undefined
      : { runId, product: productId, sentence, version: versionId },
  );
  return (
    <div className="trace">
      <div className="trace-text" role="group" aria-label="Sentences">
        {splitSentences(content).map(({ text, start }) =>
          text.trim() === "" ? (
            text.includes("\n\n") && <br key={start} />
          ) : (
            <button
              key={start}
              type="button"
              className="sentence"
              aria-pressed={text === chosen}
              onClick={() => choose(text)}
            >
              <Words text={text.trim()} />
            </button>
          ),
        )}
      </div>
      <div className="trace-chain" aria-live="polite">
        <ProblemNote problem={problem} />
        {chosen === undefined && (
          <p className="muted">Choose a sentence to see where it came from.</p>
        )}
        {chosen !== undefined && data !== undefined && (
          <>
            <p className="small">
              Came in with <b className="b">{data.versionId}</b>, version {data.versionNumber}, in
              round {data.round}
              {data.isCutOff && ", or earlier: the words of the versions before were pruned"}.
            </p>
            <ol className="thread">
              {data.chain.map(({ id, kind, by, round, text, from }) => (
                <li key={id} className={kind === "user_message" ? "now" : ""}>
                  <span className="mono micro muted">{id}</span>{" "}
                  <b className="b">{kind.replace("_", " ")}</b>{" "}
                  <span className="micro muted">
                    {by}, round {round}
                  </span>
                  <div className="chain-text">
                    <Words text={text} />
                  </div>
                  {from.length > 0 && (
                    <div className="micro muted mono">rests on {from.join(" ")}</div>
                  )}
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </div>
  );
}
