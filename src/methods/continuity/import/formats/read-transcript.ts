/**
 * A conversation written down as Markdown or plain text, with a mark where each speaker begins. It is read twice:
 * once for how speakers are marked in this file, once for what they say. Code blocks are never looked into.
 */

import { readLines } from "../bytes/read-lines.ts";
import { type Fault, faultAt } from "../bytes/record.ts";
import type { ImportedConversation, ImportedMessage } from "../imported-conversation.ts";
import { digestFile, type Reading, type ReadPiece } from "../source-file.ts";
import { titleFrom } from "./loose-fields.ts";
import {
  findMarker,
  MARKER_STYLES,
  type MarkerStyle,
  type SpeakerMarker,
} from "./speaker-marker.ts";
import { MESSAGE_CHARACTERS, toMessages } from "./strands.ts";
import { createThreadParts } from "./thread-parts.ts";
import { idFromBeginning, summaryOf } from "./thread-summary.ts";

export async function* readTranscript(reading: Reading): AsyncGenerator<ReadPiece, void> {
  const { file } = reading;
  const digest = await digestFile(reading, "markdown");
  if (reading.isKnown(digest)) return yield { kind: "known", offset: 0, line: 1 };
  const look = await lookThrough(reading);
  if (look.style === undefined)
    return yield faultAt({ offset: 0, line: 1 }, "speakers_unknown", NOBODY);
  const parts = createThreadParts();
  let header: Pick<ImportedConversation, "id" | "title" | "startedAt"> | undefined;
  const take = (isWhole: boolean): ReadPiece => {
    const threads = [...parts.take().values()];
    const { startedAt, firstWords } = summaryOf(threads);
    header ??= {
      id: idFromBeginning(threads, file.name),
      title: look.title ?? titleFrom(firstWords) ?? file.name,
      startedAt,
    };
    const conversation: ImportedConversation = {
      ...header,
      source: "markdown",
      details: {},
      threads,
      ...(isWhole ? { digest } : {}),
    };
    return { kind: "conversation", offset: 0, line: 1, conversation };
  };
  for await (const piece of messagesOf(reading, look.style)) {
    if ("kind" in piece) {
      yield piece;
      continue;
    }
    parts.add("", [piece]);
    if (parts.isFull) yield take(false);
  }
  yield take(true);
}

const NOBODY =
  "Nothing in it says who speaks. Mark the speakers, such as `User:` and `Assistant:` at the beginning of their lines.";

interface Look {
  readonly style: MarkerStyle | undefined;
  readonly title: string | undefined;
}

async function lookThrough(reading: Reading): Promise<Look> {
  const found = new Map<MarkerStyle, { count: number; roles: Set<string>; isFirst: boolean }>();
  let title: string | undefined;
  let hasText = false;
  for await (const line of textLines(reading, "look")) {
    if ("kind" in line) continue;
    const marker = markerOf(line);
    if (marker !== undefined) {
      const seen = found.get(marker.style) ?? { count: 0, roles: new Set(), isFirst: !hasText };
      seen.count += 1;
      seen.roles.add(marker.role);
      found.set(marker.style, seen);
    } else if (found.size === 0) {
      title ??= titleFrom(
        /^#\s+(.+)$/.exec(line.text)?.[1] ?? /^title:\s*"?([^"]+)"?$/.exec(line.text)?.[1],
      );
    }
    if (!isFurniture(line)) hasText = true;
  }
  const styles = MARKER_STYLES.filter((style) => found.has(style));
  const style =
    styles.find((each) => (found.get(each)?.roles.size ?? 0) > 1) ??
    styles.find((each) => found.get(each)?.isFirst);
  return { style, title };
}

function markerOf({ text, isCode, isFrontMatter }: TextLine): SpeakerMarker | undefined {
  return isCode || isFrontMatter ? undefined : findMarker(text);
}

/** Rules, front matter and titles: nothing anybody said. */
function isFurniture({ text, isCode, isFrontMatter }: TextLine): boolean {
  return isFrontMatter || (!isCode && /^\s*(?:[-*_=]{3,}\s*|#\s.*)?$/.test(text));
}

/** Everything before the first speaker is kept too, unless it is only a title. */
async function* messagesOf(
  reading: Reading,
  style: MarkerStyle,
): AsyncGenerator<ImportedMessage | Fault, void> {
  let number = 0;
  let open:
    | { marker: Pick<SpeakerMarker, "role" | "at">; lines: string[]; size: number }
    | undefined;
  let isPreamble = true;
  const close = (): readonly ImportedMessage[] => {
    if (open === undefined) return [];
    const { marker, lines } = open;
    while (/^\s*[-*_=]{3,}\s*$|^\s*$/.test(lines.at(-1) ?? "-")) lines.pop();
    const text = lines.join("\n").trim();
    open = undefined;
    if (text === "") return [];
    number += 1;
    return toMessages(`#${number}`, [{ role: marker.role, text }], marker.at);
  };
  for await (const line of textLines(reading)) {
    if ("kind" in line) {
      yield line;
      continue;
    }
    const marker = markerOf(line);
    if (marker?.style === style) {
      yield* close();
      isPreamble = false;
      open = { marker, lines: marker.rest === "" ? [] : [marker.rest], size: 0 };
      continue;
    }
    if (isPreamble && isFurniture(line)) continue;
    open ??= { marker: { role: "other", at: undefined }, lines: [], size: 0 };
    open.lines.push(line.text);
    open.size += line.text.length + 1;
    if (open.size < MESSAGE_CHARACTERS) continue;
    // Goes on as another message of the same speaker.
    const goesOn = open.marker;
    yield* close();
    open = { marker: goesOn, lines: [], size: 0 };
  }
  yield* close();
}

const FRONT_MATTER_LINES = 50;

interface TextLine {
  readonly text: string;
  readonly isCode: boolean;
  /** Between `---` and `---` at the top of the file. */
  readonly isFrontMatter: boolean;
}

async function* textLines(
  { file, limits }: Reading,
  purpose?: "look",
): AsyncGenerator<TextLine | Fault, void> {
  let fence: string | undefined;
  let isFrontMatter = false;
  for await (const cut of readLines(file.open(purpose), limits)) {
    if (cut.kind === "fault") {
      yield cut;
      continue;
    }
    const text = cut.bytes.toString("utf8");
    const [mark] = /^\s{0,3}(?:`{3,}|~{3,})/.exec(text) ?? [];
    const isFence = mark !== undefined;
    const isRule = /^---\s*$/.test(text);
    const isEnd = isFrontMatter && isRule;
    if (cut.line === 1) isFrontMatter = isRule;
    // What is not closed soon is a rule at the top, not front matter.
    if (cut.line > FRONT_MATTER_LINES) isFrontMatter = false;
    yield { text, isCode: isFence || fence !== undefined, isFrontMatter };
    if (isEnd) isFrontMatter = false;
    if (!isFence) continue;
    const sign = mark.trim();
    if (fence === undefined) fence = sign;
    else if (sign.startsWith(fence) && text.trim() === sign) fence = undefined;
  }
}
