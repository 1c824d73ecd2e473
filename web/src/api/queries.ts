import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type Comparison, unwrap } from "./client";
import type { components, paths } from "./schema";

/** All queries of the pages, with their keys in one place. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => unwrap(await api.GET("/api/v1/session")),
  staleTime: 60_000,
});

const BACKOFF_MS = [2000, 4000, 8000, 16_000, 30_000];

/** Asked while the service is away, less often each time. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => unwrap(await api.GET("/api/v1/health")),
  retry: false,
  gcTime: 0,
  refetchInterval: (query) => BACKOFF_MS[Math.min(query.state.errorUpdateCount, BACKOFF_MS.length - 1)] ?? 30_000,
});

/** Campaign files of `papers/` have this label. */
export const PAPER = "paper=";

type ListQuery = NonNullable<paths["/api/v1/campaigns"]["get"]["parameters"]["query"]>;
export type Facets = components["schemas"]["FacetsOut"];

/** What the list of campaigns is narrowed to, as in the address. */
export interface CampaignsView {
  q?: string | undefined;
  state?: "planned" | "running" | "ended" | "cancelled" | "failures" | undefined;
  submitter?: string | undefined;
  algorithm?: string | undefined;
  topology?: string | undefined;
  label?: string | undefined;
  /** The value of the label `paper`. */
  paper?: string | undefined;
  sort?: NonNullable<ListQuery["sort"]> | undefined;
}

export const campaignsQuery = (view: CampaignsView) =>
  infiniteQueryOptions({
    queryKey: ["campaigns", view],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { state, algorithm, label, paper, ...rest } = view;
      const labels = [...(label ? [label] : []), ...(paper ? [`${PAPER}${paper}`] : [])];
      const query = {
        ...rest,
        limit: 50,
        ...(state && { state: [state] }),
        ...(algorithm && { algorithm: [algorithm] }),
        ...(labels.length > 0 && { label: labels }),
        ...(pageParam && { cursor: pageParam }),
      } as ListQuery;
      return unwrap(await api.GET("/api/v1/campaigns", { params: { query } }));
    },
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    // While runs are under way; many loaded pages are not asked for again by themselves.
    refetchInterval: (query) => {
      const pages = query.state.data?.pages ?? [];
      if (pages.length > 2) return false;
      return pages.some((page) => page.campaigns.some((campaign) => !campaign.ended)) ? 4000 : 15_000;
    },
  });

export const facetsQuery = queryOptions({
  queryKey: ["facets"],
  queryFn: async () => unwrap(await api.GET("/api/v1/campaigns/facets")),
  refetchInterval: 10_000,
});

const path = (campaign_id: string) => ({ path: { campaign_id } });

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ["campaign", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/campaigns/{campaign_id}", { params: path(id) })),
  });

/**
 * When the runs of a campaign that is under way will have ended. A query of its own: the events of the campaign, which
 * update the one above, do not have it, as it depends on what else is queued.
 */
export const timeLeftQuery = (id: string) =>
  queryOptions({
    ...campaignQuery(id),
    queryKey: ["time-left", id],
    refetchInterval: 10_000,
  });

export interface ComparisonOptions {
  against?: string | undefined;
  baseline?: string[] | undefined;
  incomplete?: boolean | undefined;
}

/** A comparison of these metrics, or of the default metrics if none are given. */
export const comparisonQuery = (id: string, metrics: string[], { against, baseline, incomplete }: ComparisonOptions) =>
  queryOptions({
    queryKey: ["comparison", id, metrics, against ?? "", baseline ?? [], incomplete ?? false],
    queryFn: async () => {
      const query = {
        ...(metrics.length > 0 ? { metric: metrics } : { default: true }),
        ...(against && { against }),
        ...(baseline && { baseline }),
        ...(incomplete && { incomplete }),
      };
      // openapi-fetch widens the intervals' pairs to arrays
      return unwrap(
        await api.GET("/api/v1/campaigns/{campaign_id}/comparison", { params: { ...path(id), query } }),
      ) as Comparison;
    },
    placeholderData: keepPreviousData,
  });

