/** What `doctor` looks at in every workspace. Nothing here writes. */

import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import { describeError } from "../../kernel/base/errors.ts";
import { parsePrompt } from "../../kernel/library/parse-prompt.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { bytesText, count } from "../../kernel/operation/terminal-text.ts";
import { spanText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import { latestMoment } from "../../kernel/run/steady-time.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { diskUse } from "../../kernel/store/disk-use.ts";
import { examineStore } from "../../kernel/store/doctor-store.ts";
import type { Finding } from "../../kernel/store/finding.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { countPending } from "../../kernel/store/search-index.ts";
import { listBackups } from "./backup-folder.ts";
import type { CheckResult, DoctorCheck, ProgramFinder } from "./doctor-check.ts";

export function ownChecks(options: {
  readonly migrations: readonly Migration[];
  readonly programs: ProgramFinder;
  readonly isQuick: boolean;
}): readonly DoctorCheck[] {
  const { migrations, programs, isQuick } = options;
  return [
    ...(isQuick ? [] : [storeCheck(migrations)]),
    { group: "Room", run: checkRoom },
    { group: "Backups", run: checkBackups },
    { group: "Work", run: checkWork },
    { group: "Models", run: checkModels },
    { group: "Library", run: checkLibrary },
    { group: "Programs", run: () => checkPrograms(programs) },
  ];
}

/** Beyond this many of one severity only their number is told. */
const MOST_LISTED = 50;

function storeCheck(migrations: readonly Migration[]): DoctorCheck {
  return {
    group: "Store",
    async run({ store }, onProgress) {
      const listed = { damage: [] as Finding[], drift: [] as Finding[] };
      const found = await examineStore(store, {
        migrations,
        onProgress: (stage) => onProgress(`Examining ${stage}`),
        report: (finding) => {
          const list = listed[finding.severity];
          if (list.length < MOST_LISTED) list.push(finding);
        },
      });
      if (found.damage + found.drift === 0) {
        return [ok("content", "Every row, text and event chain is as it was written.")];
      }
      return [
        ...toResults(listed.damage, "bad"),
        ...toResults(listed.drift, "warn"),
        ...unlisted(found.damage - listed.damage.length, "bad"),
        ...unlisted(found.drift - listed.drift.length, "warn"),
      ];
    },
  };
}

function toResults(findings: readonly Finding[], state: "bad" | "warn"): CheckResult[] {
  return findings.map(({ code, place, message, hint }) => {
    return { name: code, state, message: `${place}: ${message}`, hint };
  });
}

function unlisted(left: number, state: "bad" | "warn"): CheckResult[] {
  return left <= 0 ? [] : [{ name: "more", state, message: `${left} more of the same kind.` }];
}

const TIGHT_BYTES = 2_000_000_000;
const FULL_BYTES = 200_000_000;

async function checkRoom({ store, folder }: Kernel): Promise<readonly CheckResult[]> {
  const use = await diskUse(store);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const used = `The workspace uses ${bytesText(use.bytes)}; the disk has ${bytesText(free)} free.`;
  if (free >= TIGHT_BYTES) return [ok("disk", used)];
  const hint = "Free some space, or let go of old words with `prune --older-than 90d`.";
  return [{ name: "disk", state: free < FULL_BYTES ? "bad" : "warn", message: used, hint }];
}

const OLD_BACKUP_MS = 7 * 24 * 60 * 60_000;

async function checkBackups(kernel: Kernel): Promise<readonly CheckResult[]> {
  const [newest] = await listBackups(kernel);
  const now = kernel.clock.now();
  const hint = "Make one with `backup`.";
  if (newest === undefined) {
    return [{ name: "newest", state: "warn", message: "There is no backup.", hint }];
  }
  const message = `The newest is ${newest.name}, made ${timeAgo(newest.createdAt, now)}.`;
  const isOld = now - newest.createdAt > OLD_BACKUP_MS;
  return [isOld ? { name: "newest", state: "warn", message, hint } : ok("newest", message)];
}

/** Longer than any handover takes. */
const OVERDUE_MS = 60_000;
const MANY_PENDING = 1000;

async function checkWork({ store, clock }: Kernel): Promise<readonly CheckResult[]> {
  const now = clock.now();
  const counts = await store.read(() => countWork(now));
  const latest = await store.read(() => latestMoment(OVERDUE_MS));
  return [
    overdue(counts),
    idle(counts, now),
    held(counts),
    indexed(counts),
    clockAgainst(latest, now),
  ];
}

interface WorkCounts {
  readonly overdue: number;
  readonly readySince: number | null;
  readonly ready: number;
  readonly heldRuns: number;
  readonly pending: number;
}

function* countWork(now: number): DatabaseWork<WorkCounts> {
  const [leased] = yield* query(
    db
      .selectFrom("job")
      .select(sql<number>`count(*)`.as("n"))
      .where("state", "=", "leased")
      .where("lease_until", "<", now - OVERDUE_MS),
  );
  const [ready] = yield* query(
    db
      .selectFrom("job")
      .select([sql<number>`count(*)`.as("n"), sql<number | null>`min(run_at)`.as("since")])
      .where("state", "=", "ready")
      .where("run_at", "<", now - OVERDUE_MS),
  );
  const [runs] = yield* query(
    db.selectFrom("run").select(sql<number>`count(*)`.as("n")).where("state", "=", "held"),
  );
  return {
    overdue: leased?.n ?? 0,
    ready: ready?.n ?? 0,
    readySince: ready?.since ?? null,
    heldRuns: runs?.n ?? 0,
    pending: yield* countPending(),
  };
}

function overdue(counts: WorkCounts): CheckResult {
  if (counts.overdue === 0) return ok("leases", "No worker has gone missing.");
  return {
    name: "leases",
    state: "bad",
    message: `${count(counts.overdue, "job")} belong to workers that went missing, and nobody took over.`,
    hint: "Start a worker: `serve` here, or `work` on a PostgreSQL workspace.",
  };
}

function idle({ ready, readySince }: WorkCounts, now: number): CheckResult {
  if (ready === 0) return ok("queue", "Nothing waits for a worker.");
  return {
    name: "queue",
    state: "warn",
    message: `${count(ready, "job")} ready for ${spanText(now - (readySince ?? now))} and not begun.`,
    hint: "Start a worker with `serve`, or look whether `lane list` limits them.",
  };
}

function held({ heldRuns }: WorkCounts): CheckResult {
  if (heldRuns === 0) return ok("runs", "No run is held.");
  const message = `${count(heldRuns, "run")} held: something went wrong and a person is asked.`;
  return { name: "runs", state: "warn", message, hint: "See `inbox list --all`." };
}

function indexed({ pending }: WorkCounts): CheckResult {
  if (pending <= MANY_PENDING) return ok("search", "The search index is up to date.");
  const message = `${count(pending, "change")} wait to be indexed for search.`;
  return { name: "search", state: "warn", message, hint: "A running server catches up by itself." };
}

function clockAgainst(latest: number, now: number): CheckResult {
  if (latest - now <= OVERDUE_MS) return ok("clock", "Nothing was written later than now.");
  return {
    name: "clock",
    state: "warn",
    message: `What was written last carries a moment ${spanText(latest - now)} from now.`,
    hint: "Look whether the clock of this machine, or of one that worked here, is wrong. Until it has caught up, waits and leases go by the later time.",
  };
}

async function checkModels({ models }: Kernel): Promise<readonly CheckResult[]> {
  const all = await models.list();
  const usable = all.filter(({ isUsable }) => isUsable);
  const name = await models.defaultModel();
  const chosen = all.find((model) => model.name === name);
  const hint =
    "Put a key into the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, …) or use `model add`.";
  const isOffline = usable.every(({ provider }) => provider === "rehearsal");
  const real = isOffline
    ? ({
        name: "usable",
        state: "warn",
        message: "Only the rehearsal model can be used.",
        hint,
      } as const)
    : ok("usable", `${count(usable.length, "model")} can be used.`);
  if (chosen !== undefined && !chosen.isUsable) {
    const message = `The default model ${name} cannot be used: ${chosen.note}`;
    return [real, { name: "default", state: "bad", message, hint: "Choose another: `model use`." }];
  }
  return [real, ok("default", `Plans that name no model get ${name}.`)];
}

async function checkLibrary({ library }: Kernel): Promise<readonly CheckResult[]> {
  const entries = library.list();
  const wrong = entries
    .filter(({ kind }) => kind === "prompts")
    .flatMap(({ path }): CheckResult[] => {
      try {
        parsePrompt(library.read(path));
        return [];
      } catch (error) {
        const { message, hint } = describeError(error);
        return [{ name: path, state: "bad", message, hint }];
      }
    });
  const strays = entries
    .filter(({ kind, path }) => kind === undefined && !/(?:^|\/)README\.md$/.test(path))
    .map(({ path, layer }): CheckResult => {
      const message = `${layer}: nothing reads a file of this name in this place.`;
      return { name: path, state: "warn", message, hint: "See library/README.md for the places." };
    });
  const overrides = entries.filter((entry) => entry.overrides.length > 0).length;
  if (wrong.length + strays.length > 0) return [...wrong, ...strays];
  return [
    ok("files", `${count(entries.length, "file")} in order, ${overrides} of them overridden.`),
  ];
}

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome", "firefox"];

async function checkPrograms(programs: ProgramFinder): Promise<readonly CheckResult[]> {
  const git = await programs.versionOf("git");
  const jj = await programs.versionOf("jj");
  const browsers = await Promise.all(BROWSERS.map((name) => programs.versionOf(name)));
  const browser = browsers.find((version) => version !== undefined);
  return [
    ...(git === undefined && jj === undefined ? [NO_TRAIL] : []),
    found("git", git, "not found"),
    found("jj", jj, "not found; not needed where git is used"),
    found(
      "browser",
      browser,
      "not found here; any browser can open the address that `serve` prints",
    ),
  ];
}

const NO_TRAIL: CheckResult = {
  name: "version control",
  state: "warn",
  message: "Neither git nor jj was found; sessions keep their trail in one of them.",
  hint: "Install git or jj.",
};

function found(name: string, version: string | undefined, otherwise: string): CheckResult {
  return version === undefined ? { name, state: "absent", message: otherwise } : ok(name, version);
}

function ok(name: string, message: string): CheckResult {
  return { name, state: "ok", message };
}
