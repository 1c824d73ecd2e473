import { useSyncExternalStore } from "react";

/** Whether the service answers, as the last requests found it. */
let away = false;
const listeners = new Set<() => void>();

/** Returns whether that is a change. */
export function setAway(value: boolean): boolean {
  if (away === value) return false;
  away = value;
  for (const listener of listeners) listener();
  return true;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAway = (): boolean => useSyncExternalStore(subscribe, () => away);
