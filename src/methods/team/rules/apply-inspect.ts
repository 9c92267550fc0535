/** The watchdog goes through every new version, criterion by criterion. What it comes to is computed. */

import type { Finding, Inspection } from "../state/team-records.ts";
import { verdictOf } from "./acceptance.ts";
import { breach } from "./breach.ts";
import { criterionOf } from "./criteria.ts";
import type { Gate } from "./gate.ts";
import { OPEN_SHAPES } from "./reply-shapes.ts";
import { isSameText } from "./similar-text.ts";
import { takeItems } from "./take-items.ts";

type Reply = Readonly<Record<string, unknown>>;

export function applyInspect(gate: Gate, reply: Reply): void {
  const { draft, call, breaches } = gate;
  const results = takeResults(gate, reply);
  const findings = takeFindings(gate, reply);
  const seen = new Set<string>();
  for (const { value, path } of takeItems(reply, "inspections", OPEN_SHAPES.inspection, breaches)) {
    const { versionId, summary, trace } = value;
    const passes = gate.passes(
      { path, item: value },
      () => gate.known("version", [versionId], call.allowed.versions),
      () => gate.traced(trace),
      () =>
        seen.has(versionId)
          ? breach("team_inspection_missing", `inspects ${versionId} twice`)
          : undefined,
    );
    const version = draft.find("versions", versionId);
    if (!passes || version === undefined) continue;
    seen.add(versionId);
    const found = findings.get(versionId) ?? [];
    draft.add("inspections", {
      round: call.round,
      productId: version.productId,
      versionId,
      byId: call.memberId,
      summary,
      dod: results.get(versionId) ?? [],
      findings: found,
      verdict: verdictOf(found),
      trace,
      exchangeId: call.exchangeId,
    });
  }
  for (const versionId of call.allowed.versions) {
    if (seen.has(versionId)) continue;
    gate.refuse(
      "team_inspection_missing",
      `leaves ${versionId} without an inspection`,
      ["inspections"],
      null,
    );
  }
}

function takeResults(gate: Gate, reply: Reply): ReadonlyMap<string, Inspection["dod"]> {
  const { draft, call, breaches } = gate;
  const byVersion = new Map<string, { criterion: string; passes: boolean; evidence: string }[]>();
  const seen = new Set<string>();
  for (const { value, path } of takeItems(
    reply,
    "criteria",
    OPEN_SHAPES.criterionResult,
    breaches,
  )) {
    const { criterionId, passes, evidence } = value;
    const found = criterionOf(draft, criterionId);
    const isKnown = gate.passes({ path, item: value }, () =>
      gate.known("criterion", [criterionId], call.allowed.criteria),
    );
    if (!isKnown || !found?.versionId || seen.has(criterionId)) continue;
    seen.add(criterionId);
    const list = byVersion.get(found.versionId) ?? [];
    list.push({ criterion: found.criterion, passes, evidence });
    byVersion.set(found.versionId, list);
  }
  return byVersion;
}

function takeFindings(gate: Gate, reply: Reply): ReadonlyMap<string, readonly Finding[]> {
  const { draft, call, breaches } = gate;
  const { versions, criteria } = call.allowed;
  const byVersion = new Map<string, Finding[]>();
  for (const { value, path } of takeItems(reply, "findings", OPEN_SHAPES.finding, breaches)) {
    const { about, trace, ...finding } = value;
    const named = criterionOf(draft, about);
    const versionId = named?.versionId ?? about;
    const others = byVersion.get(versionId) ?? [];
    const passes = gate.passes(
      { path, item: value },
      () => gate.known("version or criterion", [about], [...versions, ...criteria]),
      () => gate.traced(trace),
      () =>
        others.some(({ issue }) => isSameText(issue, finding.issue))
          ? breach("team_finding_duplicate", `says of ${versionId} what another finding says`)
          : undefined,
    );
    if (!passes) continue;
    byVersion.set(versionId, [...others, { ...finding, criterion: named?.criterion ?? null }]);
  }
  return byVersion;
}
