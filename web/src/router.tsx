import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { Layout } from "./app/Layout";
import { lazyPage } from "./app/lazily";
import { flag, number, oneOf, search, stringify, text, texts } from "./app/search";
import { CampaignLayout } from "./pages/campaign/CampaignLayout";
import { CampaignsPage } from "./pages/campaigns/CampaignsPage";
import { CHARTS } from "./pages/comparison/model";
import { NotFound } from "./pages/NotFound";
import { Waiting } from "./ui/states";

/** All routes. The address contains a view's full state, so that it can be cited. */
const root = createRootRoute({ component: Layout, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/campaigns" });
  },
});

const campaigns = createRoute({
  getParentRoute: () => root,
  path: "/campaigns",
  component: CampaignsPage,
  validateSearch: search({
    q: text,
    state: oneOf("planned", "running", "ended", "cancelled", "failures"),
    submitter: text,
    algorithm: text,
    topology: text,
    label: text,
    paper: text,
    "sign-in": text,
    sort: oneOf("-created", "created", "name", "-name", "cost", "-cost"),
  }),
});

const campaign = createRoute({ getParentRoute: () => root, path: "/campaigns/$campaignId", component: CampaignLayout });

const overview = createRoute({
  getParentRoute: () => campaign,
  path: "/",
  component: lazyPage(() => import("./pages/campaign/Overview"), "Overview"),
});

const comparison = createRoute({
  getParentRoute: () => campaign,
  path: "/comparison",
  component: lazyPage(() => import("./pages/comparison/ComparisonPage"), "ComparisonPage"),
  validateSearch: search({
    metric: text,
    x: text,
    facet: text,
    where: texts,
    chart: oneOf(...CHARTS),
    scale: oneOf("log", "linear"),
    at: text,
    columns: texts,
    sort: text,
    find: text,
    against: text,
    baseline: texts,
    incomplete: flag,
    field: text,
  }),
});

const runs = createRoute({
  getParentRoute: () => campaign,
  path: "/runs",
  component: lazyPage(() => import("./pages/campaign/RunsPage"), "RunsPage"),
  validateSearch: search({ state: oneOf("queued", "running", "succeeded", "failed", "cancelled") }),
});

const file = createRoute({
  getParentRoute: () => campaign,
  path: "/file",
  component: lazyPage(() => import("./pages/campaign/FilePage"), "FilePage"),
});

const create = createRoute({
  getParentRoute: () => root,
  path: "/new",
  component: lazyPage(() => import("./pages/new/NewPage"), "NewPage"),
  validateSearch: search({ template: text, from: text }),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  component: lazyPage(() => import("./pages/ComparePage"), "ComparePage"),
  validateSearch: search({ a: text, q: text }),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  component: lazyPage(() => import("./pages/run/RunPage"), "RunPage"),
  validateSearch: search({
    tab: oneOf("signals", "flows", "topology", "log", "specification"),
    campaign: text,
    over: text,
    series: texts,
    from: number,
    to: number,
    sort: text,
    flow: number,
    at: number,
  }),
});

const catalogue = createRoute({
  getParentRoute: () => root,
  path: "/catalogue",
  component: lazyPage(() => import("./pages/catalogue/CataloguePage"), "CataloguePage"),
  validateSearch: search({
    q: text,
    simulator: text,
    tab: oneOf("algorithms", "topologies", "workloads", "metrics", "simulators"),
  }),
});

const tokens = createRoute({
  getParentRoute: () => root,
  path: "/tokens",
  component: lazyPage(() => import("./pages/admin/TokensPage"), "TokensPage"),
});

const system = createRoute({
  getParentRoute: () => root,
  path: "/system",
  component: lazyPage(() => import("./pages/admin/SystemPage"), "SystemPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    campaigns,
    campaign.addChildren([overview, comparison, runs, file]),
    create,
    compare,
    run,
    catalogue,
    tokens,
    system,
  ]),
  defaultPendingComponent: () => <Waiting error={null} />,
  defaultErrorComponent: ({ error }) => <Waiting error={error instanceof Error ? error : new Error(String(error))} />,
  stringifySearch: stringify,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
