import type { Page } from "../page.ts";

export const page: Page = {
  title: "Packets",
  group: "Make",
  order: 1,
  icon: "packet",
  path: "/packets",
  key: "k",
  load: () => import("./packets-page.tsx"),
};
