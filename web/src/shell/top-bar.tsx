/** Above every page: where you are, a way to anything, what runs, what waits, what it costs, how it looks. */

import { leave } from "../api/login.ts";
import { initials, money, plural } from "../parts/format.ts";
import { Glyph } from "../parts/glyph.tsx";
import { Icon, Mark } from "../parts/icon.tsx";
import { Keys } from "../parts/keys.tsx";
import { Menu } from "../parts/menu.tsx";
import { Who } from "../parts/who.tsx";
import { setProject, useProjects } from "./current-project.ts";
import { canNotify, useNotifications } from "./notifications.ts";
import { usePerson } from "./session.ts";
import { runningCount, type Status, useStatus } from "./status.ts";
import { nextTheme, setTheme, useTheme } from "./theme.ts";

export function TopBar({
  onSearch,
  onKeys,
}: {
  readonly onSearch: () => void;
  readonly onKeys: () => void;
}) {
  const status = useStatus();
  return (
    <header className="top">
      <a className="brand" href="/" aria-label="Throughline, home">
        <Mark />
        <span>Throughline</span>
      </a>
      <ProjectSwitch />
      <button type="button" className="find" onClick={onSearch}>
        <Icon name="search" small />
        <span className="grow">Search, open, or run a command</span>
        <Keys keys="mod+k" />
      </button>
      {status !== undefined && <Running status={status} />}
      <button type="button" className="tbtn only-n" aria-label="Search" onClick={onSearch}>
        <Icon name="search" />
      </button>
      <InboxLink count={status?.inbox.total ?? 0} />
      {status !== undefined && <Budget status={status} />}
      <ThemeButton />
      <PersonMenu onKeys={onKeys} />
    </header>
  );
}

function ProjectSwitch() {
  const { projects, current } = useProjects();
  const name = current?.name ?? "All projects";
  const choose = (id: string | undefined, close: () => void) => {
    setProject(id);
    close();
  };
  return (
    <Menu
      label={`Project: ${name}`}
      className="switch"
      button={
        <>
          <span className="sq" aria-hidden="true">
            {current === undefined ? "∗" : name.slice(0, 1).toUpperCase()}
          </span>
          <span className="cut">{name}</span>
          <Icon name="down" small />
        </>
      }
    >
      {(close) => (
        <>
          <button type="button" role="menuitem" onClick={() => choose(undefined, close)}>
            <span className="grow">All projects</span>
            {current === undefined && <Icon name="check" small />}
          </button>
          {projects.map(({ id, name: title }) => (
            <button key={id} type="button" role="menuitem" onClick={() => choose(id, close)}>
              <span className="grow cut">{title}</span>
              {current?.id === id && <Icon name="check" small />}
            </button>
          ))}
        </>
      )}
    </Menu>
  );
}

function Running({ status }: { readonly status: Status }) {
  const count = runningCount(status);
  if (count === 0) return null;
  return (
    <a className="tbtn opt" href="/runs" title={`${plural(count, "run")} in progress`}>
      <Glyph state="run" />
      <span className="num">{count} running</span>
    </a>
  );
}

function InboxLink({ count }: { readonly count: number }) {
  const label = count === 0 ? "Inbox, nothing waits" : `Inbox, ${count} waiting`;
  return (
    <a className="tbtn" href="/inbox" aria-label={label}>
      <Icon name="inbox" />
      {count > 0 && <span className="badge">{count > 99 ? "99+" : count}</span>}
    </a>
  );
}

/** Amber from four fifths on, plum when there is nothing left. */
function Budget({ status }: { readonly status: Status }) {
  const { microUsd, limitMicroUsd } = status.spend;
  const share = limitMicroUsd === null || limitMicroUsd === 0 ? 0 : microUsd / limitMicroUsd;
  const tone = share >= 1 ? "hold" : share >= 0.8 ? "wait" : "";
  const limit = limitMicroUsd === null ? "today" : `/ ${money(limitMicroUsd)} today`;
  return (
    <span
      className={`meter ${tone}`}
      style={{ "--v": `${Math.min(100, share * 100)}%` } as object}
      title="Spent today"
    >
      {limitMicroUsd !== null && <i />}
      <span className="num">
        <b>{money(microUsd)}</b> {limit}
      </span>
    </span>
  );
}

const THEME_ICONS = { light: "sun", dark: "moon", system: "screen" } as const;

function ThemeButton() {
  const theme = useTheme();
  return (
    <button
      type="button"
      className="tbtn"
      aria-label={`Colours: ${theme}`}
      title={`Colours: ${theme}`}
      onClick={() => setTheme(nextTheme(theme))}
    >
      <Icon name={THEME_ICONS[theme]} />
    </button>
  );
}

function PersonMenu({ onKeys }: { readonly onKeys: () => void }) {
  const { name, role } = usePerson();
  const { isOn, toggle } = useNotifications();
  return (
    <Menu label={`${initials(name)}, ${name}, ${role}`} className="me" button={<Who name={name} />}>
      {(close) => (
        <>
          <div className="menu-head">
            <b className="b">{name}</b>
            <div className="muted small">{role}</div>
          </div>
          <hr />
          {canNotify() && (
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                toggle();
                close();
              }}
            >
              <Icon name="bell" small />
              <span className="grow">
                {isOn ? "Stop notifications" : "Notify me of new entries"}
              </span>
            </button>
          )}
          <button
            type="button"
            role="menuitem"
            onClick={() => {
              close();
              onKeys();
            }}
          >
            <Icon name="dots" small />
            <span className="grow">Keys on this page</span>
            <Keys keys="?" />
          </button>
          <hr />
          <button
            type="button"
            role="menuitem"
            onClick={() => void leave().finally(() => location.assign("/"))}
          >
            <Icon name="leave" small />
            Sign out
          </button>
        </>
      )}
    </Menu>
  );
}
