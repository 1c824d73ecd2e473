import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { Layout } from "./components/Layout";
import { CampaignPage } from "./pages/CampaignPage";
import { CampaignsPage } from "./pages/CampaignsPage";
import { RunPage } from "./pages/RunPage";

/** All routes of the application. The URL contains a view's full state, so that it can be cited. */
const root = createRootRoute({ component: Layout, notFoundComponent: () => <p>Page not found.</p> });

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/campaigns" });
  },
});

const campaigns = createRoute({ getParentRoute: () => root, path: "/campaigns", component: CampaignsPage });

const campaign = createRoute({
  getParentRoute: () => root,
  path: "/campaigns/$campaignId",
  component: CampaignPage,
  validateSearch: (search: Record<string, unknown>): { metric?: string; columns?: string[] } => {
    const metric = text(search.metric);
    const columns = Array.isArray(search.columns) ? search.columns.filter((one) => typeof one === "string") : undefined;
    return { ...(metric && { metric }), ...(columns && { columns }) };
  },
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  component: RunPage,
  validateSearch: (search: Record<string, unknown>): { series?: string } => {
    const series = text(search.series);
    return series ? { series } : {};
  },
});

export const router = createRouter({ routeTree: root.addChildren([home, campaigns, campaign, run]) });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
