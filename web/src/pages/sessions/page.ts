import type { Page } from "../page.ts";

export const page: Page = {
  title: "Sessions",
  group: "Prove",
  order: 2,
  icon: "session",
  path: "/sessions",
  key: "e",
  load: () => import("./sessions-page.tsx"),
};
