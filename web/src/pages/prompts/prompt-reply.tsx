import type { Output } from "../../api/operation.ts";
import { useReply } from "../../data/use-reply.ts";
import { brief, money, span } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import { exchangeState } from "../../runs/exchange-list.tsx";
import { MarkedReply, outcomeWords } from "../../runs/reply-text.tsx";

type Detail = Output<"exchange.show">;

/** What came back, word for word, and each place where it was read differently. */
export function PromptReply({ detail }: { readonly detail: Detail }) {
  const { exchange, reply, reading, rawFinish, finish } = detail;
  const isOpen = exchange.outcome === "open";
  const arriving = useReply(isOpen ? exchange.id : undefined);
  const text = arriving ?? reply;
  const repairs = reading?.repairs ?? [];
  const problems = reading?.problems ?? [];
  return (
    <section className="pane prompt-reply">
      <header>
        <h2>Raw reply</h2>
        <Chip state={exchangeState(exchange)}>{outcomeWords(exchange, detail)}</Chip>
        <span className="small muted cut">{factWords(detail)}</span>
        <span className="end micro muted hide-n">{rawFinish ?? finish}</span>
      </header>
      <div className="split">
        <Scroll className="scroll grow reply-words" label="Reply">
          {text === undefined || text === "" ? (
            <p className="muted">
              {isOpen ? "Nothing has arrived yet." : (exchange.failure ?? "Nothing came back.")}
            </p>
          ) : (
            <MarkedReply text={text} repairs={isOpen ? [] : repairs} />
          )}
        </Scroll>
        <ol className="small repairs scroll">
          {repairs.map(({ sentence, path }, n) => (
            // oxlint-disable-next-line no-array-index-key -- repairs are known by their number
            <li key={n}>
              <span className="fixn">{n + 1}</span> <Words text={sentence} />{" "}
              {path !== "" && <span className="mono muted">{path}</span>}
            </li>
          ))}
          {problems.map(({ code, path, message }) => (
            <li key={code + path} className="fail">
              <Words text={message} /> <span className="mono">{path}</span>
            </li>
          ))}
          <li className="muted told">{readingWords(repairs)} The stored reply is the raw one.</li>
        </ol>
      </div>
    </section>
  );
}

function readingWords(repairs: readonly { readonly loss: string }[]): string {
  if (repairs.length === 0) return "It was read as it came.";
  const losses = new Set(repairs.map(({ loss }) => loss));
  if (losses.has("lossy")) return "Some of it was lost in reading; each repair says what.";
  return losses.has("coerced")
    ? "Values were brought into the form that was asked for; each repair says how."
    : "Nothing was invented: repairs only change syntax.";
}

function factWords({ exchange }: Detail): string {
  const { model, outputTokens, costMicroUsd, createdAt, finishedAt } = exchange;
  return [
    model,
    outputTokens === undefined ? "" : `${brief(outputTokens)} tokens out`,
    costMicroUsd === undefined ? "" : money(costMicroUsd),
    finishedAt === undefined ? "" : span(finishedAt - createdAt),
  ]
    .filter(Boolean)
    .join(", ");
}
