import type { Page } from "../page.ts";

export const page: Page = {
  title: "Dialectic",
  group: "Make",
  order: 3,
  icon: "dialectic",
  path: "/dialectic",
  key: "a",
  load: () => import("./dialectic-page.tsx"),
};
