/** From what somebody asks for to a compiled packet: find the origin, gather, compile. Nothing is written. */

import type { Library } from "../../../kernel/library/library.ts";
import { loadTokenCounter } from "../../../kernel/model/count-tokens.ts";
import type { Caller, Permission } from "../../../kernel/operation/caller.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { createRedactor, redactText } from "../../../kernel/prompt/redactor.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import type { TextOrigin } from "../../../kernel/store/redaction-scope.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { resolveBudget } from "./budgets.ts";
import {
  type CompiledPacket,
  compilePacket,
  intentMissing,
  type PacketBudget,
} from "./compile-packet.ts";
import { gatherDecision } from "./gather-decision.ts";
import { type GatherRequest, gatherProject } from "./gather-project.ts";
import { gatherTask } from "./gather-task.ts";
import { type Intent, resolveIntent } from "./intents.ts";
import { maskText } from "./mask-text.ts";
import { originRefused } from "./origin-refusals.ts";
import type { PacketWishes } from "./packet-context.ts";
import type { PacketMaterial } from "./packet-material.ts";
import type { TargetTool } from "./packet-tables.ts";
import { ORIGIN_TYPES, type OriginType } from "./packet-tables.ts";
import { readPacketWords } from "./packet-words.ts";
import { findOriginSource } from "./redacted-sources.ts";
import { resolveWishes } from "./resolve-wishes.ts";
import type { SourceText } from "./source-text.ts";
import { readTarget, type Target } from "./targets.ts";

export interface PacketRequest {
  readonly originType: string;
  readonly originId: string;
  readonly intent?: string | undefined;
  readonly customIntent?: string | undefined;
  readonly targetTool: TargetTool;
  readonly budget?: number | undefined;
  readonly tokenBudget?: number | undefined;
  readonly pin: readonly string[];
  readonly ban: readonly string[];
}

export interface MadePacket {
  readonly originType: OriginType;
  readonly originId: string;
  readonly originSource: TextOrigin;
  readonly projectId: string | undefined;
  readonly title: string;
  readonly intent: Intent | undefined;
  readonly target: Target;
  readonly budget: PacketBudget;
  readonly wishes: PacketWishes;
  readonly compiled: CompiledPacket;
}

/** `permission` is what the caller needs in the packet's project. */
export async function makePacket(
  { store, library, clock }: Pick<Kernel, "store" | "library" | "clock">,
  caller: Caller,
  request: PacketRequest,
  permission: Permission,
): Promise<MadePacket> {
  const originType = originTypeOf(request);
  const intent = readIntent(library, originType, request);
  const target = readTarget(library, request.targetTool);
  const now = clock.now();
  const gathered = await store.read(function* () {
    const originId = yield* resolveOrigin(originType, request.originId, caller);
    const wishes = yield* resolveWishes(request.pin, request.ban, caller);
    const material = yield* gather(originType, { id: originId, viewer: caller, now, ...wishes });
    const { projectId } = material;
    yield* requireRight(caller, projectId, permission);
    const characters = yield* resolveBudget(request.budget, request.targetTool, target, projectId);
    return {
      originType,
      originId,
      originSource: yield* findOriginSource(originType, originId),
      projectId,
      material,
      wishes,
      budget: { characters, tokens: request.tokenBudget },
    };
  });
  const { material, ...rest } = gathered;
  const counter = await loadTokenCounter(target.tokenizer);
  const compiled = compilePacket(material, {
    words: readPacketWords(library),
    intent,
    budget: gathered.budget,
    countTokens: (text) => counter.count(text),
  });
  return { ...rest, title: titleOf(material), intent, target, compiled };
}

function originTypeOf({ originType, originId }: PacketRequest): OriginType {
  const type = ORIGIN_TYPES.find((each) => each === originType);
  if (type === undefined) throw originRefused(originType, originId);
  return type;
}

function readIntent(
  library: Library,
  originType: OriginType,
  request: PacketRequest,
): Intent | undefined {
  const intent = resolveIntent(library, request);
  if (intent === undefined && originType === "project") throw intentMissing();
  return intent;
}

function resolveOrigin(type: OriginType, given: string, caller: Caller): DatabaseWork<string> {
  return type === "project" ? resolveProject(given, caller) : resolveId(type, given, caller);
}

function gather(type: OriginType, request: GatherRequest): DatabaseWork<PacketMaterial> {
  switch (type) {
    case "project":
      return gatherProject(request);
    case "task":
      return gatherTask(request);
    case "decision":
      return gatherDecision(request);
  }
}

/** Without what the packet itself does not show: titles stand in lists. */
function titleOf(material: PacketMaterial): string {
  const { text, hidden } = namedBy(material);
  const redactor = createRedactor({ texts: material.passages });
  return redactText(redactor, maskText(text, hidden).text);
}

function namedBy(material: PacketMaterial): SourceText {
  switch (material.origin) {
    case "project":
      return material.project.name;
    case "task":
      return material.task.title;
    case "decision":
      return material.decision.title;
  }
}
