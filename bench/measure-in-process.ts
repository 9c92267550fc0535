/** Starts `run.ts` for one subject and one shape and reads its one line. */

import { spawn } from "node:child_process";
import path from "node:path";
import type { Sample, Shape } from "./subject.ts";

export interface Measurement {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly warm: boolean;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

export type Outcome =
  | { readonly processId: number; readonly sample: Sample; readonly failure?: undefined }
  | { readonly processId: number; readonly sample?: undefined; readonly failure: string };

export async function measureInProcess(measurement: Measurement): Promise<Outcome> {
  const { peer, shape, warm, timeoutSeconds, environment } = measurement;
  const script = path.join(import.meta.dirname, "run.ts");
  const child = spawn(
    process.execPath,
    [script, "--peer", peer, "--shape", shape, ...(warm ? ["--warm"] : [])],
    { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const killChild = () => child.kill("SIGKILL");
  process.once("exit", killChild);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killChild();
  }, timeoutSeconds * 1000);
  const [standardOutput, standardError, ending] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
    }),
  ]);
  clearTimeout(timer);
  process.removeListener("exit", killChild);

  const processId = child.pid ?? -1;
  if (ending === "exit code 0") return { processId, sample: JSON.parse(standardOutput) as Sample };
  const reason = timedOut ? `not finished after ${timeoutSeconds} s` : ending;
  return { processId, failure: `${reason}: ${lastLines(standardError)}` };
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-12).join("\n");
}
