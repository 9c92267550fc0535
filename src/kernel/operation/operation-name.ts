/** The two halves of `noun.verb`. */

interface Named {
  readonly name: string;
}

export function nounOf({ name }: Named): string {
  return name.slice(0, name.indexOf("."));
}

export function verbOf({ name }: Named): string {
  return name.slice(name.indexOf(".") + 1);
}
