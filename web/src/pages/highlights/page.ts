import type { Page } from "../page.ts";

export const page: Page = {
  title: "Highlights",
  group: "Think",
  order: 2,
  icon: "highlight",
  path: "/highlights",
  key: "l",
  load: () => import("./highlights-page.tsx"),
};
