/** The theme: the system's, unless the reader has chosen one. */
const KEY = "windtunnel-theme";
export type Theme = "light" | "dark";

export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}

export function shownTheme(): Theme {
  return getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "dark" : "light";
}

/** Switch between light and dark, and remember it in this browser. */
export function toggleTheme(): Theme {
  const next: Theme = shownTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem(KEY, next);
  return next;
}
