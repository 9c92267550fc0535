/** All pages there are: every folder beside this file that has a `page.ts`. Their code is loaded when they are visited. */

import { PAGE_GROUPS, type Page } from "./page.ts";

const modules = import.meta.glob<{ readonly page: Page }>("./*/page.ts", { eager: true });

export const pages: readonly Page[] = Object.values(modules)
  .map(({ page }) => page)
  .toSorted(
    (a, b) => PAGE_GROUPS.indexOf(a.group) - PAGE_GROUPS.indexOf(b.group) || a.order - b.order,
  );

/** The page an address belongs to: the one with the longest path that it begins with. */
export function findPage(segments: readonly string[]): Page | undefined {
  const address = `/${segments.join("/")}`;
  return pages
    .filter(({ path }) => address === path || (path !== "/" && address.startsWith(`${path}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Pages link to each other only if they are there. */
export function pagePath(title: string): string | undefined {
  return pages.find((page) => page.title === title)?.path;
}

export function restOf({ path }: Page, segments: readonly string[]): readonly string[] {
  return segments.slice(path.split("/").filter(Boolean).length);
}
