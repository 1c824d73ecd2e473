import { useEffect } from "react";

export const SHORTCUTS = [
  ["/", "search campaigns"],
  ["j, k", "next and previous row"],
  ["Enter", "open the row"],
  ["n", "new campaign"],
  ["t", "light or dark"],
  ["?", "these keys"],
] as const;

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-row]")];

/** Move the focus by `step` rows; rows are elements with `data-row`. */
export function moveRow(step: 1 | -1): void {
  const all = rows();
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

/** Call the handler of a key that is pressed outside text fields. */
export function useShortcuts(handlers: Record<string, () => void>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector("dialog[open]")
      )
        return;
      const handler = handlers[event.key];
      if (!handler) return;
      event.preventDefault();
      handler();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [handlers]);
}
