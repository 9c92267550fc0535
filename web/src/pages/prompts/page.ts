import type { Page } from "../page.ts";

export const page: Page = {
  title: "Prompts",
  group: "Prove",
  order: 1,
  icon: "prompt",
  path: "/prompts",
  key: "p",
  load: () => import("./prompts-page.tsx"),
};
