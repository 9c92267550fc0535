/**
 * Nearly always what a decision adds is new. To be told so costs PostgreSQL a round trip in every transaction, so it is
 * taken to be so, and where it was not, all is undone and done again with care. Methods that ask for the same follow-up
 * from several sides would pay for that again and again: after every disappointment trust rests twice as long.
 */

import { isStoreAway } from "../store/store-errors.ts";

export interface Trust {
  /** Tries it with trust, and where that fails, or rests, without. */
  trying<Result>(attempt: (trusts: boolean) => Promise<Result>): Promise<Result>;
}

const SHORTEST_REST = 8;
const LONGEST_REST = 8192;

export function createTrust(isWorthwhile: boolean): Trust {
  let left = isWorthwhile ? 0 : Number.POSITIVE_INFINITY;
  let rest = SHORTEST_REST;
  return {
    async trying(attempt) {
      if (left > 0) {
        left -= 1;
        return await attempt(false);
      }
      try {
        return await attempt(true);
      } catch (error) {
        if (isStoreAway(error)) throw error;
        left = rest;
        rest = Math.min(rest * 2, LONGEST_REST);
        return await attempt(false);
      }
    },
  };
}
