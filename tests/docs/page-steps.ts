/**
 * What a page of the documentation tells its reader to type, in its order.
 *
 * A block marked `sh` is a piece of shell. One marked `console` is a terminal: lines that begin with `$ ` are typed
 * (`> ` goes on with them), the lines below are what is then printed. `# exit code 6` behind a command says how it ends
 * where that is not 0.
 */

export interface Step {
  /** Of the page, from 1. */
  readonly line: number;
  readonly command: string;
  readonly exitCode: number;
  /** What the page says is printed; undefined where it says nothing. */
  readonly shown: readonly string[] | undefined;
}

export interface Fence {
  readonly language: string;
  readonly lines: readonly string[];
  /** Of its first line within, from 1. */
  readonly line: number;
}

export function fencesOf(page: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { language: string; lines: string[]; line: number } | undefined;
  for (const [index, text] of page.split("\n").entries()) {
    const [, language] = /^```(\w*)/.exec(text) ?? [];
    if (language === undefined) open?.lines.push(text);
    else if (open === undefined) open = { language, lines: [], line: index + 2 };
    else {
      fences.push(open);
      open = undefined;
    }
  }
  return fences;
}

export function stepsOf(page: string): readonly Step[] {
  return fencesOf(page).flatMap((fence) => {
    if (fence.language === "console") return consoleSteps(fence);
    if (fence.language !== "sh") return [];
    return [{ line: fence.line, command: fence.lines.join("\n"), exitCode: 0, shown: undefined }];
  });
}

function consoleSteps({ lines, line }: Fence): readonly Step[] {
  const steps: { line: number; command: string; exitCode: number; shown: string[] }[] = [];
  for (const [index, text] of lines.entries()) {
    const last = steps.at(-1);
    if (text.startsWith("$ ")) {
      const code = /# exit code (\d)\b/.exec(text)?.[1] ?? "0";
      steps.push({ line: line + index, command: text.slice(2), exitCode: Number(code), shown: [] });
    } else if (last === undefined) throw new Error(`line ${line + index}: output before a command`);
    else if (/^>(?: |$)/.test(text) && last.shown.length === 0)
      last.command += `\n${text.slice(2)}`;
    else last.shown.push(text);
  }
  // A command below which nothing stands is shown for itself.
  return steps.map((step) => ({
    ...step,
    shown: step.shown.some((text) => text !== "") ? step.shown : undefined,
  }));
}

/** What stands in a page's sentences as code: the commands it speaks of. */
export function mentionsOf(page: string): readonly string[] {
  const prose = page.replaceAll(/^```[^]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
}
