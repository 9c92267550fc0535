/** Finds lines by the words somebody types: all must occur, beginnings of words count most. */

export function matchWords<Line>(
  typed: string,
  lines: readonly Line[],
  textOf: (line: Line) => string,
): readonly Line[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines
    .map((line) => ({ line, score: scoreOf(words, textOf(line).toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ line }) => line);
}

function scoreOf(words: readonly string[], text: string): number {
  let score = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return 0;
    const isStart = at === 0 || /[\s.,:-]/.test(text[at - 1] ?? "");
    score += (isStart ? 4 : 1) + (at === 0 ? 2 : 0) + word.length / text.length;
  }
  return score;
}
