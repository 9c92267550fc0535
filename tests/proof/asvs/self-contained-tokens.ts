import type { Chapter } from "./requirement.ts";

const NONE =
  "it gives out and takes no self-contained tokens: logins and tokens are random texts that are looked up";

export const SELF_CONTAINED_TOKENS: Chapter = {
  number: "V9",
  title: "Self-contained tokens",
  requirements: [
    { number: "V9.1.1", level: 1, asks: "their signature is checked", notApplicable: NONE },
    { number: "V9.1.2", level: 1, asks: "only named algorithms sign them", notApplicable: NONE },
    { number: "V9.1.3", level: 1, asks: "their keys come from where we know", notApplicable: NONE },
    { number: "V9.2.1", level: 1, asks: "they count only in their time", notApplicable: NONE },
    {
      number: "V9.2.2",
      level: 2,
      asks: "they are of the kind that is wanted",
      notApplicable: NONE,
    },
    { number: "V9.2.3", level: 2, asks: "they are meant for us", notApplicable: NONE },
    { number: "V9.2.4", level: 2, asks: "they name whom they are for", notApplicable: NONE },
  ],
};
