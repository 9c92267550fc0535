/**
 * Where an artifact lies in the tree of files. One table says how each kind of file is called; names are
 * written and read by it alone. A path is a projection of what is known anyway: nothing in the product learns
 * what a thing is from its path.
 *
 * Separators are `_`. A model's slug holds none, a lineage holds a dot, keys hold no dots: so every name can
 * be read back.
 */

/** A slot as names of files spell it: `gpt-5` and 2. */
export interface SlotName {
  readonly slug: string;
  readonly n: number;
}

export type FileKind =
  | "seed_prompt"
  | "prompt"
  | "header_context"
  | "assembled_json"
  | "manifest"
  | "raw_response"
  | "document"
  | "feedback";

export interface FilePlace {
  readonly kind: FileKind;
  readonly project: string;
  readonly session: string;
  readonly iteration: number;
  readonly stage: string;
  /** All but the seed prompt belong to a slot. */
  readonly slot?: SlotName | undefined;
  /** A step's name or a document key, by kind. The first header of a stage has none. */
  readonly name?: string | undefined;
  readonly lineage?: SlotName | undefined;
  readonly match?: SlotName | undefined;
  /** From 1; the first call has none. */
  readonly continuation?: number | undefined;
  /** From 2; of prompts and replies the version they led to, of documents one that has been replaced. */
  readonly version?: number | undefined;
}

interface Row {
  readonly folder: string;
  /** Tokens in their order. Quoted ones are words; a `?` may be absent. */
  readonly tokens: readonly Token[];
  readonly ending: string;
}

type Token =
  | "slot"
  | "stage"
  | "name"
  | "name?"
  | "about?"
  | "continuation?"
  | "version?"
  | `'${string}'`;

const TABLE: Readonly<Record<FileKind, Row>> = {
  seed_prompt: { folder: "", tokens: ["'seed_prompt'"], ending: ".md" },
  prompt: {
    folder: "_work/prompts",
    tokens: ["slot", "continuation?", "stage", "name", "about?", "version?", "'prompt'"],
    ending: ".md",
  },
  header_context: {
    folder: "_work/context",
    tokens: ["slot", "'header_context'", "name?", "about?", "version?"],
    ending: ".json",
  },
  manifest: {
    folder: "_work/assembled_json",
    tokens: ["slot", "stage", "'manifest'"],
    ending: ".json",
  },
  assembled_json: {
    folder: "_work/assembled_json",
    tokens: ["slot", "name", "about?", "version?"],
    ending: ".json",
  },
  raw_response: {
    folder: "raw_responses",
    tokens: ["slot", "stage", "name", "about?", "continuation?", "version?", "'raw'"],
    ending: ".json",
  },
  document: {
    folder: "documents",
    tokens: ["slot", "stage", "name", "about?", "version?"],
    ending: ".md",
  },
  feedback: {
    folder: "user_feedback",
    tokens: ["slot", "name", "about?", "'feedback'"],
    ending: ".md",
  },
};

export function pathFor(place: FilePlace): string {
  const { project, session, iteration, stage } = place;
  const { folder, tokens, ending } = TABLE[place.kind];
  const name = tokens.flatMap((token) => written(token, place)).join("_") + ending;
  const folders = [project, `session_${session}`, `iteration_${iteration}`, stage];
  return [...folders, ...(folder === "" ? [] : [folder]), name].join("/");
}

function written(token: Token, place: FilePlace): readonly string[] {
  const { slot, stage, name, lineage, match, continuation, version } = place;
  switch (token) {
    case "slot":
      return slot === undefined ? [] : [slot.slug, String(slot.n)];
    case "stage":
      return [stage];
    case "name":
    case "name?":
      return name === undefined ? [] : [name];
    case "about?":
      return [lineage, match].flatMap((each) => (each === undefined ? [] : [aboutOf(each)]));
    case "continuation?":
      return continuation === undefined ? [] : ["continuation", String(continuation)];
    case "version?":
      return version === undefined ? [] : ["version", String(version)];
    default:
      return [token.slice(1, -1)];
  }
}

function aboutOf({ slug, n }: SlotName): string {
  return `${slug}.${n}`;
}

const FOLDERS = /^([^/]+)\/session_([^/]+)\/iteration_(\d+)\/([^/]+)\/(?:(.+)\/)?([^/]+)$/;

/** What `pathFor` wrote; undefined for anything else. */
export function placeOf(path: string): FilePlace | undefined {
  const found = FOLDERS.exec(path);
  if (found === null) return undefined;
  const [, project = "", session = "", iteration = "", stage = "", folder = "", file = ""] = found;
  const base = { project, session, iteration: Number(iteration), stage };
  for (const [kind, row] of Object.entries(TABLE) as [FileKind, Row][]) {
    if (row.folder !== folder || !file.endsWith(row.ending)) continue;
    const match = patternOf(row, stage).exec(file.slice(0, -row.ending.length));
    if (match === null) continue;
    return { kind, ...base, ...partsOf(match.groups ?? {}) };
  }
  return undefined;
}

const SLUG = "[a-z0-9.-]+";

function patternOf({ tokens }: Row, stage: string): RegExp {
  const parts = tokens.map((token, index) => {
    const lead = index === 0 ? "" : "_";
    switch (token) {
      case "slot":
        return `${lead}(?<slug>${SLUG})_(?<n>\\d+)`;
      case "stage":
        return lead + escaped(stage);
      case "name":
        return `${lead}(?<name>[a-z0-9_-]+?)`;
      case "name?":
        return `(?:${lead}(?<name>[a-z0-9_-]+?))?`;
      case "about?":
        return `(?:_(?<lineage>${SLUG}\\.\\d+)(?:_(?<match>${SLUG}\\.\\d+))?)?`;
      case "continuation?":
        return "(?:_continuation_(?<continuation>\\d+))?";
      case "version?":
        return "(?:_version_(?<version>\\d+))?";
      default:
        return lead + escaped(token.slice(1, -1));
    }
  });
  return new RegExp(`^${parts.join("")}$`);
}

function partsOf(groups: Readonly<Record<string, string | undefined>>): Partial<FilePlace> {
  const { slug, n, name, lineage, match, continuation, version } = groups;
  return {
    ...(slug === undefined ? {} : { slot: { slug, n: Number(n) } }),
    ...(name === undefined ? {} : { name }),
    ...(lineage === undefined ? {} : { lineage: slotOf(lineage) }),
    ...(match === undefined ? {} : { match: slotOf(match) }),
    ...(continuation === undefined ? {} : { continuation: Number(continuation) }),
    ...(version === undefined ? {} : { version: Number(version) }),
  };
}

function slotOf(about: string): SlotName {
  const dot = about.lastIndexOf(".");
  return { slug: about.slice(0, dot), n: Number(about.slice(dot + 1)) };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\-]/g, "\\$&");
}

const LONGEST_SLUG = 32;

/** A model's name in names of files: lower case, no separator, no dot at either end; never empty. */
export function slugOf(model: string): string {
  const bare = model.slice(model.lastIndexOf("/") + 1);
  const slug = bare
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .slice(0, LONGEST_SLUG)
    .replaceAll(/^[.-]+|[.-]+$/g, "");
  return slug === "" ? "model" : slug;
}

/** A name of a folder from any text: a project's name, an id. */
export function folderName(text: string): string {
  const name = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "project" : name;
}
