/** How far long work is: a bar that redraws itself on a terminal, a line now and then elsewhere. */

import type { Progress } from "../../kernel/operation/operation.ts";
import { bytesText } from "../../kernel/operation/terminal-text.ts";
import type { CliOutput } from "./cli-world.ts";
import { safeLine } from "./safe-text.ts";
import type { Style } from "./style.ts";
import { cutToWidth } from "./text-width.ts";

export interface ProgressLine {
  readonly report: (progress: Progress) => void;
  /** Takes the bar away; call it before anything else is written. */
  readonly clear: () => void;
}

const REDRAW_MS = 80;
const LINE_MS = 5000;
const BAR = 24;

export function createProgressLine(
  output: CliOutput,
  now: () => number,
  style: Style,
): ProgressLine {
  return output.isTTY ? barOn(output, now, style) : linesOn(output, now);
}

function barOn(output: CliOutput, now: () => number, style: Style): ProgressLine {
  let drawnAt = -Infinity;
  let isDrawn = false;
  return {
    report(progress) {
      const isLast = isOver(progress);
      if (!isDrawn && isLast) return;
      if (now() - drawnAt < REDRAW_MS && !isLast) return;
      drawnAt = now();
      isDrawn = true;
      output.write(`\r\u001b[2K${barText(progress, output.columns, style)}`);
    },
    clear() {
      if (isDrawn) output.write("\r\u001b[2K");
      isDrawn = false;
    },
  };
}

function barText(progress: Progress, columns: number, style: Style): string {
  const { done, total } = progress;
  const share = done === undefined || !total ? undefined : Math.min(1, done / total);
  const text = cutToWidth(lineText(progress), Math.max(10, columns - BAR - 8));
  if (share === undefined) return text;
  const full = Math.round(share * BAR);
  const bar = style("cyan", "█".repeat(full)) + style("dim", "░".repeat(BAR - full));
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}% ${text}`;
}

/** A new message, every tenth of the way, or some seconds of silence are worth a line. */
function linesOn(output: CliOutput, now: () => number): ProgressLine {
  let last = { message: "", tenth: -1, at: -Infinity };
  return {
    report(progress) {
      const { message, done, total } = progress;
      const tenth = done === undefined || !total ? -1 : Math.floor((done / total) * 10);
      if (message !== last.message && isOver(progress)) return;
      if (message === last.message && tenth === last.tenth && now() - last.at < LINE_MS) return;
      last = { message, tenth, at: now() };
      output.write(`${lineText(progress)}\n`);
    },
    clear() {},
  };
}

/** What is over when it is first heard of was never long work. */
function isOver({ done, total }: Progress): boolean {
  return total !== undefined && done === total;
}

function lineText({ message, done, total, unit, detail }: Progress): string {
  const amount = (count: number) => (unit === "bytes" ? bytesText(count) : String(count));
  const whole = total === undefined ? "" : `/${amount(total)}`;
  const count = done === undefined ? "" : ` ${amount(done)}${whole}`;
  return safeLine(`${message}${count}${detail === undefined ? "" : `, ${detail}`}`);
}
