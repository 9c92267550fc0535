/** What a packet is for. Intents are files of the library; whatever names none of them is a request in free words. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { parseTemplate, renderTemplate } from "../../../kernel/base/template.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { parseLibraryJson } from "../../../kernel/library/parse-library-json.ts";
import type { Piece } from "../../../kernel/prompt/part.ts";
import { truncateText } from "../../../kernel/prompt/truncate-text.ts";

/** A request in free words. */
export const CUSTOM = "custom";

export const INTENTS = [
  "generate_next_actions",
  "decide_between_options",
  "resolve_blocking_uncertainty",
  "summarize_state_propose_path",
  "produce_plan_architecture",
  "stress_test_direction",
  CUSTOM,
] as const;

const KNOWN: readonly string[] = INTENTS;

export interface Intent {
  /** `custom` for a request in free words. */
  readonly slug: string;
  readonly label: string;
  readonly instruction: string;
  /** The free words. */
  readonly request: string | undefined;
  /** The file it was taken from, with its hash. */
  readonly file: { readonly path: string; readonly hash: string };
}

export interface IntentInput {
  readonly intent?: string | undefined;
  readonly customIntent?: string | undefined;
}

const intentFile = z.strictObject({
  label: z.string().trim().min(1).max(200),
  instruction: z.string().trim().min(1).max(4000),
});

const LONGEST_LABEL = 120;

/** Undefined when nothing is asked for in particular. */
export function resolveIntent(library: Library, given: IntentInput): Intent | undefined {
  const slug = given.intent?.trim() ?? "";
  const request = given.customIntent?.trim() ?? "";
  if (slug === "" && request === "") return undefined;
  if (slug === CUSTOM || slug === "") {
    if (request === "") throw requestMissing();
    return customIntent(library, request);
  }
  if (request !== "") throw requestTwice(slug);
  return isSlug(slug) && hasIntent(library, slug)
    ? namedIntent(library, slug)
    : customIntent(library, slug);
}

/** All there are: ours in their order, then those that a workspace or project adds, then free words. */
export function listIntents(library: Library): readonly Pick<Intent, "slug" | "label">[] {
  const files = library.list({ kind: "intents", folder: "continuity/intents" });
  const found = files.map(({ path }) => path.slice(path.lastIndexOf("/") + 1, -".json".length));
  const added = found.filter((slug) => isSlug(slug) && !KNOWN.includes(slug));
  const slugs = [...INTENTS.filter((slug) => slug !== "custom"), ...added, "custom"];
  return slugs.map((slug) => ({ slug, label: readIntent(library, slug).label }));
}

/** What the intent asks, as it stands in the packet. */
export function intentPiece({ instruction, file }: Intent): Piece {
  return { text: instruction, ref: { type: "intent", id: file.path, version: file.hash } };
}

function namedIntent(library: Library, slug: string): Intent {
  const { label, instruction, file } = readIntent(library, slug);
  return { slug, label, instruction, request: undefined, file };
}

/** The label is the request itself, so that the first line of the packet says what it is for. */
function customIntent(library: Library, request: string): Intent {
  const { instruction, file } = readIntent(library, CUSTOM);
  const line = request.replaceAll(/\s+/g, " ");
  return {
    slug: CUSTOM,
    label: truncateText(line, LONGEST_LABEL),
    instruction: renderTemplate(parseTemplate(instruction), { request }).text,
    request,
    file,
  };
}

export function readIntent(library: Library, slug: string) {
  const file = library.read(pathOf(slug));
  return { ...parseLibraryJson(file, intentFile), file: { path: file.path, hash: file.hash } };
}

function isSlug(text: string): boolean {
  return /^[a-z][a-z0-9_]{0,63}$/.test(text);
}

function hasIntent(library: Library, slug: string): boolean {
  if (KNOWN.includes(slug)) return true;
  return library.list({ kind: "intents", folder: "continuity/intents" }).some(({ path }) => {
    return path === pathOf(slug);
  });
}

function pathOf(slug: string): string {
  return `continuity/intents/${slug}.json`;
}

function requestMissing(): ProductError {
  return new ProductError("custom_intent_missing", "A custom intent needs its words.", {
    hint: "Say in `customIntent` what you want, or choose one of the named intents.",
  });
}

function requestTwice(slug: string): ProductError {
  return new ProductError(
    "custom_intent_unexpected",
    `There is an intent "${slug}" and a custom one beside it.`,
    { hint: "Leave `customIntent` out, or set `intent` to `custom`." },
  );
}
