import { keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, unwrap, type Campaign, type Comparison } from "./client";

/** All queries of the pages, with their keys in one place. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => unwrap(await api.GET("/api/v1/session")),
  staleTime: 60_000,
});

export const campaignsQuery = queryOptions({
  queryKey: ["campaigns"],
  queryFn: async () => unwrap(await api.GET("/api/v1/campaigns", { params: { query: { limit: 100 } } })),
  refetchInterval: 5000,
});

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ["campaign", id],
    queryFn: async () =>
      unwrap(await api.GET("/api/v1/campaigns/{campaign_id}", { params: { path: { campaign_id: id } } })),
  });

/** A comparison of these metrics, or of the default metrics if none are given. */
export const comparisonQuery = (id: string, metrics: string[]) =>
  queryOptions({
    queryKey: ["comparison", id, metrics],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/campaigns/{campaign_id}/comparison", {
          params: { path: { campaign_id: id }, query: metrics.length > 0 ? { metric: metrics } : { default: true } },
        }),
      ) as Comparison, // openapi-fetch widens the intervals' pairs to arrays
    placeholderData: keepPreviousData,
  });

export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ["runs", id],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/campaigns/{campaign_id}/runs", {
          params: { path: { campaign_id: id }, query: { limit: 500 } },
        }),
      ),
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: id } } })),
    refetchInterval: (query) => {
      const state = query.state.data?.state;
      return state === "queued" || state === "running" ? 2000 : false;
    },
  });

export const seriesQuery = (id: string, name: string) =>
  queryOptions({
    queryKey: ["series", id, name],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/runs/{run_id}/series/{name}", { params: { path: { run_id: id, name } } }),
      ),
    staleTime: Infinity,
  });

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ["log", id],
    queryFn: async () => unwrap(await api.GET("/api/v1/runs/{run_id}/log", { params: { path: { run_id: id } } })),
  });

const RECONNECT_MS = 2000;

/**
 * Keep a campaign's queries up to date from its event stream until its runs have ended. Returns
 * whether the stream is connected; it reconnects until the campaign is known to be gone.
 */
export function useLiveCampaign(id: string, ended: boolean | undefined): boolean {
  const queries = useQueryClient();
  const [connected, setConnected] = useState(true);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (ended !== false) return;
    const events = new EventSource(`/api/v1/campaigns/${id}/events`);
    let finished = -1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    events.onopen = () => setConnected(true);
    events.onerror = () => {
      setConnected(false);
      events.close();
      // The answer says whether the campaign was deleted or the service is gone.
      void queries.invalidateQueries({ queryKey: campaignQuery(id).queryKey });
      timer = setTimeout(() => setAttempt((last) => last + 1), RECONNECT_MS);
    };
    events.addEventListener("campaign", (event) => {
      const campaign = JSON.parse((event as MessageEvent<string>).data) as Campaign;
      queries.setQueryData(campaignQuery(id).queryKey, (old) => old && { ...old, ...campaign });
      void queries.invalidateQueries({ queryKey: ["runs", id] });
      const done = campaign.total_runs - campaign.runs.queued - campaign.runs.running;
      if (done !== finished) {
        finished = done;
        void queries.invalidateQueries({ queryKey: ["comparison", id] });
      }
      if (campaign.ended) events.close();
    });
    return () => {
      events.close();
      clearTimeout(timer);
    };
  }, [id, ended, queries, attempt]);
  return connected;
}
