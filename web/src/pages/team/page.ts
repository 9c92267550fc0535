import type { Page } from "../page.ts";

export const page: Page = {
  title: "Teams",
  group: "Make",
  order: 4,
  icon: "team",
  path: "/teams",
  key: "m",
  load: () => import("./teams-page.tsx"),
};
