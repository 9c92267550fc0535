import type { Page } from "../page.ts";

export const page: Page = {
  title: "Inbox",
  group: "Work",
  order: 2,
  icon: "inbox",
  path: "/inbox",
  key: "i",
  load: () => import("./inbox-page.tsx"),
};
