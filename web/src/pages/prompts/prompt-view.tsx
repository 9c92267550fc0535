/** The inspector: text with its sources, layers by size, the ledger of what is in and out, the reply. */

import { useMemo, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { count, moment } from "../../parts/format.ts";
import { Chip } from "../../parts/glyph.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { Reference } from "../../parts/reference.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { useQueryField } from "../../router/place.ts";
import { exchangeState } from "../../runs/exchange-list.tsx";
import { outcomeWords } from "../../runs/reply-text.tsx";
import { toast } from "../../shell/toasts.tsx";
import { LayerList } from "./layer-list.tsx";
import { Ledger } from "./ledger.tsx";
import type { Place } from "./pointed.ts";
import { PromptDiff } from "./prompt-diff.tsx";
import { layerKind, promptLines, type Trace } from "./prompt-lines.ts";
import { PromptReply } from "./prompt-reply.tsx";
import { PromptText } from "./prompt-text.tsx";
import { SelectedSpan } from "./selected-span.tsx";

type Detail = Output<"exchange.show">;

export function PromptView({ id }: { readonly id: string }) {
  const { data, problem, refresh } = useOperation("exchange.show", { exchangeId: id });
  if (data === undefined)
    return (
      <PageToCome
        problem={problem}
        onRetry={refresh}
        back={{ title: "Prompts", path: "/prompts" }}
      />
    );
  return <Inspector detail={data} />;
}

function Inspector({ detail }: { readonly detail: Detail }) {
  const { messages, isMasked } = detail;
  const trace = isTrace(detail.trace) ? detail.trace : undefined;
  const lines = useMemo(
    () => promptLines(messages, isMasked ? undefined : trace),
    [messages, trace, isMasked],
  );
  const [chosen, choose] = useState<number>();
  const [pointed, point] = useState<Place>();
  const [asked, setView] = useQueryField("view");
  const view = asked === "diff" ? "diff" : "text";
  const range = chosen === undefined ? undefined : trace?.sourceMap[chosen];
  return (
    <>
      <InspectorHead
        detail={detail}
        view={view}
        onView={(name) => setView(name === "diff" ? name : undefined)}
      />
      {trace !== undefined && <SizeBar trace={trace} />}
      <div className="pi">
        {view === "diff" ? (
          <PromptDiff detail={detail} />
        ) : (
          <PromptText
            lines={lines}
            trace={trace}
            chosen={chosen}
            onChoose={choose}
            pointed={pointed}
            onPoint={point}
            isPruned={detail.isPruned}
          />
        )}
        {trace !== undefined && (
          <>
            <section className="pane">
              <LayerList
                trace={trace}
                chosen={range?.layer}
                onChoose={choose}
                pointed={pointed}
                onPoint={point}
              />
              <SelectedSpan trace={trace} range={range} />
            </section>
            <Ledger
              trace={trace}
              chosen={range?.part}
              onChoose={choose}
              pointed={pointed}
              onPoint={point}
            />
          </>
        )}
      </div>
      <PromptReply detail={detail} />
    </>
  );
}

function isTrace(value: unknown): value is Trace {
  return typeof value === "object" && value !== null && "sourceMap" in value && "blocks" in value;
}

type View = "text" | "diff";

const VIEWS = [
  { name: "text", label: "Text" },
  { name: "diff", label: "Diff" },
] as const;

function InspectorHead({
  detail,
  view,
  onView,
}: {
  readonly detail: Detail;
  readonly view: View;
  readonly onView: (view: View) => void;
}) {
  const { exchange, messages, isMasked } = detail;
  const copy = () => {
    const text = messages.map((message) => message.text).join("\n\n");
    void navigator.clipboard.writeText(text).then(() => toast("The prompt is in the clipboard"));
  };
  return (
    <div className="head">
      <a className="crumb" href={`/prompts?run=${exchange.runId}`}>
        Prompts
      </a>
      <span className="faint">/</span>
      <h1 className="cut">
        {exchange.step}
        {exchange.item !== undefined && `, item ${exchange.item}`}
      </h1>
      <Reference noun="exchange" id={exchange.id} />
      <Chip state={exchangeState(exchange)}>{outcomeWords(exchange, detail)}</Chip>
      {isMasked && <Chip state="part">a passage is redacted</Chip>}
      <span className="small muted wide">
        {exchange.contract} for {exchange.model}, {moment(exchange.createdAt)}
      </span>
      <span className="end row">
        <Segmented label="As what" choices={VIEWS} chosen={view} onChoose={onView} />
        <a className="btn" href={`/runs/${exchange.runId}`}>
          Open the run
        </a>
        <Button icon="copy" onPress={copy}>
          Copy
        </Button>
      </span>
    </div>
  );
}

function SizeBar({ trace }: { readonly trace: Trace }) {
  const { layers, characters, cuts, tokens } = trace;
  return (
    <div className="small size-line">
      <span className="b">Size</span>
      <div className="budget" role="img" aria-label={`${count(characters)} characters`}>
        {layers.map(({ layer, characters: size }) => {
          const kind = layerKind(layer, trace);
          const tone = kind === "fixed" ? "fixed" : `k-${kind.slice(0, 1)}`;
          return (
            <i
              key={layer}
              className={tone}
              title={layer}
              style={{ "--w": `${(100 * size) / Math.max(1, characters)}%` } as object}
            />
          );
        })}
      </div>
      <span className="num">
        <b className="b">{count(characters)}</b>{" "}
        <span className="muted">
          characters{tokens !== undefined && `, ${count(tokens)} tokens`}
          {cuts.length > 0 && `, ${cuts.length} cut`}
        </span>
      </span>
    </div>
  );
}
