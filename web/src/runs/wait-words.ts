/** How waits of every method are called, and what each answer leads to. */

import { words } from "../parts/format.ts";

interface WaitKind {
  readonly label: string;
  /** The engine stopped itself, as opposed to a person being asked by design. */
  readonly isHold: boolean;
}

const KINDS: Readonly<Record<string, WaitKind>> = {
  held_job: { label: "Held", isHold: true },
  limit_reached: { label: "Limit reached", isHold: true },
  "pipeline.manual": { label: "Your step", isHold: false },
  "pipeline.questions": { label: "Question from an agent", isHold: false },
  "pipeline.review": { label: "Review a step", isHold: false },
  "pipeline.task": { label: "Held", isHold: true },
  "pipeline.routing": { label: "Held, no way on", isHold: true },
  "pipeline.cap": { label: "Limit reached", isHold: true },
  "pipeline.join": { label: "Held at a join", isHold: true },
};

export function waitKind(kind: string): WaitKind {
  return KINDS[kind] ?? { label: words(kind), isHold: false };
}

interface AnswerWords {
  readonly label: string;
  readonly effect: string;
  /** Ends something for good. */
  readonly isEnd?: boolean;
}

const ANSWERS: Readonly<Record<string, AnswerWords>> = {
  complete: { label: "Complete", effect: "then the run goes on" },
  approve: { label: "Approve", effect: "takes it as it is" },
  answer: { label: "Answer", effect: "then the step resumes" },
  retry: { label: "Retry", effect: "does it again" },
  raise: { label: "Raise the limit", effect: "then the run goes on" },
  force: { label: "Go on", effect: "with what there is" },
  skip: { label: "Skip", effect: "goes on without it" },
  reject: { label: "Reject", effect: "fails the step", isEnd: true },
  fail: { label: "Give up", effect: "fails the step", isEnd: true },
  cancel_run: { label: "Cancel the run", effect: "ends it for good", isEnd: true },
};

export function answerWords(answer: string): AnswerWords {
  return ANSWERS[answer] ?? { label: words(answer), effect: "" };
}

/** The first answer by `a`, the first that ends something by `r`, others by their number. */
export function answerKey(answer: string, answers: readonly string[]): string | undefined {
  const at = answers.indexOf(answer);
  if (at === 0) return "a";
  const firstEnd = answers.find((each, n) => n > 0 && answerWords(each).isEnd);
  if (answer === firstEnd) return "r";
  return at < 0 ? undefined : String(at + 1);
}

/** Titles of steps begin with their run's title, which stands beside them. */
export function shortTitle(title: string, runTitle: string): string {
  const prefix = `${runTitle}: `;
  const isMore = title.startsWith(prefix) && title.length > prefix.length;
  return isMore ? title.slice(prefix.length) : title;
}
