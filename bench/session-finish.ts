/**
 * A session of thirty intents on two parallel branches: `finish` beside the bare commands of the system that do the
 * same (duplicate, squash, describe, report, bookmarks, push, look at the remote, fresh child), on the same machine,
 * in turns. Medians. `node bench/session-finish.ts [rounds]`; jj and git must be on PATH.
 */

import { scratchKernel } from "../tests/scratch/scratch-kernel.ts";
import {
  missingProgram,
  openRepository,
  type ScratchRepository,
  scratchRepository,
} from "../tests/scratch/scratch-repository.ts";
import { callerOf } from "../src/kernel/operation/authorisation-matrix.ts";
import { invoke } from "../src/kernel/operation/invoke.ts";
import { createOperationRegistry } from "../src/kernel/operation/operation-registry.ts";
import { insertProject } from "../src/kernel/store/projects.ts";
import type { VcsKind } from "../src/kernel/vcs/vcs.ts";
import { sessionTables } from "../src/methods/session/session-migration.ts";
import { sessionOperations } from "../src/methods/session/session-operations.ts";

const INTENTS = 30;
const rounds = Number(process.argv[2] ?? 5);
const admin = callerOf("admin", false, undefined);

/** Gives the base and the intents, the second half beside the first. */
async function makeIntents(repository: ScratchRepository): Promise<readonly string[]> {
  const { cli, git, kind } = repository;
  const headOf = async () =>
    kind === "jj"
      ? (await cli("log", "--no-graph", "-r", "@-", "-T", "commit_id")).trim()
      : (await git("rev-parse", "HEAD")).trim();
  const base = await headOf();
  const made: string[] = [];
  for (let i = 1; i <= INTENTS; i++) {
    if (i === INTENTS / 2 + 1) await repository.branchOff(base, "side");
    repository.write(`files/${i}`, `${i}\n`.repeat(20));
    if (kind === "jj") await cli("commit", `--message=intent: Step ${i}`);
    else {
      await cli("add", "--all");
      await cli("commit", "--quiet", `--message=intent: Step ${i}`);
    }
    made.push(await headOf());
  }
  return [base, ...made];
}

async function timeOurs(kind: VcsKind): Promise<number> {
  const repository = await scratchRepository(kind);
  const kernel = await scratchKernel({ migrations: [sessionTables] });
  const act = { actor: "admin", now: Date.now() };
  const project = { id: "p", name: "p", ownerId: "admin", repository: repository.root };
  await kernel.store.write(() => insertProject(project, act));
  const ports = { openVcs: (folder: string) => openRepository(folder, repository.tools) };
  const registry = createOperationRegistry(sessionOperations(ports));
  const call = (name: string, input: object) =>
    invoke(kernel, registry, name, admin, { project: "p", ...input });
  await call("session.start", { prompt: "Thirty steps.", interpretation: "As it says." });
  await makeIntents(repository);
  const startedAt = performance.now();
  const done = await call("session.finish", { summary: "Thirty steps", answer: "Done." });
  const took = performance.now() - startedAt;
  if (!JSON.stringify(done).includes('"pushed"')) throw new Error(JSON.stringify(done));
  await kernel.remove();
  repository.remove();
  return took;
}

async function timeBare(kind: VcsKind): Promise<number> {
  const repository = await scratchRepository(kind);
  const [base = "", ...intents] = await makeIntents(repository);
  const startedAt = performance.now();
  if (kind === "jj") await bareJj(repository, base, intents);
  else await bareGit(repository, base, intents);
  await repository.git("ls-remote", repository.remote, "refs/heads/dev", "refs/heads/session/1");
  const took = performance.now() - startedAt;
  repository.remove();
  return took;
}

async function bareJj(
  { cli, write }: ScratchRepository,
  base: string,
  intents: readonly string[],
): Promise<void> {
  await cli("status");
  await cli("new", base, "--message=session: Thirty steps");
  const id = async (revset: string) =>
    (await cli("log", "--no-graph", "-r", revset, "-T", 'commit_id ++ "\n"')).trim().split("\n");
  const [place = ""] = await id("@");
  await cli("duplicate", "--destination", place, ...intents);
  const duplicates = await id(`${place}+::`);
  const from = duplicates.flatMap((each) => ["--from", each]);
  await cli("squash", "--keep-emptied", "--use-destination-message", ...from, "--into", place);
  write("Reports/General/report.md", "# Report\n");
  await cli("describe", "--message=session: Thirty steps\n\nall of it");
  const heads = intents.filter((_, i) => i === INTENTS / 2 - 1 || i === INTENTS - 1);
  await cli("new", "--no-edit", "--message=kept", ...heads);
  const [kept = ""] = await id('description(exact:"kept\n")');
  await cli("bookmark", "set", "session/1", "-r", kept);
  await cli("bookmark", "set", "dev", "-r", "@");
  await cli("git", "push", "--remote=origin", "--bookmark=dev", "--bookmark=session/1");
  await cli("new", "dev");
}

async function bareGit(
  { cli, write }: ScratchRepository,
  base: string,
  intents: readonly string[],
): Promise<void> {
  await cli("status", "--porcelain");
  await cli("switch", "--quiet", "--create", "synthesis", base);
  await cli("cherry-pick", ...intents);
  await cli("branch", "duplicates");
  await cli("reset", "--quiet", "--soft", base);
  write("Reports/General/report.md", "# Report\n");
  await cli("add", "--all");
  await cli("commit", "--quiet", "--message=session: Thirty steps\n\nall of it");
  const heads = intents.filter((_, i) => i === INTENTS / 2 - 1 || i === INTENTS - 1);
  const parents = [...heads, "duplicates"].flatMap((each) => ["-p", each]);
  const kept = (await cli("commit-tree", "HEAD^{tree}", ...parents, "-m", "kept")).trim();
  await cli("branch", "session/1", kept);
  await cli("branch", "--force", "dev", "HEAD");
  await cli("push", "--quiet", "origin", "dev", "session/1");
  await cli("switch", "--quiet", "dev");
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

for (const kind of ["git", "jj"] as const) {
  const missing = missingProgram(kind);
  if (missing !== undefined) {
    console.log(missing);
    continue;
  }
  const ours: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < rounds; i++) {
    ours.push(await timeOurs(kind));
    bare.push(await timeBare(kind));
  }
  const [one, other] = [median(ours), median(bare)];
  console.log(
    `${kind}: finish ${Math.round(one)} ms, bare commands ${Math.round(other)} ms, ${(one / other).toFixed(2)}×`,
  );
}
