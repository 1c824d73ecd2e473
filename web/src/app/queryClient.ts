import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError, TimeLimitError, UnavailableError } from "../api/client";
import { limitedFetch } from "../api/limitedFetch";
import { sessionQuery } from "../api/queries";
import { setAway } from "./away";

const PROBE_MS = 5000;

/** Reload the session if the token has been revoked, which shows the sign-in form. */
function onError(error: Error): void {
  if (error instanceof TimeLimitError) void probe();
  else setAway(error instanceof UnavailableError);
  if (error instanceof ProblemError && error.problem.code === "unauthenticated") {
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

/** One request without an answer may be a slow one: the service is away if it does not say either how it is. */
async function probe(): Promise<void> {
  try {
    await limitedFetch(new Request("/api/v1/health"), PROBE_MS);
  } catch {
    setAway(true);
  }
}

/** The service is back: everything that was shown as of its last answer is asked for again. */
function onSuccess(): void {
  if (setAway(false)) void queryClient.invalidateQueries();
}

/** 2, 4, 8, ... seconds, at most a minute. */
export const backoffMs = (attempt: number): number => Math.min(60_000, 2000 * 2 ** attempt);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError, onSuccess }),
  defaultOptions: {
    // The service may be on this machine: it is asked also while the browser is offline.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      // A refusal is final; a service that is away is asked again, by the health query as well.
      retry: (failures, error) =>
        error instanceof UnavailableError && !(error instanceof TimeLimitError) && failures < 2,
      retryDelay: backoffMs,
      staleTime: 1000,
    },
  },
});
