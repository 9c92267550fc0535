/** PostgreSQL's text vectors, written by us so that its own parser, which differs from FTS5's, has no say. */

/** PostgreSQL refuses vectors of 1 MB; positions and alignment need room too. */
const MAX_BYTES = 700_000;
/** What PostgreSQL keeps at most per word, and the highest place it can note. */
const MAX_POSITIONS = 255;
const LAST_POSITION = 16_383;

/** One vector, or several for a text with more different words than one can hold. Titles weigh most. */
export function textVectors(title: readonly string[], body: readonly string[]): readonly string[] {
  const positions = new Map<string, string[]>();
  title.forEach((term, i) => note(positions, term, `${Math.min(i + 1, LAST_POSITION)}A`));
  body.forEach((term, i) =>
    note(positions, term, `${Math.min(title.length + i + 1, LAST_POSITION)}`),
  );

  const vectors: string[] = [];
  let lexemes: string[] = [];
  let bytes = 0;
  for (const [term, places] of positions) {
    const size = Buffer.byteLength(term) + 4 + places.length * 2;
    if (bytes + size > MAX_BYTES) {
      vectors.push(lexemes.join(" "));
      lexemes = [];
      bytes = 0;
    }
    lexemes.push(`'${term}':${places.join(",")}`);
    bytes += size;
  }
  return [...vectors, lexemes.join(" ")];
}

function note(positions: Map<string, string[]>, term: string, place: string): void {
  const places = positions.get(term);
  if (places === undefined) positions.set(term, [place]);
  else if (places.length < MAX_POSITIONS && places.at(-1) !== place) places.push(place);
}
