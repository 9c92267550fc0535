/** What a command does, as a queue of happenings that one reader takes in order. */

import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

type Happening =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "overflow" }
  | { readonly type: "error"; readonly error: NodeJS.ErrnoException }
  | {
      readonly type: "exit";
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly stderr: string;
    };

export interface OutputQueue {
  next(): Promise<Happening>;
  /** Ends the waiting, and all later waiting, with this error. */
  fail(error: Error): void;
}

const STDERR_TAIL = 8_000;
/** A grandchild may keep the pipe open after the command is gone; we do not wait for it. */
const DRAIN_MS = 250;

export function outputQueue(child: ChildProcess, maxChars: number): OutputQueue {
  const queue: Happening[] = [];
  const decoder = new StringDecoder("utf8");
  let failure: Error | undefined;
  let waiting: { resolve: (value: Happening) => void; reject: (error: Error) => void } | undefined;
  let chars = 0;
  let stderr = "";

  const push = (happening: Happening) => {
    if (waiting) waiting.resolve(happening);
    else queue.push(happening);
    waiting = undefined;
    // The reader sets the pace: an eager command waits in its pipe and not in our memory.
    if (queue.length > 0) child.stdout?.pause();
  };
  const pushText = (text: string) => {
    if (text === "" || chars > maxChars) return;
    chars += text.length;
    push(chars > maxChars ? { type: "overflow" } : { type: "text", text });
  };

  child.stdout?.on("data", (chunk: Buffer) => pushText(decoder.write(chunk)));
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-STDERR_TAIL);
  });
  child.once("error", (error) => push({ type: "error", error }));
  onceOver(child, (code, signal) => {
    pushText(decoder.end());
    push({ type: "exit", code, signal, stderr });
  });

  return {
    next() {
      if (failure) return Promise.reject(failure);
      const first = queue.shift();
      if (queue.length === 0) child.stdout?.resume();
      if (first) return Promise.resolve(first);
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    fail(error) {
      failure ??= error;
      waiting?.reject(failure);
      waiting = undefined;
    },
  };
}

/** Calls back when the command has exited and its output is read, or could not be read in time. */
function onceOver(
  child: ChildProcess,
  callback: (code: number | null, signal: NodeJS.Signals | null) => void,
): void {
  let over = false;
  const finish = (code: number | null, signal: NodeJS.Signals | null) => {
    if (over) return;
    over = true;
    callback(code, signal);
  };
  child.once("close", finish);
  child.once("exit", (code, signal) => {
    const drain = () => {
      const unread = child.stdout?.isPaused() && !child.stdout.destroyed;
      if (unread && !over) setTimeout(drain, DRAIN_MS).unref();
      else finish(code, signal);
    };
    setTimeout(drain, DRAIN_MS).unref();
  });
}
