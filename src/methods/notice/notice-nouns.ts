/** What notices add to the program. Nothing is loaded before it is asked for. */

import type { IndexedNoun } from "../../kernel/operation/noun-index.ts";

/** `findKey` gives what secrets are made with, where one is needed. */
export function noticeNoun(findKey: () => Promise<Uint8Array>): IndexedNoun {
  return {
    name: "notice",
    summary: "Other programs that are told when something happens.",
    group: "Set up",
    load: async () => (await import("./notice-operations.ts")).noticeOperations(findKey),
  };
}
