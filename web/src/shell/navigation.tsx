/** The ways through the workspace: a rail in four groups, on a phone five tabs. */

import { PAGE_GROUPS, type Page } from "../pages/page.ts";
import { pages } from "../pages/pages.ts";
import { Glyph } from "../parts/glyph.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { useLiveState } from "./live-state.ts";
import { runningCount, useStatus } from "./status.ts";

export function Navigation({ current }: { readonly current: Page | undefined }) {
  return (
    <nav className="nav" aria-label="Main">
      {PAGE_GROUPS.map((group) => {
        const own = pages.filter((page) => page.group === group);
        if (own.length === 0) return null;
        return (
          <div key={group}>
            <h2>{group}</h2>
            {own.map((page) => (
              <NavigationLink key={page.path} page={page} isCurrent={page === current} />
            ))}
          </div>
        );
      })}
      <Foot />
    </nav>
  );
}

function NavigationLink({ page, isCurrent }: { readonly page: Page; readonly isCurrent: boolean }) {
  const badge = useBadge(page);
  return (
    <a href={page.path} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={page.icon} />
      <span>{page.title}</span>
      {badge !== undefined && <span className={badge.isHot ? "n hot" : "n"}>{badge.count}</span>}
    </a>
  );
}

function useBadge({
  title,
}: Page): { readonly count: number; readonly isHot: boolean } | undefined {
  const status = useStatus();
  if (status === undefined) return undefined;
  const count =
    title === "Inbox" ? status.inbox.total : title === "Runs" ? runningCount(status) : 0;
  return count === 0 ? undefined : { count, isHot: title === "Inbox" };
}

function Foot() {
  const state = useLiveState();
  return (
    <div className="foot">
      <div className="row">
        <Glyph state={state === "live" ? "ok" : state === "lost" ? "hold" : "stale"} />
        <span>{`Local, ${location.host}`}</span>
      </div>
      <div className="foot-more">
        {state === "live" ? "Live" : state === "lost" ? "Not reached, trying again" : "Connecting"}
      </div>
    </div>
  );
}

const TABS = 4;

export function BottomTabs({ current }: { readonly current: Page | undefined }) {
  const [first, rest] = splitTabs();
  const isInRest = current !== undefined && rest.includes(current);
  return (
    <nav className="botnav" aria-label="Main">
      {first.map((page) => (
        <BottomTab key={page.path} page={page} isCurrent={page === current} />
      ))}
      <Menu
        label="More pages"
        className={isInRest ? "here" : ""}
        button={
          <>
            <Icon name="dots" />
            More
          </>
        }
      >
        {(close) => (
          <>
            {rest.map((page) => (
              <a key={page.path} href={page.path} role="menuitem" onClick={close}>
                <Icon name={page.icon} small />
                {page.title}
              </a>
            ))}
          </>
        )}
      </Menu>
    </nav>
  );
}

function splitTabs(): readonly [readonly Page[], readonly Page[]] {
  const wanted = ["Home", "Inbox", "Runs", "Packets"];
  const first = pages.filter(({ title }) => wanted.includes(title)).slice(0, TABS);
  return [first, pages.filter((page) => !first.includes(page))];
}

function BottomTab({ page, isCurrent }: { readonly page: Page; readonly isCurrent: boolean }) {
  const badge = useBadge(page);
  return (
    <a href={page.path} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={page.icon} />
      {page.title}
      {badge?.isHot && <span className="badge">{badge.count}</span>}
    </a>
  );
}
