import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";
import type { components } from "../../api/schema";

type Schemas = components["schemas"];
export type Token = Schemas["TokenOut"];
export type NewToken = Schemas["NewTokenOut"];
export type NewTokenIn = Schemas["NewTokenIn"];
export type Usage = Schemas["UsageOut"];
export type AuditEntry = Schemas["AuditEntryOut"];
export type Worker = Schemas["WorkerOut"];
export type System = Schemas["SystemOut"];

const EVERY_MS = 5000;

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: async () => unwrap(await api.GET("/api/v1/workers")).workers,
  refetchInterval: EVERY_MS,
});

export const usageQuery = queryOptions({
  queryKey: ["usage"],
  queryFn: async () => unwrap(await api.GET("/api/v1/usage")),
  refetchInterval: EVERY_MS,
});

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async () => unwrap(await api.GET("/api/v1/tokens")).tokens,
});

export const auditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam }) =>
    unwrap(
      await api.GET("/api/v1/audit", { params: { query: { limit: 50, ...(pageParam && { cursor: pageParam }) } } }),
    ),
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: async () => unwrap(await api.GET("/api/v1/system")),
  refetchInterval: EVERY_MS,
});

/** A change of tokens. The service takes these from a token only, so the header goes before the session's cookie. */
export type TokenChange = { action: "create"; token: NewTokenIn } | { action: "rotate" | "revoke"; token: Token };

export async function changeToken(change: TokenChange, adminToken: string): Promise<NewToken | null> {
  const headers = { Authorization: `Bearer ${adminToken}` };
  if (change.action === "create") return unwrap(await api.POST("/api/v1/tokens", { body: change.token, headers }));
  const params = { path: { token_id: change.token.id } };
  if (change.action === "rotate")
    return unwrap(await api.POST("/api/v1/tokens/{token_id}/rotate", { params, headers }));
  unwrap(await api.DELETE("/api/v1/tokens/{token_id}", { params, headers }));
  return null;
}
