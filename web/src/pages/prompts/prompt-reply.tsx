/** What came back: as it came, as it was read, and what lies between the two. */

import { useMemo } from "react";
import { diffLines } from "../../../../src/kernel/prompt/diff-lines.ts";
import type { Output } from "../../api/operation.ts";
import { useReply } from "../../data/use-reply.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { brief, money, span } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { WholeDiff } from "../../parts/whole-diff.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { exchangeState } from "../../runs/exchange-list.tsx";
import { type RepairedReply, repairedReply } from "../../runs/repaired-reply.ts";
import { MarkedReply, outcomeWords } from "../../runs/reply-text.tsx";

type Detail = Output<"exchange.show">;
type Repairs = NonNullable<NonNullable<Detail["reading"]>["repairs"]>;

const MODES = [
  { name: "raw", label: "Raw", title: "Raw reply" },
  { name: "repaired", label: "Repaired", title: "Repaired reply" },
  { name: "diff", label: "Diff", title: "Raw and repaired" },
] as const;

/** Raw, it is word for word what came, with a number at each place that was read differently. */
export function PromptReply({ detail }: { readonly detail: Detail }) {
  const { exchange, reply, reading, rawFinish, finish } = detail;
  const isOpen = exchange.outcome === "open";
  const arriving = useReply(isOpen ? exchange.id : undefined);
  const text = arriving ?? reply;
  const repairs = reading?.repairs ?? [];
  const problems = reading?.problems ?? [];
  // What was masked since has moved the places of repairs.
  const hasModes = !isOpen && !detail.isMasked && text !== undefined && repairs.length > 0;
  const [asked, setMode] = useQueryField("reply");
  const mode = MODES.find(({ name }) => hasModes && name === asked) ?? MODES[0];
  return (
    <section className="pane prompt-reply" aria-label="What came back">
      <header>
        <h2>{mode.title}</h2>
        <Chip state={exchangeState(exchange)}>{outcomeWords(exchange, detail)}</Chip>
        <span className="small muted cut">{factWords(detail)}</span>
        <span className="end row">
          <span className="micro muted hide-n">{rawFinish ?? finish}</span>
          {hasModes && (
            <Segmented
              label="Which reply"
              choices={MODES}
              chosen={mode.name}
              onChoose={(name) => setMode(name === "raw" ? undefined : name)}
            />
          )}
        </span>
      </header>
      <div className="split">
        <Scroll className="scroll grow reply-words" label="Reply">
          {text === undefined || text === "" ? (
            <p className="muted">
              {isOpen ? "Nothing has arrived yet." : (exchange.failure ?? "Nothing came back.")}
            </p>
          ) : mode.name === "raw" ? (
            <MarkedReply text={text} repairs={isOpen ? [] : repairs} />
          ) : (
            <Repaired text={text} repairs={repairs} isDiff={mode.name === "diff"} />
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

function Repaired({
  text,
  repairs,
  isDiff,
}: {
  readonly text: string;
  readonly repairs: Repairs;
  readonly isDiff: boolean;
}) {
  const repaired = useMemo(() => repairedReply(text, repairs), [text, repairs]);
  const lines = useMemo(
    () => (isDiff ? diffLines(text, repaired.text) : []),
    [isDiff, text, repaired],
  );
  if (repaired.applied === 0)
    return (
      <EmptyState title="Its text is as it came">
        No repair put other signs in it; the list says how it was read.
      </EmptyState>
    );
  return (
    <>
      <p className="micro muted">{appliedWords(repaired, repairs.length)}</p>
      {isDiff ? <WholeDiff lines={lines} /> : <MarkedReply text={repaired.text} repairs={[]} />}
    </>
  );
}

function appliedWords({ applied }: RepairedReply, all: number): string {
  return applied === all
    ? `With ${all === 1 ? "the repair" : `all ${all} repairs`} in it.`
    : `With ${applied} of ${all} repairs in it; the others say only how it was read.`;
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
