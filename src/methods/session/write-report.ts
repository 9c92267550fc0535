/** A report of a session that goes on: written into the working copy, and taken along by its end. */

import { chronosLine } from "../../kernel/vcs/chronos.ts";
import { isTold, reportPath, subjectFolder } from "../../kernel/vcs/repository-path.ts";
import { strategyText } from "./compose-session.ts";
import { bringIntoStep } from "./counterparts.ts";
import { listAllowed } from "./record-intent.ts";
import { renderReport } from "./report.ts";
import { openFindings, scanTexts, secretFound } from "./secret-scan.ts";
import { actOf, type Desk, requireState } from "./session-desk.ts";
import { resolveSetting } from "./session-settings.ts";
import { listSubjects } from "./session-subjects.ts";
import type { ReportKind } from "./session-tables.ts";
import { appendEntry, listIntents } from "./session-trail.ts";
import { getSession, type Session } from "./sessions.ts";
import { allowances } from "./start-session.ts";
import { joinSubjects, resolveSubject } from "./subjects.ts";
import { readToldFiles } from "./told-files.ts";

export interface ReportRequest {
  readonly title: string;
  readonly answer: string;
  readonly kind?: ReportKind | undefined;
  readonly subject?: string | undefined;
  readonly isNewSubject: boolean;
  readonly allowSecret?: string | undefined;
}

export interface WrittenReport {
  readonly sessionId: string;
  readonly path: string;
  readonly subject: string;
  readonly files: string[];
}

export async function writeSessionReport(
  desk: Desk,
  sessionId: string,
  request: ReportRequest,
): Promise<WrittenReport> {
  const { vcs, kernel, caller } = desk;
  return vcs.lock(async () => {
    const session = await kernel.store.read(() => getSession(sessionId, caller));
    requireState(session, ["open"]);
    return writeLocked(desk, session, request);
  });
}

async function writeLocked(
  desk: Desk,
  session: Session,
  { title, answer, kind = "draft", subject: given, isNewSubject, allowSecret }: ReportRequest,
): Promise<WrittenReport> {
  const { vcs, kernel } = desk;
  const allowed = await listAllowed(desk, session.id);
  const secrets = openFindings(scanTexts({ answer, title }), allowed);
  if (secrets.length > 0 && allowSecret === undefined) throw secretFound(secrets);
  const state = await vcs.workingCopy.look();
  const told = await readToldFiles(vcs, [state.parent], state);
  const { registered, usual, intents } = await kernel.store.read(function* () {
    return {
      registered: yield* listSubjects(vcs.root),
      usual: yield* resolveSetting("subject", session.projectId),
      intents: yield* listIntents(session.id),
    };
  });
  const subjects = joinSubjects(registered, told.folders);
  const named = given ?? session.subject;
  const subject = resolveSubject(named ?? usual, subjects, isNewSubject || named === undefined);
  const act = actOf(desk);
  const taken = new Set(told.paths);
  const path = reportPath({ at: act.now, subject, kind, title }, (each) => taken.has(each));
  const touched = await vcs.history.listTouched(
    [...(await vcs.history.findAll(intents.map(({ changeId }) => changeId))).values()].map(
      ({ commitId }) => commitId,
    ),
  );
  const hasWork = [...touched, ...state.changes.map((each) => each.path)].some(
    (each) => !isTold(each),
  );
  const text = renderReport({
    session: session.id,
    // The commit that will hold it has no id yet: this names what it was written on.
    change: state.parent.changeId,
    chronos: chronosLine(act.now),
    at: new Date(act.now).toISOString(),
    kind,
    scope: hasWork ? "modified-files" : "no-files",
    subject,
    title,
    prompt: session.prompt,
    answer,
    intents: intents.map(({ what, changeId }) => ({
      what,
      change: changeId,
      duplicate: undefined,
    })),
  });
  const aliases = new Map(subjects.map((each) => [subjectFolder(each.name), each.aliases]));
  const scaffold = (name: string) => strategyText(kernel.library, name);
  const files = [
    { path, text },
    ...bringIntoStep({ paths: [...told.paths, path], aliases, scaffold }, subject),
  ];
  await vcs.workingCopy.write(files);
  await kernel.store.write(function* () {
    for (const entry of allowances(secrets, allowSecret)) {
      yield* appendEntry(session.id, entry, act);
    }
    yield* appendEntry(session.id, { kind: "report_written", data: { report: path } }, act);
  });
  kernel.changes.notify();
  return { sessionId: session.id, path, subject, files: files.map((file) => file.path) };
}
