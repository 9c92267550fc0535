/** How a requirement of the ASVS stands with this product, and what shows it. */

/** A file of tests and the name of one in it, or a document and a heading in it. */
export type Evidence = readonly [file: string, words: string];

export type Standing =
  | { readonly met: readonly Evidence[]; readonly note?: string }
  /** A fact about this product because of which nothing could be tried. */
  | { readonly notApplicable: string }
  | { readonly missing: string };

/** As numbered in ASVS 5.0.0; what it asks for is said in our words. */
export type Requirement = {
  readonly number: string;
  readonly level: 1 | 2;
  readonly asks: string;
} & Standing;

export interface Chapter {
  readonly number: string;
  readonly title: string;
  readonly requirements: readonly Requirement[];
}
