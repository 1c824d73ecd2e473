import "./trustedTypes";
import "@mantine/core/styles.css";
import { MantineProvider } from "@mantine/core";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ProblemError } from "./api/client";
import { sessionQuery } from "./api/queries";
import { router } from "./router";

/** If the token has been revoked, reload the session, which shows the sign-in form. */
function onError(error: Error) {
  if (error instanceof ProblemError && error.problem.code === "unauthenticated") {
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  defaultOptions: { queries: { retry: 1, staleTime: 1000 } },
});
const place = document.getElementById("root");
if (!place) throw new Error("index.html has no element with the id root");

createRoot(place).render(
  <StrictMode>
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
