/** The words and files of a session's commit, once its ids are known. Pure: the same facts give the same bytes. */

import { renderTemplate } from "../../kernel/base/template.ts";
import type { Library } from "../../kernel/library/library.ts";
import { parsePrompt } from "../../kernel/library/parse-prompt.ts";
import { chronosLine } from "../../kernel/vcs/chronos.ts";
import { parseIntent } from "../../kernel/vcs/intent-message.ts";
import { reportPath, subjectFolder } from "../../kernel/vcs/repository-path.ts";
import { renderSessionMessage } from "../../kernel/vcs/session-message.ts";
import type { Composed, ComposedFor } from "../../kernel/vcs/vcs.ts";
import { bringIntoStep } from "./counterparts.ts";
import type { Preparation } from "./prepare-finish.ts";
import { renderReport } from "./report.ts";
import { contextText } from "./session-context.ts";
import type { Session } from "./sessions.ts";

export interface Composition extends Composed, ComposedFor {
  readonly reportPath: string;
}

export interface ComposeFacts {
  readonly session: Session;
  readonly prepared: Preparation;
  readonly known: ComposedFor;
  readonly library: Library;
}

export function compose({ session, prepared, known, library }: ComposeFacts): Composition {
  const { words, plan, mode, originals, told, subjects, scope } = prepared;
  const { summary, answer, title, kind, subject } = words;
  const { changeId, duplicates } = known;
  const chronos = chronosLine(plan.at);
  const changes = originals.map(({ message }) => parseIntent(message) ?? "");
  const [only] = originals;
  const message = renderSessionMessage({
    summary,
    chronos,
    prompt: session.prompt,
    context: contextText(session),
    changes,
    squashed: mode === "multi" ? duplicates : undefined,
    before: mode === "single" ? only?.message : undefined,
  });
  const taken = new Set(told);
  const path = reportPath({ at: plan.at, subject, kind, title }, (each) => taken.has(each));
  const report = renderReport({
    session: session.id,
    change: changeId,
    chronos,
    at: new Date(plan.at).toISOString(),
    kind,
    scope,
    subject,
    title,
    prompt: session.prompt,
    answer,
    intents: originals.map((original, i) => ({
      what: changes[i] ?? "",
      change: original.changeId,
      duplicate: duplicates[i],
    })),
  });
  const aliases = new Map(subjects.map((each) => [subjectFolder(each.name), each.aliases]));
  const scaffold = (name: string) => strategyText(library, name);
  const files = bringIntoStep({ paths: [...told, path], aliases, scaffold }, subject);
  return {
    changeId,
    duplicates,
    message,
    reportPath: path,
    files: [{ path, text: report }, ...files],
  };
}

export function strategyText(library: Library, subject: string): string {
  const { template } = parsePrompt(library.read("session/prompts/strategy.md"));
  return `${renderTemplate(template, { subject }).text.trim()}\n`;
}
