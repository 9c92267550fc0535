import type { Page } from "../page.ts";

export const page: Page = {
  title: "Home",
  group: "Work",
  order: 1,
  icon: "home",
  path: "/",
  key: "h",
  load: () => import("./home-page.tsx"),
};
