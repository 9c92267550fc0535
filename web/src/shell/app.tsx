/** The frame around every page. */

import { lazy, Suspense, useEffect, useMemo } from "react";
import { live } from "../data/queries.ts";
import type { Page } from "../pages/page.ts";
import { findPage, pages, restOf } from "../pages/pages.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { navigate, takeClick, usePlace } from "../router/place.ts";
import { Boundary } from "./boundary.tsx";
import { CaptureSheet } from "./capture-sheet.tsx";
import { useCommands } from "./commands.ts";
import { Drawer } from "./drawer.tsx";
import { KeyboardMap } from "./keyboard-map.tsx";
import { listenForKeys } from "./keys.ts";
import { BottomTabs, Navigation } from "./navigation.tsx";
import { useInboxNews } from "./notifications.ts";
import { openSheet, sheets } from "./open-sheet.ts";
import { GO_TO, Palette } from "./palette.tsx";
import { ProblemSheet } from "./problem-sheet.tsx";
import { useStatus } from "./status.ts";
import { nextTheme, setTheme, useTheme } from "./theme.ts";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";

const OperationSheet = lazy(() => import("./operation-sheet.tsx"));
const StartRunSheet = lazy(() => import("./start-run-sheet.tsx"));

export function App() {
  const { segments } = usePlace();
  const page = findPage(segments);
  useEffect(() => live.start(), []);
  useEffect(listenForKeys, []);
  useEffect(() => {
    document.addEventListener("click", takeClick);
    return () => document.removeEventListener("click", takeClick);
  }, []);
  useInboxNews();
  useTitle(page);
  useShellCommands();
  return (
    <div className="app">
      <a className="skip sr" href="#main">
        Skip to the page
      </a>
      <TopBar onSearch={() => openSheet("palette")} onKeys={() => openSheet("keys")} />
      <Navigation current={page} />
      <main className="main" id="main" tabIndex={-1}>
        {page === undefined ? <Nowhere /> : <PageView key={page.path} page={page} />}
      </main>
      <BottomTabs current={page} />
      <Drawer />
      <Sheets />
      <ProblemSheet />
      <Toasts />
    </div>
  );
}

const loaded = new Map<
  Page,
  ReturnType<typeof lazy<Awaited<ReturnType<Page["load"]>>["default"]>>
>();

function PageView({ page }: { readonly page: Page }) {
  const { segments } = usePlace();
  const View = useMemo(() => {
    const known = loaded.get(page) ?? lazy(page.load);
    loaded.set(page, known);
    return known;
  }, [page]);
  return (
    <Boundary>
      <Suspense fallback={<PageFallback title={page.title} />}>
        <View rest={restOf(page, segments)} />
      </Suspense>
    </Boundary>
  );
}

function PageFallback({ title }: { readonly title: string }) {
  return (
    <>
      <div className="head">
        <h1>{title}</h1>
      </div>
      <SkeletonRows count={6} />
    </>
  );
}

function Nowhere() {
  return (
    <EmptyState
      title="There is no such page"
      action={
        <a className="btn" href="/">
          Go home
        </a>
      }
    >
      The address does not belong to anything here.
    </EmptyState>
  );
}

function Sheets() {
  const open = sheets.use();
  if (open === undefined) return null;
  const close = () => openSheet(undefined);
  if (typeof open === "object")
    return (
      <Suspense>
        <OperationSheet line={open} onClose={close} />
      </Suspense>
    );
  switch (open) {
    case "palette":
      return <Palette onClose={close} onOperation={openSheet} />;
    case "keys":
      return <KeyboardMap onClose={close} />;
    case "capture":
      return <CaptureSheet onClose={close} />;
    case "start-run":
      return (
        <Suspense>
          <StartRunSheet onClose={close} />
        </Suspense>
      );
  }
}

function useShellCommands(): void {
  const theme = useTheme();
  useCommands(
    GO_TO,
    pages.map(({ title, key, path, icon }) => {
      return { label: title, keys: `g ${key}`, icon, run: () => navigate(path) };
    }),
  );
  useCommands("Anywhere", [
    {
      label: "Search, open, or run a command",
      keys: "mod+k",
      isGlobal: true,
      isKeyOnly: true,
      run: () => openSheet("palette"),
    },
    { label: "Search", keys: "/", isKeyOnly: true, run: () => openSheet("palette") },
    { label: "Show all keys", keys: "?", isKeyOnly: true, run: () => openSheet("keys") },
    { label: "Capture a thought", keys: "c", icon: "plus", run: () => openSheet("capture") },
    { label: "Start a run", keys: "s", icon: "play", run: () => openSheet("start-run") },
    { label: `Change colours (now ${theme})`, icon: "sun", run: () => setTheme(nextTheme(theme)) },
  ]);
}

function useTitle(page: Page | undefined): void {
  const waiting = useStatus()?.inbox.total ?? 0;
  const title = page?.title ?? "Nothing here";
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Throughline`;
  }, [waiting, title]);
}
