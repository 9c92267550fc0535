/** The lines of a file, one at a time, however large the file is. */

import { createReadStream } from "node:fs";

/** Only `\n` ends a line: JSON may hold the other line ends of Unicode as they are. */
export async function* readFileLines(path: string): AsyncGenerator<string> {
  const pieces: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 18 })) {
    const lines = (chunk as string).split("\n");
    pieces.push(lines[0] ?? "");
    for (const line of lines.slice(1)) {
      yield pieces.join("");
      pieces.length = 0;
      pieces.push(line);
    }
  }
  if (pieces.some((piece) => piece !== "")) yield pieces.join("");
}
