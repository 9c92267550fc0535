/**
 * A command as a model: prompt on standard input, reply on standard output, exit code 0 for success.
 * It runs in a process group of its own, and the whole group is gone when the call is over.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { ModelError } from "../../kernel/model/model-error.ts";
import type {
  ModelDelta,
  ModelMessage,
  ModelProvider,
  ModelRequest,
} from "../../kernel/model/model-provider.ts";
import { providerText } from "../../kernel/model/provider-text.ts";
import {
  type CommandConfig,
  type CommandLimits,
  commandEnvironment,
  DEFAULT_COMMAND_LIMITS,
  refuseNul,
} from "./command-config.ts";
import { killGroup } from "./kill-group.ts";
import { type OutputQueue, outputQueue } from "./output-queue.ts";

/** `environment` is ours; of it only the allowed variables reach the command. */
export function createCommandProvider(
  config: CommandConfig,
  environment: Readonly<Record<string, string | undefined>>,
): ModelProvider {
  const limits = { ...DEFAULT_COMMAND_LIMITS, ...config.limits };
  const env = commandEnvironment(config, environment);
  refuseNul(`The command "${config.name}"`, [config.command, ...(config.args ?? []), config.cwd]);
  refuseNul(`A variable for "${config.name}"`, Object.values(env));
  return {
    call: (request, { signal, folder = config.cwd }) => {
      refuseNul(`The folder for "${config.name}"`, [folder]);
      return run({ config: { ...config, cwd: folder }, limits, env }, request, signal);
    },
  };
}

interface Setting {
  readonly config: CommandConfig;
  readonly limits: CommandLimits;
  readonly env: Record<string, string>;
}

async function* run(
  setting: Setting,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  const { config, limits } = setting;
  const prompt = promptText(request.messages);
  if (prompt.includes("\0")) {
    throw new ModelError(
      "invalid_request",
      `The prompt for ${config.name} holds a NUL character.`,
      {
        hint: "Remove the character from the source it came from.",
      },
    );
  }
  if (signal.aborted) throw aborted(config.name);

  const child = start(setting);
  const output = outputQueue(child, limits.maxOutputChars);
  const onAbort = () => output.fail(aborted(config.name));
  const total = setTimeout(() => output.fail(timedOut(config.name, limits)), limits.totalMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    child.stdin?.end(prompt);
    yield* replyOf(setting, output);
  } finally {
    clearTimeout(total);
    signal.removeEventListener("abort", onAbort);
    await killGroup(child, limits.graceMs);
  }
}

async function* replyOf(
  { config, limits, env }: Setting,
  output: OutputQueue,
): AsyncGenerator<ModelDelta> {
  for (;;) {
    const idle = setTimeout(() => output.fail(stalled(config.name, limits)), limits.idleMs);
    const piece = await output.next().finally(() => clearTimeout(idle));
    if (piece.type === "text") yield piece;
    else if (piece.type === "overflow") throw tooLong(config.name, limits);
    else if (piece.type === "error") throw notStarted(config, piece.error);
    else if (piece.code === 0) {
      return yield { type: "finish", reason: "stop", rawReason: "exit 0", usage: {} };
    } else {
      const secrets = (config.passVariables ?? []).flatMap((name) => env[name] ?? []);
      throw failed(config.name, piece, providerText(piece.stderr, secrets));
    }
  }
}

function start({ config, env }: Setting): ChildProcess {
  const child = spawn(config.command, config.args ?? [], {
    cwd: config.cwd,
    env,
    shell: false,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A command that does not read its input closes the pipe; its exit code tells whether that matters.
  child.stdin?.on("error", () => {});
  return child;
}

/** One user message stands alone; with more of them each is named, as there are no roles on a pipe. */
export function promptText(messages: readonly ModelMessage[]): string {
  const spoken = messages.filter(({ role }) => role !== "system").length;
  return messages
    .map(({ role, text }) => (role === "system" || spoken <= 1 ? text : `[${role}]\n${text}`))
    .join("\n\n");
}

function aborted(name: string): ModelError {
  return new ModelError("aborted", `The call to ${name} was cancelled.`);
}

function timedOut(name: string, { totalMs }: CommandLimits): ModelError {
  return new ModelError("timeout", `${name} did not finish within ${totalMs / 1000} s.`);
}

function stalled(name: string, { idleMs }: CommandLimits): ModelError {
  return new ModelError("stalled", `${name} wrote nothing for ${idleMs / 1000} s.`);
}

function tooLong(name: string, { maxOutputChars }: CommandLimits): ModelError {
  return new ModelError("too_large", `${name} wrote more than ${maxOutputChars} characters.`, {
    hint: "Raise the command's output limit if that much is meant.",
  });
}

function notStarted(config: CommandConfig, error: NodeJS.ErrnoException): ModelError {
  return new ModelError("unavailable", `${config.name} could not be started: ${error.message}.`, {
    retryable: false,
    hint: `Check that "${config.command}" is installed and that the folder "${config.cwd}" exists.`,
    details: error.code === undefined ? {} : { code: error.code },
  });
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function failed(name: string, { code, signal }: Ending, stderr: string): ModelError {
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const words = stderr === "" ? "and said nothing" : `and said: ${stderr}`;
  // Ended from outside, it was in the middle of something; with an exit code it chose to stop.
  return new ModelError(signal === null ? "unavailable" : "cut", `${name} ${how} ${words}`, {
    hint: "Run the command by hand to see what it needs.",
    details: { exitCode: code, signal },
  });
}
