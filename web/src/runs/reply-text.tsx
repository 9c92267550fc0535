/** A reply as it came, growing while it arrives; repairs are numbered where they were made. */

import type { Item, Output } from "../api/operation.ts";
import { useOperation } from "../data/use-operation.ts";
import { useReply } from "../data/use-reply.ts";
import { plural } from "../parts/format.ts";
import { Chip } from "../parts/glyph.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { Words } from "../parts/words.tsx";
import { exchangeState } from "./exchange-list.tsx";
import { replySpans } from "./reply-spans.ts";

type Detail = Output<"exchange.show">;
type Repair = NonNullable<NonNullable<Detail["reading"]>["repairs"]>[number];

export function ReplyText({ exchange }: { readonly exchange: Item<"exchange.list"> }) {
  const isOpen = exchange.outcome === "open";
  const { data, problem } = useOperation("exchange.show", { exchangeId: exchange.id });
  const arriving = useReply(isOpen ? exchange.id : undefined);
  if (data === undefined && arriving === undefined)
    return (
      <>
        <ProblemNote problem={problem} />
        {problem === undefined && <SkeletonRows count={4} />}
      </>
    );
  const text = arriving ?? data?.reply ?? "";
  return (
    <>
      <div className="row small reply-head">
        <Chip state={exchangeState(exchange)}>{outcomeWords(exchange, data)}</Chip>
        <span className="muted">{readingWords(data)}</span>
      </div>
      {text === "" ? (
        <p className="muted">
          {isOpen ? "Nothing has arrived yet." : (exchange.failure ?? "Nothing came back.")}
        </p>
      ) : (
        <MarkedReply text={text} repairs={isOpen ? [] : (data?.reading?.repairs ?? [])} />
      )}
    </>
  );
}

export function outcomeWords(
  { outcome, loss }: Item<"exchange.list">,
  detail: Detail | undefined,
): string {
  if (outcome === "open") return "arriving";
  if (outcome !== "answered") return outcome;
  if (detail?.reading?.failure !== undefined) return "could not be read";
  const repairs = detail?.reading?.repairs?.length ?? 0;
  if (repairs > 0) return `readable after ${plural(repairs, "repair")}`;
  return loss === undefined || loss === "none" ? "valid reply" : `${loss} loss`;
}

function readingWords(detail: Detail | undefined): string {
  const problems = detail?.reading?.problems?.length ?? 0;
  if (problems > 0) return `${plural(problems, "problem")} in reading`;
  return detail?.isMasked ? "a passage redacted since is not shown" : "";
}

/** The stored reply is the raw one; marks only point at where it was read differently. */
export function MarkedReply({
  text,
  repairs,
}: {
  readonly text: string;
  readonly repairs: readonly Repair[];
}) {
  const placed = placedRepairs(text, repairs);
  const fixes = new Map(placed.map((each) => [each.start, each]));
  const marks = [...replySpans(text), ...placed];
  const edges = [...new Set([0, ...marks.flatMap(({ start, end }) => [start, end]), text.length])];
  const cuts = edges.toSorted((a, b) => a - b);
  return (
    <div className="code reply">
      {cuts.map((start, n) => (
        <ReplyPiece
          key={start}
          text={text.slice(start, cuts[n + 1] ?? start)}
          tone={marks.find((mark) => "tone" in mark && start >= mark.start && start < mark.end)}
          isFixed={placed.some((mark) => start >= mark.start && start < mark.end)}
          fix={fixes.get(start)}
        />
      ))}
    </div>
  );
}

interface PlacedRepair {
  readonly start: number;
  readonly end: number;
  readonly number: number;
  readonly sentence: string;
}

function placedRepairs(text: string, repairs: readonly Repair[]): readonly PlacedRepair[] {
  return repairs.flatMap(({ offset, before, sentence }, n) => {
    if (offset === undefined || offset > text.length) return [];
    const length = text.startsWith(before, offset) ? before.length : 0;
    return [{ start: offset, end: offset + length, number: n + 1, sentence }];
  });
}

function ReplyPiece({
  text,
  tone,
  isFixed,
  fix,
}: {
  readonly text: string;
  readonly tone: object | undefined;
  readonly isFixed: boolean;
  readonly fix: PlacedRepair | undefined;
}) {
  const colour = tone !== undefined && "tone" in tone ? String(tone.tone) : "";
  const className = [colour, isFixed ? "fix" : ""].filter(Boolean).join(" ");
  return (
    <>
      {fix !== undefined && (
        <span
          className="fixn"
          title={fix.sentence}
          aria-label={`Repair ${fix.number}: ${fix.sentence}`}
        >
          {fix.number}
        </span>
      )}
      {className === "" ? (
        <Words text={text} />
      ) : (
        <span className={className}>
          <Words text={text} />
        </span>
      )}
    </>
  );
}
