/** What a page is: a folder in `pages/` whose `page.ts` exports one of these as `page`. Nothing else lists it. */

import type { ComponentType } from "react";
import type { IconName } from "../parts/icon.tsx";

export const PAGE_GROUPS = ["Work", "Think", "Make", "Prove"] as const;

export interface Page {
  /** As the navigation writes it. */
  readonly title: string;
  readonly group: (typeof PAGE_GROUPS)[number];
  /** Its place within the group, counted from 1; design/web/visual-language.md has the order. */
  readonly order: number;
  readonly icon: IconName;
  /** `/runs`: this address and all below it are the page's. */
  readonly path: string;
  /** After `g`: a letter that no other page has. */
  readonly key: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

export interface PageProps {
  /** The parts of the address below the page's path: `/runs/01a1` gives `["01a1"]`. */
  readonly rest: readonly string[];
}
