/**
 * Failures we foresee. They cross process, HTTP and database borders, so callers
 * branch on `code` (stable for ever) or `kind`, never on the class or the wording.
 */

/** What sort of trouble it is; surfaces turn it into a status or an exit code. */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "not_allowed"
  | "not_found"
  | "conflict"
  | "waiting"
  | "limit"
  | "budget"
  | "provider"
  | "check_failed"
  | "unavailable"
  | "internal";

export interface ErrorOptions {
  readonly kind?: ErrorKind;
  /** What the person reading this can do next. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class ProductError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ProductError";
    this.code = code;
    this.kind = options.kind ?? "invalid";
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** Where those are listed that have no command of their own for it. */
const LISTED_BY: Readonly<Record<string, string>> = {
  wait: "inbox list",
  message: "search",
  "team run": "team runs",
  envelope: "team envelope RUN",
  exchange: "exchange list RUN",
  upload: "import list",
  thought: "search",
  recipe: "dialectic describe",
};

export function notFound(noun: string, id: string): ProductError {
  const where = LISTED_BY[noun] ?? `${noun} list`;
  return new ProductError(
    `${noun.replaceAll(" ", "_")}_not_found`,
    `There is no ${noun} "${id}".`,
    {
      kind: "not_found",
      hint: `List what there is with \`${where}\`; ids may be shortened as long as they stay unique.`,
      details: { id },
    },
  );
}

/** The sentence and hint of any thrown thing, for places that show errors to people. */
export function describeError(error: unknown): { code: string; message: string; hint?: string } {
  if (error instanceof ProductError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    };
  }
  return { code: "unexpected", message: error instanceof Error ? error.message : String(error) };
}
