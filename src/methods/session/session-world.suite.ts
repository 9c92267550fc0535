/** A repository with its remote, a workspace that has it as a project's, and sessions as callers drive them. */

import assert from "node:assert/strict";
import {
  openRepository,
  type ScratchRepository,
  scratchRepository,
} from "../../../tests/scratch/scratch-repository.ts";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { ProductError } from "../../kernel/base/errors.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import type { Vcs, VcsKind } from "../../kernel/vcs/vcs.ts";
import type { z } from "zod";
import type { InvariantCode } from "./check/invariant.ts";
import type { SessionPorts } from "./session-desk.ts";
import { sessionTables } from "./session-migration.ts";
import { sessionOperations } from "./session-operations.ts";
import { sessionReadOperations } from "./session-read-operations.ts";
import type {
  checkedSessions,
  finishedSession,
  recordedIntent,
  sessionDetail,
  startedSession,
} from "./session-shape.ts";
import { subjectOperations } from "./subject-operations.ts";

export const ADMIN = callerOf("admin", false, undefined);
export const PROJECT = "repository";

export interface SessionWorld {
  readonly repository: ScratchRepository;
  readonly kernel: ScratchKernel;
  readonly ports: SessionPorts;
  readonly vcs: Vcs;
  readonly call: (name: string, input?: object, caller?: Caller) => Promise<unknown>;
  readonly start: (input?: object) => Promise<z.output<typeof startedSession>>;
  /** Writes the file, if one is given, and records it. */
  readonly intent: (
    what: string,
    file?: string,
    text?: string,
  ) => Promise<z.output<typeof recordedIntent>>;
  readonly finish: (summary: string, input?: object) => Promise<z.output<typeof finishedSession>>;
  readonly show: (session?: string) => Promise<z.output<typeof sessionDetail>>;
  readonly check: (input?: object) => Promise<z.output<typeof checkedSessions>>;
  /** The codes that are breached. */
  readonly breaches: (input?: object) => Promise<readonly InvariantCode[]>;
  readonly remove: () => Promise<void>;
}

export async function sessionWorld(
  kind: VcsKind,
  { hasRemote = false }: { readonly hasRemote?: boolean } = {},
): Promise<SessionWorld> {
  const repository = await scratchRepository(kind, { hasRemote });
  const kernel = await scratchKernel({ migrations: [sessionTables] });
  await kernel.store.write(() =>
    insertProject(
      { id: PROJECT, name: PROJECT, ownerId: "admin", repository: repository.root },
      { actor: "admin", now: kernel.clock.now() },
    ),
  );
  const ports: SessionPorts = { openVcs: (folder) => openRepository(folder, repository.tools) };
  const registry = createOperationRegistry([
    ...sessionOperations(ports),
    ...sessionReadOperations(ports),
    ...subjectOperations(ports),
  ]);
  const call = (name: string, input: object = {}, caller: Caller = ADMIN) =>
    invoke(kernel, registry, name, caller, input);
  const here = (name: string, input: object = {}) => call(name, { project: PROJECT, ...input });
  const check = async (input: object = {}) =>
    (await here("session.check", input)) as z.output<typeof checkedSessions>;
  return {
    repository,
    kernel,
    ports,
    vcs: await repository.open(),
    call,
    start: async (input) =>
      (await here("session.start", {
        prompt: "Make it faster.\n",
        interpretation: "Reading is slow.",
        ...input,
      })) as z.output<typeof startedSession>,
    intent: async (what, file, text = `${file}\n`) => {
      if (file !== undefined) repository.write(file, text);
      return (await here("session.intent", { what })) as z.output<typeof recordedIntent>;
    },
    finish: async (summary, input) =>
      (await here("session.finish", { summary, ...input })) as z.output<typeof finishedSession>,
    show: async (session) =>
      (await call("session.show", { session })) as z.output<typeof sessionDetail>,
    check,
    breaches: async (input) => {
      const { sessions } = await check(input);
      return sessions
        .flatMap(({ invariants }) => invariants)
        .filter(({ verdict }) => verdict === "breach")
        .map(({ code }) => code);
    },
    remove: async () => {
      await kernel.remove();
      repository.remove();
    },
  };
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    assert.ok(error instanceof ProductError, String(error));
    return error.code;
  }
}

/** All that a person could see: every commit, where names point, what the working copy holds. */
export async function seenState({ repository, vcs }: Pick<SessionWorld, "repository" | "vcs">) {
  const names =
    repository.kind === "jj"
      ? await repository.cli("bookmark", "list", "--all")
      : await repository.cli("for-each-ref");
  const { parent, changes } = await vcs.workingCopy.look();
  const commits = (await vcs.history.list({})).filter(({ message }) => message !== "");
  return { names, parent: parent.commitId, changes, commits: commits.map((each) => each.commitId) };
}

/** A workspace of its own that finds the repository somewhere else, such as in a clone. */
export async function sessionWorldAt(
  repository: ScratchRepository,
  root: string,
): Promise<Pick<SessionWorld, "check" | "remove">> {
  const kernel = await scratchKernel({ migrations: [sessionTables] });
  const ports: SessionPorts = { openVcs: () => openRepository(root, repository.tools) };
  const registry = createOperationRegistry(sessionReadOperations(ports));
  return {
    check: async (input = {}) =>
      (await invoke(kernel, registry, "session.check", ADMIN, input)) as z.output<
        typeof checkedSessions
      >,
    remove: () => kernel.remove(),
  };
}
