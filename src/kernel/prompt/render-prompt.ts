/** Writes the prompt in reading order and notes, character by character, where it came from. */

import type { RangeKind, ShownRef, SourceRange } from "./compiled-prompt.ts";
import { type Frame, type LayerFrame, listMark } from "./frame.ts";
import { isSameSource, type Layer } from "./part.ts";
import type { PreparedPart } from "./prepare-part.ts";
import type { RenderedPart } from "./rendered-part.ts";

/** A part that is in, in the form it takes. */
export interface Entry {
  readonly layer: number;
  readonly prepared: PreparedPart;
  readonly rendered: RenderedPart;
}

/** The note that something was cut, and the layer it follows. */
export interface CutNote {
  readonly text: string;
  readonly after: number;
}

export interface RenderedPrompt {
  readonly text: string;
  readonly sourceMap: readonly SourceRange[];
  readonly refs: readonly ShownRef[];
  readonly blocks: readonly Block[];
  /** Where each entry's own text begins. */
  readonly starts: readonly number[];
}

/** A layer as it stands in the text, without the separators around it. */
export interface Block {
  readonly layer: Layer;
  readonly parts: number;
  readonly start: number;
  readonly end: number;
}

/** Entries are in reading order. */
export function renderPrompt(
  frame: Frame,
  entries: readonly Entry[],
  note: CutNote | undefined,
): RenderedPrompt {
  const writer = createWriter();
  const starts: number[] = [];
  const blocks: Block[] = [];
  let next = 0;
  for (const [index, layerFrame] of frame.layers.entries()) {
    const first = next;
    while (entries[next]?.layer === index) next += 1;
    if (next > first) {
      if (blocks.length > 0) writer.write(frame.separator, "separator", layerFrame.layer.id);
      const start = writer.length();
      writeLayer(writer, layerFrame, entries.slice(first, next), starts);
      blocks.push({ layer: layerFrame.layer, parts: next - first, start, end: writer.length() });
    }
    if (note?.after === index) {
      if (blocks.length > 0) writer.write(frame.separator, "separator", layerFrame.layer.id);
      const start = writer.length();
      writer.write(note.text, "marker", layerFrame.layer.id);
      blocks.push({ layer: layerFrame.layer, parts: 0, start, end: writer.length() });
    }
  }
  return { ...writer.done(), blocks, starts };
}

function writeLayer(
  writer: Writer,
  { layer, heading, separator }: LayerFrame,
  entries: readonly Entry[],
  starts: number[],
): void {
  writer.write(heading, "heading", layer.id);
  for (const [index, { prepared, rendered }] of entries.entries()) {
    const mark = listMark(layer, index + 1);
    writer.write(index === 0 ? mark : separator + mark, "separator", layer.id);
    starts.push(writer.length());
    writer.writePart(layer.id, prepared, rendered);
  }
}

interface Writer {
  write(text: string, kind: RangeKind, layer: string): void;
  writePart(layer: string, prepared: PreparedPart, rendered: RenderedPart): void;
  length(): number;
  done(): Pick<RenderedPrompt, "text" | "sourceMap" | "refs">;
}

function createWriter(): Writer {
  const sourceMap: SourceRange[] = [];
  const refs: ShownRef[] = [];
  let text = "";
  return {
    write(added, kind, layer) {
      if (added === "") return;
      sourceMap.push({ start: text.length, end: text.length + added.length, kind, layer });
      text += added;
    },
    writePart(layer, { part, pieces }, rendered) {
      for (const segment of rendered.segments) {
        const start = text.length;
        text += segment.text;
        const range = { start, end: text.length, kind: segment.kind, layer, part: part.id };
        const ref = pieces[segment.piece]?.ref;
        sourceMap.push(ref === undefined ? range : { ...range, ref });
        if (ref === undefined || segment.kind === "fence") continue;
        const last = refs.at(-1);
        const goesOn = last?.part === part.id && last.end === start && isSameSource(last.ref, ref);
        if (last !== undefined && goesOn) {
          refs[refs.length - 1] = { ...last, end: text.length };
        } else {
          const shown = { ref, part: part.id, start, end: text.length };
          refs.push(part.score === undefined ? shown : { ...shown, score: part.score.value });
        }
      }
    },
    length: () => text.length,
    done: () => ({ text, sourceMap, refs }),
  };
}
