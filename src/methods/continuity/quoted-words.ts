/** Words as a list in SQL, for the checks of tables. Only for words of the program itself. */
export function quotedWords(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(", ");
}
