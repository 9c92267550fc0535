/** A version comes in: for an assignment, once, and different from what was there. */

import { hashText } from "../../../kernel/base/hash.ts";
import type { Collab } from "../state/team-records.ts";
import { breach } from "./breach.ts";
import { isUnsettled } from "./draft.ts";
import type { Fault, Gate } from "./gate.ts";
import { OPEN_SHAPES } from "./reply-shapes.ts";
import { takeItems } from "./take-items.ts";

export function applyWrite(gate: Gate, reply: Readonly<Record<string, unknown>>): void {
  const { draft, call, breaches } = gate;
  for (const { value, path } of takeItems(reply, "versions", OPEN_SHAPES.version, breaches)) {
    const { productId, lastDirectiveId, content, addressed, trace } = value;
    const passes = gate.passes(
      { path, item: value },
      () => unassigned(gate, productId, lastDirectiveId),
      () => repeated(gate),
      () => closed(gate, productId),
      () => sameAsLast(gate, productId, content),
      () =>
        gate.known(
          "comment",
          addressed.map(({ collabId }) => collabId),
          call.allowed.collabs,
        ),
      () => gate.traced(trace),
    );
    const product = draft.find("products", productId);
    const directive = draft.find("directives", call.target);
    if (!passes || product === undefined || directive === undefined) continue;
    const settled = new Map(addressed.map(({ collabId, how }) => [collabId, how]));
    const version = draft.add("versions", {
      ...value,
      addressed: [...settled].map(([collabId, how]) => ({ collabId, how })),
      number: draft.versionsOf(productId).length + 1,
      round: call.round,
      authorId: call.memberId,
      hash: hashText(content),
      exchangeId: call.exchangeId,
    });
    draft.put("products", {
      ...product,
      selectedVersionId: version.id,
      summary: value.changeSummary,
      status: "pending",
    });
    draft.put("directives", { ...directive, state: "written" });
    settleCollabs(gate, settled);
  }
}

export function settleCollabs(
  { draft }: Pick<Gate, "draft">,
  how: ReadonlyMap<string, string>,
): void {
  for (const [collabId, answer] of how) {
    const collab = draft.find("collabs", collabId);
    if (collab !== undefined && canBeSettled(collab))
      draft.put("collabs", { ...collab, state: "resolved", answer });
  }
}

/** Also one that was turned down may be settled after all. */
function canBeSettled(collab: Collab): boolean {
  return isUnsettled(collab) || collab.state === "rejected";
}

function unassigned(
  { draft, call }: Gate,
  productId: string,
  directiveId: string,
): Fault | undefined {
  const directive = draft.find("directives", call.target);
  const isAssigned =
    directive !== undefined &&
    directive.operativeId === call.memberId &&
    directive.productId === productId &&
    directive.id === directiveId;
  if (isAssigned) return undefined;
  const assigned =
    directive === undefined ? "nothing" : `${directive.productId} by ${directive.id}`;
  return breach(
    "team_write_unassigned",
    `writes ${productId} for ${directiveId}, but ${call.memberId} is assigned ${assigned}`,
  );
}

function repeated({ draft, call }: Gate): Fault | undefined {
  const directive = draft.find("directives", call.target);
  if (directive?.state === "open") return undefined;
  return breach(
    "team_version_repeated",
    `is a second version for ${call.target ?? "one assignment"}`,
  );
}

function closed({ draft }: Gate, productId: string): Fault | undefined {
  const status = draft.find("products", productId)?.status;
  if (status === "pending" || status === "rejected") return undefined;
  return breach("team_product_closed", `writes ${productId}, which is ${status ?? "unknown"}`);
}

export function sameAsLast(
  { draft }: Pick<Gate, "draft">,
  productId: string,
  content: string,
): Fault | undefined {
  const last = draft.lastVersionOf(productId);
  if (last === undefined || last.hash !== hashText(content)) return undefined;
  return breach("team_version_same", `says word for word what ${last.id} says`);
}
