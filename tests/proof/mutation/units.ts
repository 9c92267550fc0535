/**
 * What is tried with mutants: the files that decide, and the tests that should notice when they decide otherwise.
 * `npm run prove -- --only mutation` tries every mutant of all of them.
 */

export interface Unit {
  readonly name: string;
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** Tests whose names have one of these take too long to run for every mutant. */
  readonly without?: readonly string[];
  /** How much the tests try, where they can be told. */
  readonly amount?: Readonly<Record<string, string>>;
}

/** The test of the same name beside each file, and others that belong to all of them. */
function beside(
  folder: string,
  names: readonly string[],
  also: readonly string[] = [],
): Unit["files"] {
  return Object.fromEntries(
    names.map((name) => [
      `${folder}/${name}.ts`,
      [`${folder}/${name}.test.ts`, ...also.map((test) => `${folder}/${test}.test.ts`)],
    ]),
  );
}

/** Several files that one test goes through. */
function through(
  folder: string,
  names: readonly string[],
  tests: readonly string[],
): Unit["files"] {
  return Object.fromEntries(
    names.map((name) => [`${folder}/${name}.ts`, tests.map((test) => `${folder}/${test}.test.ts`)]),
  );
}

export const UNITS: readonly Unit[] = [
  {
    name: "engine",
    without: ["postgres"],
    files: {
      ...beside("src/kernel/run", [
        "answer-form",
        "beats",
        "lanes",
        "retry-policy",
        "run-state",
        "steady-time",
        "turn-course",
      ]),
      ...beside("src/kernel/run", ["limits"], ["answer-form"]),
      ...beside("src/kernel/store", ["task-transitions"]),
    },
  },
  {
    name: "authorisation",
    files: {
      ...beside("src/kernel/operation", [
        "authenticate",
        "authorise",
        "password",
        "project-rights",
        "throttle",
      ]),
      ...beside("src/surfaces/http", [
        "bind-address",
        "rate-limit",
        "request-credentials",
        "security-headers",
      ]),
      ...through("src/surfaces/http", ["request-guard"], ["check-request"]),
    },
  },
  {
    name: "template",
    without: ["a megabyte"],
    files: beside("src/kernel/base", ["template"]),
  },
  {
    name: "expression",
    files: {
      ...beside("src/kernel/base", ["condition-evaluate", "condition-parse"]),
      ...through("src/kernel/base", ["condition"], ["condition-parse", "condition-evaluate"]),
      ...beside("src/kernel/base", ["string-literal", "text-position"]),
    },
  },
  {
    name: "path",
    files: {
      ...beside("src/kernel/base", ["json-path"]),
      ...beside("src/kernel/vcs", ["bookmark-name", "repository-path"]),
      ...beside("src/methods/dialectic/files", ["path-codec"]),
    },
  },
  {
    name: "egress",
    files: {
      ...beside("src/kernel/prompt", [
        "clean-untrusted",
        "find-secrets",
        "redact-leaks",
        "redaction-span",
        "redactor",
      ]),
      ...through("src/kernel/prompt", ["invisible-characters"], ["clean-untrusted"]),
      ...through("src/kernel/prompt", ["fence-untrusted"], ["compile-prompt"]),
      ...beside("src/kernel/operation", ["terminal-text"]),
    },
  },
  {
    name: "json",
    files: {
      ...beside("src/kernel/base", ["safe-json"]),
      ...through("src/kernel/base", ["json-fault"], ["safe-json"]),
    },
  },
  {
    name: "routing",
    files: through(
      "src/methods/pipeline/routing",
      [
        "add-visit",
        "containers",
        "draft",
        "follow-decisions",
        "graph",
        "joins",
        "pass-on",
        "route",
      ],
      ["route", "route.simulation"],
    ),
    amount: { SCHEDULES: "200" },
  },
];
