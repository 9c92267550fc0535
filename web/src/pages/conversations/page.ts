import type { Page } from "../page.ts";

export const page: Page = {
  title: "Conversations",
  group: "Think",
  order: 1,
  icon: "conversation",
  path: "/conversations",
  key: "c",
  load: () => import("./conversations-page.tsx"),
};
