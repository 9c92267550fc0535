import type { Page } from "../page.ts";

export const page: Page = {
  title: "Settings",
  group: "Prove",
  order: 9,
  icon: "settings",
  path: "/settings",
  key: "s",
  load: () => import("./settings-page.tsx"),
};
