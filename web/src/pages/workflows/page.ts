import type { Page } from "../page.ts";

export const page: Page = {
  title: "Workflows",
  group: "Make",
  order: 2,
  icon: "workflow",
  path: "/workflows",
  key: "w",
  load: () => import("./workflows-page.tsx"),
};
