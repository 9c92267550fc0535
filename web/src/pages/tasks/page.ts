import type { Page } from "../page.ts";

export const page: Page = {
  title: "Tasks",
  group: "Think",
  order: 3,
  icon: "task",
  path: "/tasks",
  key: "t",
  load: () => import("./tasks-page.tsx"),
};
