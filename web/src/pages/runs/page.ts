import type { Page } from "../page.ts";

export const page: Page = {
  title: "Runs",
  group: "Work",
  order: 3,
  icon: "runs",
  path: "/runs",
  key: "r",
  load: () => import("./runs-page.tsx"),
};
