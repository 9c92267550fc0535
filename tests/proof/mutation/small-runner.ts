/**
 * Stands in for `node:test` where a mutant is tried: the same tests in the same order, in a process that goes on
 * with the next mutant, and no further than the first that fails. It knows what the tests of the units use.
 */

type Body = (t: unknown) => unknown;
type Hook = () => unknown;
interface Options {
  readonly skip?: boolean | string;
}

interface Suite {
  readonly name: string;
  readonly parent: Suite | undefined;
  readonly before: Hook[];
  readonly after: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
  readonly items: (Suite | SmallTest)[];
}

interface SmallTest {
  readonly name: string;
  readonly body: Body;
}

export interface Course {
  readonly passed: number;
  /** The name of the first that failed; nothing follows it. */
  readonly failed?: string;
  readonly error?: unknown;
}

let current = suiteOf("", undefined);
let leftOut: readonly string[] = [];

/** Runs the tests of the files that `load` imports; those whose names have one of `without` are left out. */
export async function runTests(
  load: () => Promise<unknown>,
  without: readonly string[],
): Promise<Course> {
  const root = suiteOf("", undefined);
  current = root;
  leftOut = without;
  try {
    await load();
  } catch (error) {
    return { passed: 0, failed: "the file is read", error };
  }
  const course = { passed: 0 };
  try {
    await runSuite(root, course);
  } catch (thrown) {
    if (thrown instanceof Failed) return { ...course, failed: thrown.message, error: thrown.cause };
    throw thrown;
  }
  return course;
}

class Failed extends Error {}

async function runSuite(suite: Suite, course: { passed: number }): Promise<void> {
  try {
    await during("before", suite.before);
    for (const item of suite.items) {
      if ("items" in item) await runSuite(item, course);
      else {
        await runTest(item, suite);
        course.passed += 1;
      }
    }
  } finally {
    await during("after", suite.after);
  }
}

async function runTest({ name, body }: SmallTest, suite: Suite): Promise<void> {
  const after: Hook[] = [];
  const t = {
    name,
    signal: new AbortController().signal,
    diagnostic: () => undefined,
    after: (hook: Hook) => after.push(hook),
    test: async (inner: string, ...words: readonly unknown[]) =>
      runTest({ name: `${name} › ${inner}`, body: bodyOf(words) }, suite),
  };
  const hooksOf = (of: Suite, kind: "beforeEach" | "afterEach"): readonly Hook[] => [
    ...(of.parent === undefined ? [] : hooksOf(of.parent, kind)),
    ...of[kind],
  ];
  await during(name, [
    ...hooksOf(suite, "beforeEach"),
    async () => {
      try {
        await body(t);
      } finally {
        for (const hook of after) await hook();
      }
    },
    ...hooksOf(suite, "afterEach"),
  ]);
}

async function during(name: string, hooks: readonly Hook[]): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      if (error instanceof Failed) throw error;
      throw new Failed(name, { cause: error });
    }
  }
}

export function test(name: string, ...words: readonly unknown[]): void {
  if (!isLeftOut(name, words)) current.items.push({ name, body: bodyOf(words) });
}

export function describe(name: string, ...words: readonly unknown[]): void {
  if (isLeftOut(name, words)) return;
  const outer = current;
  current = suiteOf(name, outer);
  outer.items.push(current);
  bodyOf(words)(undefined);
  current = outer;
}

export function before(hook: Hook): void {
  current.before.push(hook);
}

export function after(hook: Hook): void {
  current.after.push(hook);
}

export function beforeEach(hook: Hook): void {
  current.beforeEach.push(hook);
}

export function afterEach(hook: Hook): void {
  current.afterEach.push(hook);
}

function suiteOf(name: string, parent: Suite | undefined): Suite {
  return { name, parent, before: [], after: [], beforeEach: [], afterEach: [], items: [] };
}

function bodyOf(words: readonly unknown[]): Body {
  const body = words.find((word) => typeof word === "function");
  if (body === undefined) throw new TypeError("a test without a body");
  return (t) => Reflect.apply(body, undefined, [t]);
}

function isLeftOut(name: string, words: readonly unknown[]): boolean {
  if (leftOut.some((part) => name.includes(part))) return true;
  return words.some((word) => {
    const skip = typeof word === "object" && word !== null && (word as Options).skip;
    return skip !== undefined && skip !== false;
  });
}
