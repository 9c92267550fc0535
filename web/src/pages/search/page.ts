import type { Page } from "../page.ts";

export const page: Page = {
  title: "Search",
  group: "Think",
  order: 5,
  icon: "search",
  path: "/search",
  key: "f",
  load: () => import("./search-page.tsx"),
};
