import type { Page } from "../page.ts";

export const page: Page = {
  title: "Settings",
  group: "Prove",
  order: 9,
  icon: "settings",
  path: "/settings",
  key: "e",
  load: () => import("./settings-page.tsx"),
};
