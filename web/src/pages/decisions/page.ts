import type { Page } from "../page.ts";

export const page: Page = {
  title: "Decisions",
  group: "Think",
  order: 4,
  icon: "decision",
  path: "/decisions",
  key: "d",
  load: () => import("./decisions-page.tsx"),
};
