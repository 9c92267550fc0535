/** Why the server did not do it (RFC 9457), or that it could not be reached. */

export interface FieldProblem {
  /** Where in the input, such as `/fields/severity`. */
  readonly pointer: string;
  readonly message: string;
}

interface ProblemBody {
  readonly status?: number;
  readonly code?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly errors?: readonly FieldProblem[];
  readonly requestId?: string;
}

export class CallProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly fields: readonly FieldProblem[];
  readonly requestId: string | undefined;

  constructor(body: ProblemBody) {
    super(body.detail ?? "The server did not say what went wrong.");
    this.status = body.status ?? 0;
    this.code = body.code ?? "unknown";
    this.hint = body.hint;
    this.fields = body.errors ?? [];
    this.requestId = body.requestId;
  }

  /** Nobody is signed in, or no longer. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }

  /** The server was not reached: the same again may work. */
  get isUnreachable(): boolean {
    return this.code === "unreachable";
  }
}

export function unreachable(cause: unknown): CallProblem {
  const problem = new CallProblem({
    code: "unreachable",
    detail: "The server does not answer.",
    hint: "It may have stopped; start it again with `npm start`. This page goes on by itself.",
  });
  problem.cause = cause;
  return problem;
}

export function toProblem(error: unknown): CallProblem {
  if (error instanceof CallProblem) return error;
  const problem = new CallProblem({
    code: "page_fault",
    detail: error instanceof Error ? error.message : String(error),
    hint: "This is a fault of the page; load it again.",
  });
  problem.cause = error;
  return problem;
}
