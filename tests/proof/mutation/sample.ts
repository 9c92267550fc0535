/** What `try-mutants.test.ts` changes: one function that its test knows well, one that it does not look at. */

export function sumTo(most: number): number {
  let sum = 0;
  for (let next = 1; next <= most; next += 1) sum += next;
  return sum;
}

export function isLarge(amount: number): boolean {
  return amount > 100;
}
