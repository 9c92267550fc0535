/** Every file of a session: prompts as they were sent, replies as they came, what was made of them. */

import { hashText } from "../../../kernel/base/hash.ts";
import type { Json } from "../../../kernel/base/json.ts";
import { readMessages } from "../../../kernel/run/stored-messages.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { renderDocument } from "../document/render-document.ts";
import { identityKey } from "../planning/identity.ts";
import { stepOf } from "../recipe/compiled-domain.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { identityOf, type Session } from "../running/load-session.ts";
import { filePlace, pathOfArtifact, placeOfArtifact, slotName } from "./artifact-place.ts";
import { type FileKind, pathFor } from "./path-codec.ts";

export interface SessionFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly text: string;
  readonly hash: string;
  /** The artifact it tells of. */
  readonly artifactId?: string;
}

export function* filesOfSession(session: Session): DatabaseWork<readonly SessionFile[]> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .selectAll()
      .where("run_id", "=", session.runId)
      .orderBy("id"),
  );
  const made = rows.filter(({ kind }) => kind !== "seed");
  const files = [
    ...rows.filter(({ kind }) => kind === "seed").flatMap((row) => seedFiles(session, row)),
    ...made.flatMap((row) => artifactFiles(session, row)),
    ...(yield* callFiles(session, made)),
    ...(yield* feedbackFiles(session)),
    ...manifests(session, made),
  ];
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function fileOf(kind: FileKind, path: string, text: string, artifactId?: string): SessionFile {
  const file = { path, kind, text, hash: hashText(text) };
  return artifactId === undefined ? file : { ...file, artifactId };
}

function seedFiles(
  session: Session,
  { stage, iteration, body, id }: ArtifactTable,
): readonly SessionFile[] {
  if (body === null) return [];
  const place = filePlace(session, stage, iteration);
  return [fileOf("seed_prompt", pathFor({ ...place, kind: "seed_prompt" }), body, id)];
}

/**
 * The version that stands has the plain name; one that was replaced says which it was. What was pruned is no file
 * any more; the manifest still has its hash.
 */
function artifactFiles(session: Session, row: ArtifactTable): readonly SessionFile[] {
  if (row.body === null) return [];
  const step = stepOf(session.domain, row.stage, row.step);
  const place = placeOfArtifact(session, row);
  const old = row.state === "superseded" ? { version: row.version } : {};
  const value: unknown = JSON.parse(row.body);
  const json = `${JSON.stringify(value, null, 2)}\n`;
  const markdown = () => renderDocument(step.shape, value);
  const named = versioned(pathOfArtifact(session, { ...row, kind: row.kind as "header" }), row);
  switch (row.kind) {
    case "header":
      return [fileOf("header_context", named, json, row.id)];
    case "json":
      return [fileOf("assembled_json", named, json, row.id)];
    default:
      return [
        fileOf("document", named, markdown(), row.id),
        fileOf(
          "assembled_json",
          pathFor({
            ...place,
            ...old,
            kind: "assembled_json",
            name: step.fileName,
            lineage: slotName(session, row.lineage ?? row.slot),
          }),
          json,
          row.id,
        ),
      ];
  }
}

function versioned(path: string, { state, version }: ArtifactTable): string {
  if (state !== "superseded") return path;
  const dot = path.lastIndexOf(".");
  return `${path.slice(0, dot)}_version_${version}${path.slice(dot)}`;
}

