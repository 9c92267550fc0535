/** What is wanted of a packet, as the address keeps it: `/packets/new?origin=task:ID&intent=…&pin=decision:ID`. */

import type { Input, Output } from "../../api/operation.ts";
import { changeQuery, usePlace } from "../../router/place.ts";

export type Request = Input<"packet.preview">;
export type OriginType = "project" | "task" | "decision";
export type Tool = NonNullable<Request["targetTool"]>;

export interface Wanted {
  readonly originType: OriginType;
  readonly originId: string | undefined;
  readonly intent: string | undefined;
  /** In free words, with the intent `custom`. */
  readonly ask: string;
  readonly tool: Tool;
  readonly budget: number | undefined;
  readonly pin: readonly string[];
  readonly ban: readonly string[];
}

const ORIGINS: readonly OriginType[] = ["project", "task", "decision"];
const TOOLS: readonly Tool[] = ["claude", "chatgpt", "cursor", "other"];
const FIRST_INTENT = "generate_next_actions";

export function readWanted(query: URLSearchParams): Wanted {
  const origin = query.get("origin") ?? "";
  const colon = origin.indexOf(":");
  const originType = ORIGINS.find((type) => type === origin.slice(0, Math.max(0, colon)));
  const originId = origin.slice(colon + 1);
  const budget = Number(query.get("budget"));
  return {
    originType: originType ?? "project",
    originId: originType === undefined || originId === "" ? undefined : originId,
    intent: query.get("intent") ?? undefined,
    ask: query.get("ask") ?? "",
    tool: TOOLS.find((tool) => tool === query.get("target")) ?? "claude",
    budget: Number.isInteger(budget) && budget > 0 ? budget : undefined,
    pin: listOf(query.get("pin")),
    ban: listOf(query.get("ban")),
  };
}

function listOf(text: string | null): readonly string[] {
  return (text ?? "").split(",").filter((each) => each !== "");
}

/** The same as the server takes it; undefined while something it needs is missing. */
export function toRequest(wanted: Wanted): Request | undefined {
  const { originType, originId, ask, tool, budget, pin, ban } = wanted;
  const intent = wanted.intent ?? (originType === "project" ? FIRST_INTENT : undefined);
  if (originId === undefined || (intent === "custom" && ask.trim() === "")) return undefined;
  return {
    originType,
    originId,
    targetTool: tool,
    ...(intent === undefined ? {} : { intent }),
    ...(intent === "custom" ? { customIntent: ask.trim() } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(pin.length === 0 ? {} : { pin }),
    ...(ban.length === 0 ? {} : { ban }),
  };
}

/** An intent is needed only where a project is the origin. */
export function chosenIntent({ originType, intent }: Wanted): string | undefined {
  return intent ?? (originType === "project" ? FIRST_INTENT : undefined);
}

export function changeWanted(change: Partial<Wanted>): void {
  const fields: Record<string, string | undefined> = {};
  if ("originType" in change || "originId" in change)
    fields["origin"] = `${change.originType ?? "project"}:${change.originId ?? ""}`;
  if ("intent" in change) fields["intent"] = change.intent;
  if ("ask" in change) fields["ask"] = change.ask === "" ? undefined : change.ask;
  if ("tool" in change) fields["target"] = change.tool;
  if ("budget" in change) fields["budget"] = change.budget?.toString();
  if (change.pin !== undefined) fields["pin"] = change.pin.join(",") || undefined;
  if (change.ban !== undefined) fields["ban"] = change.ban.join(",") || undefined;
  changeQuery(fields, { replace: true });
}

export function useWanted(): Wanted {
  return readWanted(usePlace().query);
}

/** In, out, or as it comes: a thought is only one of them. */
export function wish(
  { pin, ban }: Pick<Wanted, "pin" | "ban">,
  thought: string,
  to: "pin" | "ban" | undefined,
): Pick<Wanted, "pin" | "ban"> {
  const without = (list: readonly string[]) => list.filter((each) => each !== thought);
  return {
    pin: to === "pin" ? [...without(pin), thought] : without(pin),
    ban: to === "ban" ? [...without(ban), thought] : without(ban),
  };
}

/** The address that compiles the same again, to be changed there. */
export function againAddress({ packet, pin, ban }: Output<"packet.show">): string {
  const query = new URLSearchParams({
    origin: `${packet.originType}:${packet.originId}`,
    target: packet.targetTool,
    budget: String(packet.budget),
    ...(packet.intent === undefined ? {} : { intent: packet.intent }),
    ...(packet.customIntent === undefined ? {} : { ask: packet.customIntent }),
    ...(pin.length === 0 ? {} : { pin: pin.join(",") }),
    ...(ban.length === 0 ? {} : { ban: ban.join(",") }),
  });
  return `/packets/new?${query}`;
}
