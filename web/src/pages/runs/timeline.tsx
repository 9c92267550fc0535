/** When who was at work: a line for each step, time without work folded. */

import "./timeline.css";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { plural, span } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { type State, stateOf, toneOf } from "../../parts/state.ts";
import { Words } from "../../parts/words.tsx";
import { type RunGraph, type RunStep, stepStatus } from "./run-drawing.ts";
import { type TimeScale, tickText, timeScale } from "./time-scale.ts";

type Span = RunStep["spans"][number];

interface Line {
  readonly key: string;
  readonly name: string;
  readonly state: State;
  readonly spans: readonly Span[];
  readonly step: string | undefined;
  readonly words: string;
}

const ROW = 22;
const BEYOND = 10;

export function Timeline({
  graph,
  chosen,
  onChoose,
}: {
  readonly graph: RunGraph;
  readonly chosen: string | undefined;
  readonly onChoose: (step: string) => void;
}) {
  const isLive = graph.finishedAt === undefined;
  const end = graph.finishedAt ?? graph.asOf;
  const start = graph.startedAt ?? end;
  const lines = useMemo(() => linesOf(graph), [graph]);
  const scale = useMemo(() => {
    // What people take their time over is no work of a machine.
    const work = graph.steps
      .filter(({ execution }) => execution !== "manual")
      .flatMap(({ spans }) => spans)
      .filter(({ status }) => status !== "waiting" && status !== "on_hold")
      .map(({ from, to }) => ({ from, to: to ?? end }));
    return timeScale(work, { from: start, to: Math.max(end, start + 1) });
  }, [graph, start, end]);
  return (
    <section className="tl" aria-label="Timeline">
      <div className="nm ax">
        <span className="lbl">Timeline</span>
      </div>
      <div className="ax">
        <span className="plot">
          {scale.ticks.map(({ at, ms }) => (
            <span key={ms} className="tick" style={place({ x: at })}>
              {tickText(ms)}
            </span>
          ))}
        </span>
      </div>
      <Rows lines={lines} scale={scale} end={end} chosen={chosen} onChoose={onChoose}>
        {scale.folds.map(({ at, ms }) => (
          <i key={at} className="gap" style={place({ x: at })} title={`${span(ms)} without work`} />
        ))}
        {isLive && <i className="now" style={place({ x: scale.at(end) })} />}
      </Rows>
    </section>
  );
}

function place({ x, w }: { readonly x: number; readonly w?: number }): object {
  return { "--x": `${x}%`, ...(w === undefined ? {} : { "--w": `${w}%` }) };
}

/** Only the lines in sight are in the page. */
function Rows({
  lines,
  scale,
  end,
  chosen,
  onChoose,
  children,
}: {
  readonly lines: readonly Line[];
  readonly scale: TimeScale;
  readonly end: number;
  readonly chosen: string | undefined;
  readonly onChoose: (step: string) => void;
  readonly children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const watch = new ResizeObserver(() => setHeight(current.clientHeight));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  const last = Math.min(lines.length, Math.ceil((top + height) / ROW) + BEYOND);
  return (
    <div
      className="tl-rows"
      ref={box}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div className="tl-all" style={{ height: lines.length * ROW }}>
        <div className="tl-marks">
          <span className="plot">{children}</span>
        </div>
        {lines.slice(first, last).map((line, n) => (
          <LineView
            key={line.key}
            line={line}
            top={(first + n) * ROW}
            scale={scale}
            end={end}
            isChosen={line.step !== undefined && line.step === chosen}
            onChoose={onChoose}
          />
        ))}
      </div>
    </div>
  );
}

function LineView({
  line: { name, state, spans, step, words },
  top,
  scale,
  end,
  isChosen,
  onChoose,
}: {
  readonly line: Line;
  readonly top: number;
  readonly scale: TimeScale;
  readonly end: number;
  readonly isChosen: boolean;
  readonly onChoose: (step: string) => void;
}) {
  const right = spans.reduce((most, { to }) => Math.max(most, scale.at(to ?? end)), 0);
  const isInside = right > 82;
  const start = scale.at(spans[0]?.from ?? 0);
  const content = (
    <>
      <span className="nm">
        <Glyph state={state} />
        <span className="cut">
          <Words text={name} />
        </span>
        <span className="sr">{state}</span>
      </span>
      <span className="tr">
        <span className="plot">
          {spans.map(({ lane, from, to, status }) => {
            const x = scale.at(from);
            const isMany = spans.some((each) => each.lane > 0);
            const kind = `bar2 ${toneOf(stateOf(status))}${to === undefined ? " open" : ""}${isMany ? ` lane lane-${lane}` : ""}`;
            return (
              <i
                key={`${lane} ${from} ${status}`}
                className={kind}
                style={place({ x, w: Math.max(0.3, scale.at(to ?? end) - x) })}
              />
            );
          })}
          {spans.length > 0 && (
            <span
              className={`lab ${isInside ? (start > 14 ? "before" : "in") : ""}`}
              style={place({ x: isInside ? start : right })}
            >
              {words}
            </span>
          )}
        </span>
      </span>
    </>
  );
  const kind = `tl-line${isChosen ? " sel" : ""}`;
  if (step === undefined)
    return (
      <div className={kind} style={{ top }}>
        {content}
      </div>
    );
  return (
    <button
      type="button"
      className={kind}
      style={{ top }}
      aria-pressed={isChosen}
      onClick={() => onChoose(step)}
    >
      {content}
    </button>
  );
}

/** Passes before the shown one are a line each. */
function linesOf({ steps, pass, passes }: RunGraph): readonly Line[] {
  const earlier = Array.from({ length: passes }, (_, n) => n + 1)
    .filter((number) => number !== pass)
    .map((number): Line => {
      const own = steps.flatMap(({ spans }) => spans.filter((each) => each.pass === number));
      const reached = steps.filter(({ spans }) => spans.some((each) => each.pass === number));
      const from = Math.min(...own.map((each) => each.from));
      const isOpen = own.some(({ to }) => to === undefined);
      const to = isOpen ? undefined : Math.max(...own.map((each) => each.to ?? 0));
      const whole = {
        pass: number,
        lane: 0,
        from,
        status: "completed" as const,
        visits: own.length,
      };
      return {
        key: `pass ${number}`,
        name: `Pass ${number}, ${plural(reached.length, "step")}`,
        state: "ok",
        spans: own.length === 0 ? [] : [{ ...whole, ...(to === undefined ? {} : { to }) }],
        step: undefined,
        words: to === undefined ? "" : span(to - from),
      };
    });
  // What was over before this pass began is part of an earlier line.
  const shown = steps
    .filter(({ type }) => type !== "decision")
    .filter(({ spans }) => spans.length === 0 || spans.some((each) => each.pass === pass))
    .map((step): Line => {
      const { id, name, spans, items, counts, startedAt, finishedAt } = step;
      const over = (counts.completed ?? 0) + (counts.failed ?? 0) + (counts.cancelled ?? 0);
      const took =
        startedAt === undefined || finishedAt === undefined ? "" : span(finishedAt - startedAt);
      return {
        key: id,
        name: id === name || id.length > 3 ? name : `${id} ${name}`,
        state: stateOf(stepStatus(step)),
        spans: spans.filter((each) => each.pass === pass),
        step: id,
        words: items === undefined || took !== "" ? took : `${over}/${items.total}`,
      };
    });
  return [...earlier.filter(({ spans }) => spans.length > 0), ...shown];
}
