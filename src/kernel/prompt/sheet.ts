/** What is on the page so far, and how much room is left, counted exactly as it will be written. */

import { type Frame, listMark } from "./frame.ts";
import { type Cost, FREE, minus, type PackGroup, plus } from "./pack-problem.ts";

export interface Meter {
  cost(text: string): Cost;
}

/** Without a counter tokens are free, and nothing is counted. */
export function createMeter(countTokens: ((text: string) => number) | undefined): Meter {
  if (countTokens === undefined)
    return { cost: (text) => ({ characters: text.length, tokens: 0 }) };
  const known = new Map<string, number>();
  return {
    cost(text) {
      if (text === "") return FREE;
      let tokens = known.get(text);
      if (tokens === undefined) {
        tokens = countTokens(text);
        known.set(text, tokens);
      }
      return { characters: text.length, tokens };
    },
  };
}

export interface Sheet {
  /** False, and nothing changed, when it does not fit. */
  add(layer: number, text: string): boolean;
  /** Adds it even where that leaves less than nothing. */
  force(layer: number, text: string): void;
  /** Puts one text of a layer in the place of another. */
  replace(layer: number, before: string, after: string): void;
  /** A block of its own, such as the note that something was cut. */
  addBlock(text: string): boolean;
  blockCost(text: string): Cost;
  spent(): Cost;
  /** By layer, without the separators between layers. */
  spentIn(layer: number): Cost;
  left(): Cost;
  /** What is left for the text of one more part of this layer. */
  roomIn(layer: number): Cost;
  groups(): readonly PackGroup[];
}

export function createSheet(frame: Frame, meter: Meter, budget: Cost): Sheet {
  const between = meter.cost(frame.separator);
  const steps = frame.layers.map((_, layer) => createStep(frame, layer, meter));
  const counts = frame.layers.map(() => 0);
  const byLayer = frame.layers.map(() => FREE);
  // Every block is charged the separator before it; the first one has none.
  let spent = minus(FREE, between);
  const left = (): Cost => minus(budget, spent);
  const fits = ({ characters, tokens }: Cost): boolean =>
    spent.characters + characters <= budget.characters && spent.tokens + tokens <= budget.tokens;
  const stepOf = (layer: number): Cost => steps[layer]?.(counts[layer] ?? 0) ?? FREE;
  const charge = (layer: number, cost: Cost): void => {
    spent = plus(spent, cost);
    byLayer[layer] = plus(byLayer[layer] ?? FREE, cost);
  };
  const blockCost = (text: string): Cost => plus(between, meter.cost(text));
  const force = (layer: number, text: string): void => {
    charge(layer, plus(stepOf(layer), meter.cost(text)));
    counts[layer] = (counts[layer] ?? 0) + 1;
  };
  return {
    force,
    add(layer, text) {
      if (!fits(plus(stepOf(layer), meter.cost(text)))) return false;
      force(layer, text);
      return true;
    },
    replace: (layer, before, after) => charge(layer, minus(meter.cost(after), meter.cost(before))),
    blockCost,
    addBlock(text) {
      const cost = blockCost(text);
      if (!fits(cost)) return false;
      spent = plus(spent, cost);
      return true;
    },
    spent: () => spent,
    spentIn: (layer) => minus(byLayer[layer] ?? FREE, (counts[layer] ?? 0) === 0 ? FREE : between),
    left,
    roomIn: (layer) => minus(left(), stepOf(layer)),
    groups: () => counts.map((count, layer) => ({ count, step: steps[layer] ?? (() => FREE) })),
  };
}

function createStep(frame: Frame, index: number, meter: Meter): (count: number) => Cost {
  const { layer, heading, separator } = frame.layers[index] ?? NO_LAYER;
  const opening = plus(meter.cost(frame.separator), meter.cost(heading));
  const between = meter.cost(separator);
  if (layer.list !== "numbered") {
    const mark = meter.cost(listMark(layer, 1));
    const first = plus(opening, mark);
    const next = plus(between, mark);
    return (count) => (count === 0 ? first : next);
  }
  return (count) => plus(count === 0 ? opening : between, meter.cost(listMark(layer, count + 1)));
}

const NO_LAYER: Frame["layers"][number] = {
  layer: { id: "", role: "user", stability: "turn" },
  heading: "",
  separator: "",
};
