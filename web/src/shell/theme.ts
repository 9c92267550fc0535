import { createKeptText } from "../data/shared-state.ts";

export type Theme = "light" | "dark" | "system";

const kept = createKeptText("theme");

export function useTheme(): Theme {
  return readTheme(kept.use());
}

export function setTheme(theme: Theme): void {
  kept.set(theme === "system" ? undefined : theme);
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
}

export function nextTheme(theme: Theme): Theme {
  return theme === "system" ? "light" : theme === "light" ? "dark" : "system";
}

function readTheme(text: string | undefined): Theme {
  return text === "light" || text === "dark" ? text : "system";
}
