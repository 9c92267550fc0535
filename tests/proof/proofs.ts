/** What is proven, by what, and how much of it: `quick` in ten minutes, `long` in two hours, `full` overnight. */

export interface Proof {
  /** As the design's list of promises names it. */
  readonly promise: string;
  readonly tried: string;
  readonly files: readonly string[];
  /** Only these tests of the files. */
  readonly only?: string;
  /** How many files at a time; one unless said. */
  readonly together?: number;
  readonly quick: Readonly<Record<string, string>>;
  readonly long: Readonly<Record<string, string>>;
  /** As `long` unless said. */
  readonly full?: Readonly<Record<string, string>>;
}

export const PROOFS: readonly Proof[] = [
  {
    promise: "Kept after the word accepted; finished steps never run again",
    tried:
      "a process killed before every statement and after every commit of a flow of each method, both databases",
    files: ["tests/simulation/every-statement.test.ts"],
    quick: { EVERY: "173", EVERY_POSTGRES: "701" },
    long: { EVERY: "3", EVERY_POSTGRES: "11" },
    full: { EVERY: "1" },
  },
  {
    promise: "Every run ends or visibly waits; effects, joins and answers count once; order; time",
    tried:
      "the whole engine with its methods in simulated worlds: faults of store, queue, models, processes, clock and people from one seed",
    files: ["tests/simulation/simulation.test.ts"],
    quick: { SEEDS: "60" },
    long: { SEEDS: "5000" },
    full: { SEEDS: "50000" },
  },
  {
    promise: "Every run ends or visibly waits; effects, joins and answers count once; order; time",
    tried:
      "seven days in simulated time, all methods, schedules, webhooks, people by day, models and power away for hours, killed processes, backups and pruning at night: looked through every day, and the last no larger than the second",
    files: ["tests/simulation/week.test.ts", "tests/simulation/growth.test.ts"],
    quick: { WEEK: "3" },
    long: { WEEK: "60" },
    full: { WEEK: "300" },
  },
  {
    promise: "Nothing lost, nothing twice",
    tried:
      "kill -9 of real processes at random instants of as many turns as it takes, embedded and two PostgreSQL workers",
    files: ["tests/journeys/kill.test.ts"],
    quick: { KILLS: "12" },
    long: { KILLS: "200", TURNS: "20000", LATENCY_MS: "120" },
    full: { KILLS: "1000", TURNS: "100000", LATENCY_MS: "120" },
  },
  {
    promise: "Nothing lost, nothing twice; one owner",
    tried: "kill -9 and SIGSTOP of one and two workers in chains and fans",
    files: ["tests/journeys/engine-kill.test.ts"],
    quick: {},
    long: { KILLS: "200" },
    full: { KILLS: "1000" },
  },
  {
    promise: "Joins once, answers once",
    tried: "kill -9 in fan-out, join, subflow and human wait of workflows",
    files: ["tests/journeys/workflow-kill.test.ts"],
    quick: {},
    long: { KILLS: "100" },
  },
  {
    promise: "One owner",
    tried: "a server frozen past its leases; a second start; requests killed and asked again",
    files: ["tests/journeys/frozen-server.test.ts", "tests/journeys/killed-request.test.ts"],
    quick: {},
    long: {},
  },
  {
    promise: "Takeover",
    tried:
      "kill -9 of a worker with 10,000 open runs in the store: started anew, and beside another worker on PostgreSQL",
    files: ["tests/proof/takeover.test.ts"],
    quick: { RESTARTS: "12" },
    long: { RESTARTS: "100", TAKEOVERS: "10" },
  },
  {
    promise: "Databases that stop and come back",
    tried:
      "PostgreSQL stopped as in a power cut every few seconds under load; connections cut just after COMMIT",
    files: ["tests/proof/postgres-trouble.test.ts"],
    quick: { FLOWS: "300", CUTS: "60" },
    long: { FLOWS: "5000", CUTS: "1000" },
  },
  {
    promise: "Clocks that are set: one owner, order, time",
    tried:
      "the clock of real processes set ahead and back by minutes, hours and days, to 1970 and 2038, under load: workers on SQLite, two on PostgreSQL each its own way, servers with people and schedules on both; killed a day ahead",
    files: ["tests/proof/clock-jumps.test.ts", "src/kernel/store/shared-clock.test.ts"],
    quick: { JUMPS: "60" },
    long: { JUMPS: "500" },
  },
  {
    promise: "Disk trouble",
    tried: "files that may not grow, at one size after the other; then room again",
    files: ["tests/proof/disk-trouble.test.ts"],
    quick: { POINTS: "10" },
    long: { POINTS: "120" },
  },
  {
    promise: "Disk trouble",
    tried:
      "a disk that refuses one write, sync or change of length after the other, full or broken, once and for a while: every operation that writes, and an engine at work",
    files: ["tests/proof/disk-fault.test.ts"],
    quick: { OPERATIONS_EVERY: "12", POINTS_EVERY: "41" },
    long: { OPERATIONS_EVERY: "1", POINTS_EVERY: "5" },
    full: { OPERATIONS_EVERY: "1", POINTS_EVERY: "1" },
  },
  {
    promise: "Damage is found and named",
    tried:
      "every kind of meddling and flipped bytes against doctor; backups restored, kills during restore",
    files: ["src/kernel/store/doctor-store.test.ts", "tests/journeys/restore.test.ts"],
    quick: {},
    long: {},
  },
  {
    promise: "Damage is found and named",
    tried: "one bit turned over in the file of a store with something of every method, then doctor",
    files: ["tests/proof/bit-flips.test.ts"],
    quick: { BITS: "60" },
    long: { BITS: "1000" },
  },
  {
    promise: "Upgrades",
    tried: "migrations killed before their statements",
    files: ["tests/proof/migration-kill.test.ts"],
    quick: {},
    long: { EVERY: "1" },
  },
  {
    promise: "Provider faults",
    tried:
      "94 kinds of faults in the wire formats of four providers, 39 of a command; replies cut at every byte",
    files: [
      "tests/proof/provider-faults/provider-faults.test.ts",
      "src/adapters/ai-sdk/*.test.ts",
      "src/kernel/contract/read-reply.test.ts",
      "src/kernel/contract/join-continuation.test.ts",
    ],
    quick: { PROVIDER_FAULTS: "all" },
    long: { PROVIDER_FAULTS: "all" },
  },
  {
    promise: "Isolation",
    tried: "every operation × role × own, foreign and shared place, direct and over HTTP",
    files: ["src/methods/workspace/workspace-matrix.test.ts", "tests/proof/every-right.test.ts"],
    together: 2,
    quick: {},
    long: {},
  },
  {
    promise: "Local web",
    tried: "request shapes: Host, Origin, method, type, cookie and secret, against a real server",
    files: ["src/surfaces/http/*.test.ts"],
    together: 2,
    quick: {},
    long: { GUARD_REQUESTS: "60480" },
  },
  {
    promise: "Local web",
    tried:
      "a hostile page in a live Chromium of someone signed in: another port, another site, rebound names; fetch, forms, beacons, images, event streams, sockets",
    files: ["tests/proof/live-attack.test.ts"],
    quick: { ATTACKS: "1" },
    long: { ATTACKS: "1" },
  },
  {
    promise: "What protects what",
    tried:
      "what ASVS 5.0 asks for at levels 1 and 2, by number: each has a test or a heading that is there, or says why not; the page is as the list is",
    files: ["tests/proof/asvs.test.ts"],
    quick: {},
    long: {},
  },
  {
    promise: "What protects what",
    tried:
      "every use of cryptography in the source against a list; packages that come along: pinned, hashed, none with a hole that is known",
    files: ["tests/proof/cryptography.test.ts", "tests/proof/packages.test.ts"],
    quick: {},
    long: { ADVISORIES: "1" },
  },
  {
    promise: "Bounds",
    tried: "a million items, loops, depth, endless continuation, limits of every kind",
    files: ["src/methods/pipeline/running/foreach.test.ts", "src/kernel/run/engine-sqlite.test.ts"],
    only: "million|limit|cap|endless|depth|loop",
    quick: {},
    long: {},
  },
  {
    promise: "Secrets stay",
    tried:
      "canaries as a model's key, token, secrets of webhooks and notices, a dashboard's key and a redacted passage; every way out searched in eight shapes; the model's provider repeats its key",
    files: ["tests/proof/canaries.test.ts"],
    quick: {},
    long: { CANARIES: "39" },
  },
  {
    promise: "What a model says is data",
    tried:
      "38 texts that give orders, handed in and said in every reply, through eight kinds of work: rights, settings, workflows, ways in and out, files, other projects",
    files: ["tests/proof/injection.test.ts"],
    quick: { INJECTIONS: "15" },
    long: { INJECTIONS: "1" },
  },
  {
    promise: "What happened to others",
    tried: "eighteen classes of incidents, each with the tests that replay it",
    files: ["tests/proof/incidents.test.ts"],
    quick: {},
    long: {},
  },
  {
    promise: "No code from text",
    tried: "hostile expressions, templates and JSON",
    files: ["src/kernel/base/*.test.ts"],
    together: 2,
    quick: {},
    long: { HOSTILE_RUNS: "1000000" },
  },
  {
    promise: "Bad input gets a clear error and writes nothing",
    tried:
      "hostile texts and values in every field of every operation, in every view of a browser, and 12,825 generated ones, by category, for everything that reads",
    files: ["tests/hostile/*.test.ts"],
    together: 2,
    quick: { HOSTILE_TEXTS: "1" },
    long: { EVERY: "1", HOSTILE_TEXTS: "1", HOSTILE_SHOWN: "5000" },
  },
  {
    promise: "Bad input gets a clear error and writes nothing",
    tried:
      "every route of a real server with requests made from its schema: right, nearly right, of a wrong kind, hostile, no JSON, odd headers",
    files: ["tests/proof/http-fuzz.test.ts"],
    quick: { FUZZ: "25" },
    long: { FUZZ: "1000" },
    full: { FUZZ: "10000" },
  },
  {
    promise: "Texts start no programs",
    tried:
      "hostile messages, paths, branches and ids in a repository whose settings, hooks and attributes name programs, git and jj, every start of a program counted by strace",
    files: ["tests/proof/processes.test.ts"],
    quick: { PROCESSES: "40" },
    long: { PROCESSES: "600" },
  },
  {
    promise: "It stays as quick and small as it was",
    tried:
      "a server that is asked and looked at without a pause: memory, open handles, the database's log, speed",
    files: ["tests/proof/soak.test.ts"],
    quick: { SOAK: "0.5" },
    long: { SOAK: "30" },
    full: { SOAK: "60" },
  },
  {
    promise: "What is promised is tried",
    tried: "branches of the source that the tests beside it go through, counted by Node",
    files: ["tests/proof/coverage.test.ts"],
    quick: { COVERAGE: "src/kernel/base" },
    long: { COVERAGE: "src" },
  },
  {
    promise: "What is promised is tried",
    tried:
      "small changes of what decides (the engine's course, rights, templates, expressions, paths, what goes out, routing), one at a time, against the tests beside it",
    files: ["tests/proof/mutation.test.ts"],
    quick: { MUTATION_UNITS: "engine,template,expression,path,json", MUTANTS_EVERY: "40" },
    long: { MUTATION_UNITS: "all", MUTANTS_EVERY: "10" },
    full: { MUTATION_UNITS: "all", MUTANTS_EVERY: "1" },
  },
  {
    promise: "The same state gives the same prompt",
    tried:
      "random projects written into SQLite and PostgreSQL, packets of them compiled on both under random budgets, intents and moments, with passages and messages redacted",
    files: ["tests/proof/same-bytes.test.ts"],
    quick: { STATES: "100" },
    long: { STATES: "2000" },
    full: { STATES: "10000" },
  },
  {
    promise: "What was not changed stays as it was",
    tried: "any change of any drawing of a workflow, made of everything mermaid reads",
    files: ["src/methods/pipeline/diagram/edit-diagram.test.ts"],
    quick: { CHARTS: "20000" },
    long: { CHARTS: "500000" },
  },
  {
    promise: "Agents reach the workspace",
    tried:
      "the MCP Inspector's CLI through the whole loop (search, packet, harvest, task, session), stdio and HTTP, both eras",
    files: ["tests/proof/inspector.test.ts"],
    quick: { INSPECTOR: "2.12.0" },
    long: { INSPECTOR: "2.12.0" },
  },
];
