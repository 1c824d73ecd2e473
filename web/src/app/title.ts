import { useEffect } from "react";

/** Set the page's title: `incast, comparison · Windtunnel`. */
export function useTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean)].join(", ");
  useEffect(() => {
    document.title = title ? `${title} · Windtunnel` : "Windtunnel";
  }, [title]);
}