export const gridQuery = (id: string) =>
  queryOptions({
    queryKey: ["grid", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/campaigns/{campaign_id}/grid", { params: path(id) })),
  });

export const failuresQuery = (id: string) =>
  queryOptions({
    queryKey: ["failures", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/campaigns/{campaign_id}/failures", { params: path(id) })),
  });

export const gatesQuery = (id: string) =>
  queryOptions({
    queryKey: ["gates", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/campaigns/{campaign_id}/gates", { params: path(id) })),
  });

/** `my-study.yaml` of `attachment; filename="my-study.yaml"`, as the service writes it: nothing that a shell reads. */
export const fileName = (disposition: string | null): string =>
  /filename="([A-Za-z0-9._-]+)"/.exec(disposition ?? "")?.[1] ?? "campaign.yaml";

/** The campaign file as it was submitted, and the name under which it is saved. */
export const fileQuery = (id: string) =>
  queryOptions({
    queryKey: ["file", id],
    queryFn: async () => {
      const answer = await api.GET("/api/v1/campaigns/{campaign_id}/file", { params: path(id), parseAs: "text" });
      const text = unwrap(answer) as string;
      return { text, name: fileName(answer.response.headers.get("content-disposition")) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const distributionsQuery = (id: string, field: string | undefined, cells: number[]) =>
  queryOptions({
    queryKey: ["comparison", id, "distributions", field ?? "", cells],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/campaigns/{campaign_id}/distributions", {
          params: { ...path(id), query: { cell: cells, ...(field && { field }) } },
        }),
      ),
    staleTime: 60_000,
  });

export type RunState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

export const runsQuery = (id: string, state: RunState | undefined) =>
  infiniteQueryOptions({
    queryKey: ["runs", id, state ?? "all"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) =>
      unwrap(
        await api.GET("/api/v1/campaigns/{campaign_id}/runs", {
          params: {
            ...path(id),
            query: { limit: 200, ...(state && { state }), ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

const runPath = (run_id: string) => ({ path: { run_id } });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}", { params: runPath(id) })),
    refetchInterval: (query) => {
      const state = query.state.data?.state;
      return state === "queued" || state === "running" ? 2000 : false;
    },
  });

/** A series, or the part of it between two times with its own detail. */
export const seriesQuery = (id: string, name: string, range?: { from_ns: number; to_ns: number }) =>
  queryOptions({
    queryKey: ["series", id, name, range?.from_ns ?? null, range?.to_ns ?? null],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/runs/{run_id}/series/{name}", {
          params: { path: { run_id: id, name }, query: range ?? {} },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

export const siblingsQuery = (id: string, campaign?: string) =>
  queryOptions({
    queryKey: ["siblings", id, campaign ?? ""],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/runs/{run_id}/siblings", {
          params: { ...runPath(id), query: campaign ? { campaign } : {} },
        }),
      ),
    staleTime: 60_000,
  });

export const flowsQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}/flows", { params: runPath(id) })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const portsQuery = (id: string) =>
  queryOptions({
    queryKey: ["ports", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}/ports", { params: runPath(id) })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ["log", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}/log", { params: runPath(id) })),
  });

export const topologyQuery = (id: string) =>
  queryOptions({
    queryKey: ["topology", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}/topology", { params: runPath(id) })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const verificationsQuery = (id: string) =>
  queryOptions({
    queryKey: ["verifications", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}/verifications", { params: runPath(id) })),
    refetchInterval: (query) =>
      query.state.data?.verifications.some(({ state }) => state === "queued" || state === "running") ? 2000 : false,
  });

export const catalogueQuery = queryOptions({
  queryKey: ["catalogue"],
  queryFn: async () => unwrap(await api.GET("/api/v1/catalogue")),
  staleTime: 60_000,
});