function* callFiles(
  session: Session,
  rows: readonly ArtifactTable[],
): DatabaseWork<readonly SessionFile[]> {
  const files: SessionFile[] = [];
  for (const row of rows) {
    const jobs = JSON.parse(row.jobs) as readonly string[];
    if (jobs.length === 0) continue;
    const exchanges = yield* query(
      dialectic
        .selectFrom("exchange")
        .innerJoin("answer", "answer.exchange_id", "exchange.id")
        .select(["exchange.id", "exchange.messages", "exchange.model", "exchange.attempt"])
        .select(["answer.reply", "answer.finish", "answer.outcome"])
        .select(["answer.input_tokens", "answer.output_tokens"])
        .where("exchange.run_id", "=", row.run_id)
        .where("exchange.job_id", "in", jobs)
        .orderBy("exchange.id"),
    );
    const step = stepOf(session.domain, row.stage, row.step);
    const name = step.promptType === "Planner" ? step.fileName : step.documentKey;
    const place = {
      ...placeOfArtifact(session, row),
      name,
      ...(row.version > 1 ? { version: row.version } : {}),
    };
    for (const [index, exchange] of exchanges.entries()) {
      const at = index === 0 ? place : { ...place, continuation: index };
      if (exchange.reply === null && exchange.messages === "[]") continue;
      const messages = yield* readMessages(exchange.messages);
      const prompt = messages.map(({ role, text }) => `<!-- ${role} -->\n\n${text}\n`).join("\n");
      const { reply, finish, outcome, model, attempt, input_tokens, output_tokens } = exchange;
      const raw = {
        exchange: exchange.id,
        model,
        attempt,
        outcome,
        finish,
        input_tokens,
        output_tokens,
        reply,
      };
      files.push(
        fileOf("prompt", pathFor({ ...at, kind: "prompt" }), prompt, row.id),
        fileOf(
          "raw_response",
          pathFor({ ...at, kind: "raw_response" }),
          `${JSON.stringify(raw, null, 2)}\n`,
          row.id,
        ),
      );
    }
  }
  return files;
}

function* feedbackFiles(session: Session): DatabaseWork<readonly SessionFile[]> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_feedback as f")
      .innerJoin("dialectic_artifact as a", "a.id", "f.artifact_id")
      .selectAll("f")
      .select("a.iteration")
      .where("f.run_id", "=", session.runId)
      .orderBy("f.id"),
  );
  const grouped = Map.groupBy(rows, (row) => `${identityKey(identityOf(row))}/i${row.iteration}`);
  return [...grouped.values()].flatMap((items) => {
    const [first] = items;
    if (first === undefined) return [];
    const place = placeOfArtifact(session, first);
    const text = items
      .map(
        ({ section, state, body, note }) =>
          `## ${section === "" ? "The whole document" : section} (${state})\n\n${body}\n${note === null ? "" : `\n${note}\n`}`,
      )
      .join("\n");
    return [
      fileOf("feedback", pathFor({ ...place, kind: "feedback", name: first.document_key }), text),
    ];
  });
}

/** What each slot did in each stage and iteration. */
function manifests(session: Session, rows: readonly ArtifactTable[]): readonly SessionFile[] {
  const grouped = Map.groupBy(
    rows,
    ({ stage, slot, iteration }) => `${iteration}/${stage}/${slot}`,
  );
  return [...grouped.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { stage, slot, iteration } = first;
    const manifest: Json = {
      stage,
      iteration,
      slot,
      model: session.slots[slot - 1] ?? "",
      artifacts: own.map((row) => ({
        id: row.id,
        step: row.step,
        document_key: row.document_key,
        lineage: row.lineage,
        match: row.match,
        version: row.version,
        state: row.state,
        author: row.author,
        continuations: row.continuation,
        hash: row.hash,
        pruned: row.body === null,
        schema: { key: row.schema_key, hash: row.schema_hash },
        gaps: JSON.parse(row.gaps) as Json,
        inputs: JSON.parse(row.inputs) as Json,
        path: versioned(pathOfArtifact(session, { ...row, kind: row.kind as "header" }), row),
      })),
    };
    const path = pathFor({
      ...filePlace(session, stage, iteration),
      kind: "manifest",
      slot: slotName(session, slot),
    });
    return [fileOf("manifest", path, `${JSON.stringify(manifest, null, 2)}\n`)];
  });
}
