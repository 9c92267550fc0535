/**
 * How a reply ended, as far as reading it is concerned. Providers spell a cut differently, and a
 * client may map a spelling it does not know to `other`, so the raw reason is looked at too.
 */

export interface Finish {
  readonly finish: string;
  readonly rawFinish?: string | undefined;
}

const CUT_SHORT = new Set([
  "length",
  "maxtokens",
  "maxoutputtokens",
  "contenttruncated",
  "tokenlimit",
  "modellength",
  "modelcontextwindowexceeded",
  "incomplete",
  "cut",
  "streamcut",
  "truncated",
  "aborted",
  "error",
  "contentfilter",
  "safety",
  "recitation",
  "refusal",
]);

/** True when the end of the text cannot be taken for the end of the answer. */
export function isCutShort(finish: Finish): boolean {
  return (
    isCutWord(finish.finish) || (finish.rawFinish !== undefined && isCutWord(finish.rawFinish))
  );
}

function isCutWord(reason: string): boolean {
  return reason !== "stop" && CUT_SHORT.has(reason.toLowerCase().replace(/[^a-z]/g, ""));
}
