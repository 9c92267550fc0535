import { type Ending, PIECES, TEXT } from "./fault.ts";

/** What a program on the other end of a pipe does wrong: a line for `sh`, which has read its prompt. */
export interface CommandFault {
  readonly kind: string;
  readonly script: string;
  readonly ends: readonly Ending[];
  readonly text?: string;
}

const SAID = `printf '%s' '${TEXT}'`;
const HALF = `printf '%s' '${PIECES[0]}'`;
const SIGNALS = ["HUP", "INT", "QUIT", "ILL", "ABRT", "FPE", "KILL", "SEGV", "PIPE", "TERM"];

export const COMMAND_FAULTS: readonly CommandFault[] = [
  { kind: "a good reply", script: SAID, ends: ["whole"] },
  { kind: "words on standard error too", script: `echo warn >&2; ${SAID}`, ends: ["whole"] },
  { kind: "no word", script: "true", ends: ["whole"], text: "" },
  ...[1, 2, 3, 64, 77, 126, 127, 128, 137, 255].map((code) => ({
    kind: `exit code ${code} after half a reply`,
    script: `${HALF}; exit ${code}`,
    ends: ["unavailable" as const],
  })),
  { kind: "exit code 1 without a word", script: "exit 1", ends: ["unavailable"] },
  {
    kind: "exit code 1 after a whole reply",
    script: `${SAID}; exit 1`,
    ends: ["unavailable"],
  },
  ...SIGNALS.map((signal) => ({
    kind: `ended by ${signal} after half a reply`,
    script: `${HALF}; kill -${signal} $$; sleep 9`,
    ends: ["cut" as const],
  })),
  { kind: "silence", script: "exec sleep 9", ends: ["stalled"] },
  { kind: "silence after half a reply", script: `${HALF}; exec sleep 9`, ends: ["stalled"] },
  {
    kind: "closes its output and stays",
    script: `${HALF}; exec 1>&- 2>&-; exec sleep 9`,
    ends: ["stalled"],
  },
  {
    kind: "does not listen when told to end",
    script: `trap '' TERM; ${HALF}; while :; do sleep 1; done`,
    ends: ["stalled"],
  },
  { kind: "words for ever", script: "yes again", ends: ["too_large"], text: "again\n" },
  {
    kind: "standard error for ever",
    script: "yes wrong >&2",
    ends: ["stalled", "too_large", "timeout"],
  },
  {
    kind: "a whole reply, and a child left behind",
    script: `sleep 9 & ${SAID}`,
    ends: ["whole"],
  },
  {
    kind: "bytes that are no letters",
    script: "printf 'a\\377b'",
    ends: ["whole"],
    text: "a\ufffdb",
  },
  { kind: "a NUL in the reply", script: "printf 'a\\000b'", ends: ["whole"], text: "a\0b" },
  {
    kind: "a letter in two writes",
    script: "printf '\\344\\272'; sleep 0.02; printf '\\224'",
    ends: ["whole"],
    text: "五",
  },
  { kind: "half a letter at the end", script: "printf 'a\\344'", ends: ["whole"], text: "a\ufffd" },
  {
    kind: "colours and commands for a terminal on standard error",
    script: "printf '\\033[31mred\\033]52;c;eA==\\007' >&2; exit 4",
    ends: ["unavailable"],
  },
  {
    kind: "two megabytes on standard error, then an error",
    script: "head -c 2000000 /dev/zero | tr '\\0' x >&2; exit 5",
    ends: ["unavailable"],
  },
  { kind: "stops itself", script: `${HALF}; kill -STOP $$`, ends: ["stalled"] },
];
