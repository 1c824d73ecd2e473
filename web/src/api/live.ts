import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Campaign } from "./client";
import { campaignQuery } from "./queries";

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** What the state says is asked for again at most this often. */
const REFETCH_MS = 4000;
/** The stream repeats the state every 5 seconds. */
const SILENCE_MS = 12_000;

/** How long to wait before connecting again, after this many failures. */
export const reconnectMs = (failures: number): number => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);

/**
 * Keep a campaign's queries up to date from its event stream until its runs have ended. Returns whether
 * the stream is connected. It reconnects, less often each time, and refetches when it is back.
 */
export function useLiveCampaign(id: string, ended: boolean | undefined): boolean {
  const queries = useQueryClient();
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    if (ended !== false) return;
    let events: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout>;
    let failures = 0;
    let finished = -1;
    let last = "";

    const pending = new Set<string>();
    let flush: ReturnType<typeof setTimeout> | undefined;
    const invalidate = (cancelRefetch = false) => {
      clearTimeout(flush);
      flush = undefined;
      // A request under way is not started again but at the end: one slower than the stream would never end.
      for (const key of pending) void queries.invalidateQueries({ queryKey: [key, id] }, { cancelRefetch });
      pending.clear();
    };
    const refetch = (...keys: string[]) => {
      for (const key of keys) pending.add(key);
      flush ??= setTimeout(() => invalidate(), REFETCH_MS);
    };
    const lose = () => {
      clearTimeout(timer);
      events?.close();
      setConnected(false);
      void queries.invalidateQueries({ queryKey: campaignQuery(id).queryKey });
      timer = setTimeout(connect, reconnectMs(failures));
      failures += 1;
    };
    const onState = (event: MessageEvent<string>) => {
      clearTimeout(timer);
      timer = setTimeout(lose, SILENCE_MS);
      setConnected(true);
      if (failures > 0) refetch("campaign", "grid", "runs", "failures", "comparison", "gates");
      failures = 0;
      if (event.data === last) return;
      last = event.data;
      const campaign = JSON.parse(event.data) as Campaign;
      queries.setQueryData(campaignQuery(id).queryKey, (old) => old && { ...old, ...campaign });
      refetch("grid", "runs");
      const done = campaign.total_runs - campaign.runs.queued - campaign.runs.running;
      if (done !== finished) {
        finished = done;
        refetch("comparison", "failures", "gates");
      }
      if (campaign.ended) {
        clearTimeout(timer);
        events?.close();
        invalidate(true);
      }
    };
    const connect = () => {
      events = new EventSource(`/api/v1/campaigns/${id}/events`);
      events.onerror = lose;
      events.addEventListener("campaign", (event) => onState(event as MessageEvent<string>));
      timer = setTimeout(lose, SILENCE_MS);
    };
    connect();
    return () => {
      clearTimeout(timer);
      events?.close();
      invalidate(true);
    };
  }, [id, ended, queries]);
  return connected || ended !== false;
}
