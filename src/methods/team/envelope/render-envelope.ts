/** The prompt of a call: a rendering of its envelope, fitted to the budget. What did not fit is named. */

import { hashJson } from "../../../kernel/base/hash.ts";
import { renderTemplate } from "../../../kernel/base/template.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";
import { FENCE_NOTICE } from "../../../kernel/prompt/fence-untrusted.ts";
import type { Layout, Part, Piece } from "../../../kernel/prompt/part.ts";
import { createRedactor } from "../../../kernel/prompt/redactor.ts";
import { activityParts } from "./activity-parts.ts";
import type { Envelope } from "./envelope.ts";
import { formText } from "./form-text.ts";
import { formContract } from "./reply-contract.ts";
import { treeParts } from "./tree-parts.ts";

const LAYOUT: Layout = {
  layers: [
    { id: "identity", role: "system", stability: "run", separator: "\n" },
    { id: "rules", role: "system", stability: "run", separator: "\n\n" },
    { id: "form", role: "system", stability: "turn", heading: "# Output structure" },
    { id: "task", role: "user", stability: "turn", separator: "\n\n" },
    {
      id: "tree",
      role: "user",
      stability: "turn",
      heading: "Reminder:\nCurrent project structure:",
    },
    { id: "activity", role: "user", stability: "turn", heading: "Recent activity:" },
    { id: "notes", role: "user", stability: "turn" },
    { id: "mission", role: "user", stability: "turn", separator: "\n" },
  ],
};

export interface Rendered {
  readonly prompt: CompiledPrompt;
  readonly dropped: readonly DroppedSlice[];
}

export interface DroppedSlice {
  readonly slice: string;
  readonly why: string;
}

export interface RenderOptions {
  readonly budget: number;
  /** Redacted passages, to be looked for in the finished text. */
  readonly passages: readonly string[];
}

export function renderEnvelope(
  library: Library,
  envelope: Envelope,
  options: RenderOptions,
): Rendered {
  const parts: Part[] = [
    ...systemParts(library, envelope),
    required("task", "task", 0, saying(library, `${fileName(envelope.step)}-task`)),
    ...treeParts(envelope),
    ...activityParts(envelope),
    ...noteParts(envelope),
    ...missionParts(envelope),
  ];
  const prompt = compilePrompt(LAYOUT, parts, {
    budget: { characters: options.budget },
    redactor: createRedactor({ texts: options.passages }),
  });
  return {
    prompt,
    dropped: [
      ...droppedFrom(prompt),
      ...envelope.heldBack.map(({ id, why }) => ({ slice: id, why })),
    ],
  };
}

/** The hash of what the call was made from; the prompt has its own. */
export function hashOfEnvelope(envelope: Envelope): string {
  return hashJson(envelope);
}

function systemParts(library: Library, envelope: Envelope): readonly Part[] {
  const { member, team, step } = envelope;
  const intro = team.members
    .map(({ id, name, role, teamRole, ownedProductsCount, ownedPendingProductsCount }) => {
      const owns =
        role === "operative"
          ? `, owns ${ownedProductsCount}, ${ownedPendingProductsCount} pending`
          : "";
      return `${name} (${id}, ${role}, ${teamRole}${owns})`;
    })
    .join("; ");
  const identity = saying(library, "identity", {
    name: member.name,
    teamName: team.name,
    teamDescription: team.description,
    members: intro,
    role: `${member.role}, ${member.teamRole}`,
    persona: member.persona ?? `You take part as ${member.teamRole}.`,
    motivation: member.motivation ?? "",
    skills: member.skills.join("; "),
    characteristics: member.characteristics.join(", "),
    step: STEP_NAMES[step],
  });
  return [
    required("identity", "identity", 0, identity),
    required("base rules", "rules", 0, saying(library, "base-rules")),
    required("step rules", "rules", 1, saying(library, `${fileName(step)}-rules`)),
    required("fences", "rules", 2, { text: FENCE_NOTICE }),
    required("form", "form", 0, { text: formText(formContract(envelope)) }),
  ];
}

/** As the seed writes them. */
export const STEP_NAMES = {
  bootstrap: "bootstrap",
  reflect: "reflect",
  plan_assign: "plan/assign",
  write: "write",
  peer_review: "peer review",
  inspect: "inspect",
  envoy: "envoy",
} as const;

function noteParts({ lastNote, lastChairPersonalNote, step }: Envelope): readonly Part[] {
  if (step === "bootstrap") return [];
  return [
    {
      id: "last note",
      layer: "notes",
      order: 0,
      importance: 6,
      text: lastNote === null ? "" : `Last note: ${lastNote}`,
    },
    {
      id: "last chair personal note",
      layer: "notes",
      order: 1,
      importance: 7,
      text: `Last chair personal note: ${lastChairPersonalNote ?? "none yet"}`,
    },
  ];
}

const MOST_CHARTER = 6000;

function missionParts({ mission, session, step }: Envelope): readonly Part[] {
  if (mission === null || step === "bootstrap") return [];
  const ref = { type: "mission", id: mission.id };
  const objectives = mission.objectives.map((text, place) => `- o${place + 1}: ${text}`).join("\n");
  const constraints = mission.constraints.map((text) => `- ${text}`).join("\n");
  const known = mission.missingDetails.filter(({ answer }) => answer !== null);
  const open = mission.missingDetails.filter(({ answer }) => answer === null);
  const left =
    session.roundsLeft === null ? "no fixed end" : `${session.roundsLeft} left after this one`;
  const lines: readonly (readonly [string, string])[] = [
    ["charter", `Mission charter (${mission.id}): ${mission.statement}`],
    ["charter text", mission.charter],
    ["objectives", `Objectives:\n${objectives}`],
    ["constraints", `Constraints:\n${constraints}`],
    [
      "known details",
      known.length === 0
        ? ""
        : `Answered by the person you work for:\n${known.map(({ question, answer }) => `- ${question} ${answer ?? ""}`).join("\n")}`,
    ],
    [
      "missing details",
      open.length === 0
        ? ""
        : `Not known, and not to be made up:\n${open.map(({ question }) => `- ${question}`).join("\n")}`,
    ],
    [
      "clock",
      `This is round ${session.currentRound}; ${left}.${session.deadline === null ? "" : ` Deadline: ${session.deadline}.`}`,
    ],
  ];
  return lines
    .filter(([, text]) => text !== "")
    .map(([id, text], order) => ({
      id: `mission ${id}`,
      layer: "mission",
      order,
      importance: "required",
      text: [{ text, ref, maximum: MOST_CHARTER }],
    }));
}

function droppedFrom({ ledger }: CompiledPrompt): readonly DroppedSlice[] {
  return ledger.flatMap((row) => {
    if (row.outcome === "out" && row.reason !== "empty")
      return [{ slice: row.part, why: row.reason }];
    if (row.truncated === undefined) return [];
    return [
      { slice: row.part, why: `cut to ${row.truncated.to} of ${row.truncated.from} characters` },
    ];
  });
}

function required(id: string, layer: string, order: number, piece: Piece): Part {
  return { id, layer, order, importance: "required", text: [piece] };
}

function fileName(step: Envelope["step"]): string {
  return step.replace("_", "-");
}

function saying(library: Library, name: string, values: Record<string, string> = {}): Piece {
  const { template, file } = parsePrompt(library.read(`team/prompts/${name}.md`));
  return {
    text: renderTemplate(template, values).text.trim(),
    ref: { type: "prompt", id: file.path, version: file.hash },
  };
}
