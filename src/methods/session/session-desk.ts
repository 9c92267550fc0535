/** Where work on sessions is done: a repository, and who works there. */

import path from "node:path";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { requireRight } from "../../kernel/operation/project-rights.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import type { Place } from "../../kernel/store/find-place.ts";
import { getProject } from "../../kernel/store/projects.ts";
import { resolveIdAmong } from "../../kernel/store/resolve-id.ts";
import { findUser } from "../../kernel/store/users.ts";
import type { Author, Hand, Vcs } from "../../kernel/vcs/vcs.ts";
import { handTag } from "./session-plan.ts";
import type { SessionState } from "./session-tables.ts";
import { getSession, listSessions, listSessionsOf, type Session, seesSession } from "./sessions.ts";

/** What only the app can give. */
export interface SessionPorts {
  /** The repository that a folder lies in. */
  openVcs(folder: string): Promise<Vcs>;
}

export interface Desk {
  readonly kernel: Kernel;
  readonly caller: Caller;
  readonly vcs: Vcs;
}

export interface SessionChoice {
  readonly session?: string | undefined;
  readonly project?: string | undefined;
}

/** The repository of the project, or the one the workspace lies in. */
export async function openDesk(
  ports: SessionPorts,
  { kernel, caller }: Pick<Desk, "kernel" | "caller">,
  project: string | undefined,
): Promise<Desk & { readonly projectId: string | undefined }> {
  const { projectId, folder } = await kernel.store.read(function* () {
    const id = yield* resolveOptional(project, (given) => resolveProject(given, caller));
    const found = id === undefined ? undefined : yield* getProject(id, caller);
    return { projectId: id, folder: found?.repository ?? path.dirname(kernel.folder) };
  });
  return { kernel, caller, vcs: await ports.openVcs(folder), projectId };
}

/**
 * The same for whoever goes on with something: where the workspace lies in no repository, it is that of the newest
 * session the caller began, of these states.
 */
export async function openDeskAgain(
  ports: SessionPorts,
  { kernel, caller }: Pick<Desk, "kernel" | "caller">,
  project: string | undefined,
  states?: readonly SessionState[],
): Promise<Desk & { readonly projectId: string | undefined }> {
  try {
    return await openDesk(ports, { kernel, caller }, project);
  } catch (error) {
    const isElsewhere = error instanceof ProductError && error.code === "vcs_none";
    if (project !== undefined || !isElsewhere) throw error;
    const { userId: startedBy } = caller;
    const { items } = await kernel.store.read(() =>
      listSessions({ viewer: caller, startedBy, states, limit: 1 }),
    );
    const [newest] = items;
    if (newest === undefined) throw error;
    const vcs = await ports.openVcs(newest.repository);
    return { kernel, caller, vcs, projectId: newest.projectId };
  }
}

/** The session that is named; without a name the only one of these states in the repository. To work on it. */
export async function openSession(
  ports: SessionPorts,
  { kernel, caller }: Pick<Desk, "kernel" | "caller">,
  choice: SessionChoice,
  states: readonly SessionState[],
): Promise<Desk & { readonly session: Session }> {
  const desk = await findOpen(ports, { kernel, caller }, choice, states);
  await kernel.store.read(() => requireRight(caller, desk.session.projectId, "run"));
  return desk;
}

async function findOpen(
  ports: SessionPorts,
  { kernel, caller }: Pick<Desk, "kernel" | "caller">,
  { session: given, project }: SessionChoice,
  states: readonly SessionState[],
): Promise<Desk & { readonly session: Session }> {
  if (given !== undefined) {
    const session = await kernel.store.read(() => getNamed(given, caller));
    return { kernel, caller, session, vcs: await ports.openVcs(session.repository) };
  }
  const desk = await openDeskAgain(ports, { kernel, caller }, project, states);
  const found = await kernel.store.read(() => listSessionsOf(desk.vcs.root, states, caller));
  const [session, another] = found;
  if (session === undefined) throw noneHere(desk.vcs.root);
  if (another !== undefined) throw severalHere(found);
  return { ...desk, session };
}

export function* getNamed(given: string, caller: Caller): DatabaseWork<Session> {
  return yield* getSession(yield* resolveIdAmong("session", given, seesSession(caller)), caller);
}

/** The right to deal with a session is that of its project. */
export function* placeOfSession(given: string, caller: Caller): DatabaseWork<Place> {
  const { projectId, startedBy } = yield* getNamed(given, caller);
  return { projectId, createdBy: startedBy };
}

/** Who commits: whoever the repository is set up for, else whoever is signed in. */
export async function findAuthor({ kernel, caller, vcs }: Desk): Promise<Author> {
  const identity = await vcs.findIdentity();
  if (identity !== undefined) return plainAuthor(identity);
  const user = await kernel.store.read(() => findUser(caller.userId));
  const email = user?.email ?? `${caller.userId}@throughline.invalid`;
  return plainAuthor({ name: caller.name, email });
}

/** Both systems write `name <email>` on one line. */
function plainAuthor({ name, email }: Author): Author {
  const plain = (text: string) => text.replaceAll(/[<>\p{Cc}]+/gu, " ").trim();
  return { name: plain(name) || "nobody", email: plain(email) || "nobody@throughline.invalid" };
}

export function handOf({ id, author }: Pick<Session, "id" | "author">, at: number): Hand {
  return { author, at, tag: handTag(id) };
}

export function actOf({ caller, kernel }: Pick<Desk, "caller" | "kernel">): {
  readonly actor: string;
  readonly now: number;
} {
  return { actor: caller.userId, now: kernel.clock.now() };
}

export function requireState(session: Session, states: readonly SessionState[]): void {
  if (states.includes(session.state)) return;
  throw new ProductError(
    "session_state",
    `The session ${session.id} is ${session.state}; this can be done while it is ${states.join(" or ")}.`,
    {
      kind: "conflict",
      hint: "See where it stands: session show",
      details: { state: session.state },
    },
  );
}

function noneHere(root: string): ProductError {
  return new ProductError("session_none", `No session is open in ${root}.`, {
    kind: "not_found",
    hint: 'Begin one: session start - --interpretation "…" < prompt.md',
  });
}

function severalHere(sessions: readonly Session[]): ProductError {
  const ids = sessions.map(({ id }) => id);
  return new ProductError("session_several", `${ids.length} sessions are open here.`, {
    kind: "conflict",
    hint: `Say which one: --session ${ids[0] ?? ""}`,
    details: { sessions: ids },
  });
}
